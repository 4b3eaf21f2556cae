#!/usr/bin/python3
"""A reader of trace files by memmodel/trace/docs/format.md, whose tables it parses: it reads every byte of
some traces, and finds the events, edges and findings that `refcl trace dump` prints."""
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(ROOT)
sys.path.insert(0, "tests/lib")
from built import BUILD, REFCL, on_refcl
from tap import check, done

PAGE = "memmodel/trace/docs/format.md"
MASK64 = (1 << 64) - 1
zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = ctypes.c_size_t


def table(*heading):
    """The rows of the table of the page with that heading."""
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    start = lines.index("| " + " | ".join(heading) + " |") + 2
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[start:end]]


RECORDS = {int(row[0]): (row[1], row[2].split()) for row in table("type", "record", "fields")}
NUMBERS = {row[0]: [x.split()[1] for x in row[1].split(", ")] for row in table("field", "numbers")}
MASK = [row[1] for row in table("bit", "field", "coding if the bit is set", "value if it is not")]


def checksum(data):
    a, b = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F
    h = b ^ len(data) * a & MASK64
    for i in range(0, len(data), 8):
        x = h ^ int.from_bytes(data[i : i + 8], "little") * b & MASK64
        h = (x << 31 | x >> 33) * a & MASK64
    h = (h ^ h >> 33) * b & MASK64
    return h ^ h >> 29


class Payload:
    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, size):
        if self.at + size > len(self.data):
            raise ValueError("a record crosses the end of its chunk")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size=1):
        return int.from_bytes(self.bytes(size), "little")

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.number()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def delta(self, base):
        d = self.varint()
        return (base - (d >> 1) - 1 if d & 1 else base + (d >> 1)) & MASK64

    def string(self):
        text = self.bytes(self.varint())
        if self.number() != 0 or 0 in text:
            raise ValueError("a string")
        return text.decode()

    def field(self, name, record):
        if name.startswith('"'):
            record[name.strip('"')] = self.string()
        elif name.endswith(":byte"):
            record[name[:-5]] = self.number()
        elif name.endswith(":bytes"):
            record[name[:-6]] = self.bytes(record["size"] if record.get("given", 1) else 0)
        else:
            record.setdefault(name, []).append(self.varint()) if self.repeated else record.update({name: self.varint()})

    def record(self):
        name, fields = RECORDS[self.number()]
        record, self.repeated = {"record": name}, False
        if "(" in fields:
            first, last = fields.index("("), fields.index(")*3")
            fields = fields[:first] + ["("] + fields[first + 1 : last] * 3 + [")"] + fields[last + 1 :]
        for f in fields:
            if f in "()":
                self.repeated = f == "("
            else:
                self.field(f, record)
        return record


class Events:
    """State from one event to the next."""

    def __init__(self):
        self.last = {"source": 0, "command": 0, "index": 0}
        self.slots = [{f: 0 for f in ("allocation", "size", "site", "instance", "offset")} | {"shape": bytes(8)} for _ in range(64)]

    def event(self, p):
        mask = int.from_bytes(p.bytes(2), "big")
        given = [name for bit, name in enumerate(MASK) if mask >> bit & 1]
        event = dict(self.last)
        if "source" in given:
            event["source"] = p.delta(self.last["source"])
        event = self.slots[event["source"] % 64] | event | {"value_read": 0, "value_written": 0}
        for name in given[given[0:1] == ["source"] :]:
            if name == "shape":
                event[name] = p.bytes(8)
            elif name == "values":
                n = p.number()
                event["value_read"], event["value_written"] = p.number(n & 15), p.number(n >> 4)
            else:
                event[name] = p.delta(event[name]) if name in ("index", "offset") else p.varint()
        self.slots[event["source"] % 64] = {k: event[k] for k in self.slots[0]}
        self.last = {k: event[k] for k in self.last}
        return event


def read(path):
    """Records and events of a trace, each event with its id; the last item is None if the trace is
    complete."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"refcltrc" or data[8:16] != bytes([6, 0, 0, 0, 0, 0, 0, 0]):
        raise ValueError("the header")
    at, count = 16, 0
    while at < len(data):
        head = data[at : at + 40]
        magic, codec, stored, size = (int.from_bytes(head[i : i + 4], "little") for i in (0, 4, 8, 12))
        if magic == 0:
            return
        first, check_payload, check_head = (int.from_bytes(head[i : i + 8], "little") for i in (16, 24, 32))
        payload = data[at + 40 : at + 40 + stored]
        at += 40 + stored
        if magic != 0x6B684352 or check_head != checksum(head[:32]) or first != count:
            raise ValueError("the header of a chunk")
        if codec == 2:
            yield None
            continue
        if check_payload != checksum(payload):
            raise ValueError("the checksum of a chunk")
        if codec == 1:
            out = ctypes.create_string_buffer(size)
            if zstd.ZSTD_decompress(out, ctypes.c_size_t(size), payload, ctypes.c_size_t(stored)) != size:
                raise ValueError("the frame of a chunk")
            payload = out.raw
        p, events = Payload(payload), Events()
        while p.at < len(payload):
            if payload[p.at] & 0x80:
                yield events.event(p) | {"record": "event", "id": count}
                count += 1
            else:
                yield p.record() | {"next": count}


def dumped_event(e):
    """The members of an event as `refcl trace dump` prints them, from one that was read."""
    kind, order, scope, effective, flags, attributes = e["shape"][:6]
    out = {"id": e["id"], "command": e["command"], "index": e["index"], "kind": NUMBERS["kind of an event"][kind]}
    if e["allocation"]:
        out |= {"allocation": e["allocation"], "offset": e["offset"], "size": e["size"], "atomic": bool(attributes & 1)}
    out |= {"order": NUMBERS["order"][order]} if order else {}
    out |= {"scope": NUMBERS["scope"][scope]} if scope else {}
    out |= {"effective_scope": NUMBERS["scope"][effective]} if effective else {}
    out |= {"fence_flags": flags} if flags else {}
    return out


def matches(read_event, dumped, sources):
    actual = dumped_event(read_event)
    source = sources.get(read_event["source"])
    if source:
        actual |= {"line": source["line"], "column": source["column"], "file": source["file"]}
    for value in ("value_read", "value_written"):
        if value in dumped:
            actual[value] = hex(read_event[value])
    for name in ("site", "instance"):
        if name in dumped:
            actual[name] = read_event[name]
    return actual == {k: v for k, v in dumped.items() if k not in ("agent", "location", "function", "opcode", "copy")}


def compare(name, path):
    """Returns the types of records that the trace has."""
    sources, defined, late, events, edges, findings = {}, {"allocation": {0}, "source": {0}, "command": {0}}, [], [], [], []
    last, types = {}, set()
    for record in read(path):
        last = record
        if record is None:
            continue
        kind = record["record"]
        types.add(kind)
        if kind == "event":
            events.append(record)
            late += [(record["id"], k, record[k]) for k in defined if record[k] not in defined[k]]
        elif kind in defined:
            defined[kind].add(record["id"])
            if kind == "source":
                sources[record["id"]] = record
        elif kind == "edge":
            edges.append(record)
        elif kind == "finding":
            findings.append(record)
    check(name + ": the trace is complete", last is None)
    check(name + ": ids are defined before they are used", not late, late[:5])
    check(name + ": edges come before their targets",
          all(e["to"] == e["next"] and e["from"] < e["to"] for e in edges if e["kind"] < 15), edges[:5])
    if types & {"program", "content", "replay"}:  # the dump re-executes them
        return types
    dump = subprocess.run([REFCL, "trace", "dump", "--format", "json", path], capture_output=True, text=True, check=True)
    dump = json.loads(dump.stdout)
    wrong = [(e, d) for e, d in zip(events, dump["events"]) if not matches(e, d, sources)]
    check(name + ": the events", len(events) == len(dump["events"]) and len(events) > 20 and not wrong, wrong[:2])
    actual = [{"from": e["from"], "to": e["to"], "kind": NUMBERS["kind of an edge"][e["kind"]]} for e in edges]
    check(name + ": the edges", actual == dump["edges"] and len(actual) > 2, (actual[:3], dump["edges"][:3]))
    check(name + ": the findings", [f["source"] for f in findings] == [f["source"] for f in dump["findings"]])
    return types


def main():
    types = set()
    client = [os.path.join(BUILD, "tests/clients/racy_histogram"), "tests/clients/racy_histogram.cl"]
    kernel = [REFCL, "kernel", "tests/races/kernels/stencils/antidiagonals.cl"]
    with open("tests/races/kernels/stencils/antidiagonals.cl", encoding="utf-8") as file:
        kernel += re.search(r"^// run: (.*)$", file.read(), re.M).group(1).split()
    with tempfile.TemporaryDirectory() as folder:
        for name, words, more in (
                ("client", [REFCL, "run", "-q", "--", *client], {}),
                ("recorded", client, {}),
                ("kernel", kernel, {"REFCL_SCHEDULE": "fair"}),
                ("terms", kernel, {"REFCL_PREDICT": "1"}),
                ("compiled", kernel, {"REFCL_ENGINE": "jit"})):
            path = os.path.join(folder, name)
            subprocess.run(words, env=on_refcl(**{**more, "REFCL_TRACE": path}), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=600)
            types |= compare(name, path)
    check("every type of record occurs but findings and retired events, which files do not have",
          types >= {row[0] for row in RECORDS.values()} - {"finding", "retired"} | {"event"}, sorted(types))
    return done()


sys.exit(main())
