"""Positions of findings: the `at` lines of a program with a verdict list the findings, separated by `;` or on
several lines.

    // at: 8 write, 11 read, different groups; fair: barrier-divergence 15

Each has the lines of its accesses with their kinds, in the order of lines, and the relation of the two
agents.  In host programs the line of a command is that of its call; lines of kernels follow the kernel's
name; accesses of a launch before the kernel runs are at its start.  In front may stand the schedule under
which it is found (default: both) and its kind (default: that of `expect`)."""
import os
import re

SUB_GROUP = 32  # work-items of a sub-group


def _agent(access):
    copy = access["agent"].startswith("the asynchronous copy")
    return "copy" if copy else "command" if access["work_item"] is None and access.get("command") else \
        "host" if access["work_item"] is None else "work-item"


def relation(accesses):
    """The relation of the agents of two accesses, as precisely as the report states it."""
    if len(accesses) < 2:
        return ""
    a, b = accesses[:2]
    agents = sorted((_agent(a), _agent(b)))
    if agents != ["work-item", "work-item"]:
        groups = a.get("work_group"), b.get("work_group")
        return " and ".join(agents) + ("" if None in groups else " in one group" if groups[0] == groups[1] else " in two groups")
    if a["command"] != b["command"]:
        return "different kernels"
    if a["work_group"] != b["work_group"]:
        return "different groups"
    if a["local_id"][0] // SUB_GROUP != b["local_id"][0] // SUB_GROUP:
        return "different sub-groups"
    return "same group"


def place(finding, path):
    """(kind, accesses in the order of lines, relation); lines of other files have the name of the file."""
    parts = []
    for access in finding["accesses"]:
        kernel = access.get("kernel") if path.endswith(".c") else None
        at = access if access["line"] else access.get("enqueued", access)
        name = kernel or os.path.basename(at["file"])
        line = "%d" % at["line"] if name in ("", os.path.basename(path)) else "%s:%d" % (name, at["line"])
        line = kernel + ":start" if kernel and not access["line"] else line
        parts.append((at["line"], line if access["kind"] == "access" else line + " " + access["kind"]))
    return finding["kind"], ", ".join(text for _, text in sorted(parts)), relation(finding["accesses"])


def expected(wanted, schedule):
    """{(kind, accesses): relations} of the findings under SCHEDULE."""
    found = {}
    for text in wanted["at"].split(";"):
        match = re.fullmatch(r"(?:(sequential|fair): )?(?:([a-z-]+) )?(.*?)(?:, ([a-z][a-z -]*))?", text.strip())
        when, kind, accesses, relations = match.groups()
        if when in (None, schedule):
            found[kind or wanted["expect"], accesses] = relations.split(" or ") if relations else [""]
    return found


def misplaced(findings, wanted, schedule, path, exact=True):
    """The first finding at another position than expected, or the missing ones; None: no difference.  Unless
    EXACT (threads of a host are not deterministic), one finding of the kind of `expect` is enough."""
    left = expected(wanted, schedule)
    seen = set()
    for finding in findings:
        kind, accesses, how = place(finding, path)
        if how not in left.get((kind, accesses), []):
            return "found %s at %s, %s" % (kind, accesses, how)
        seen.add((kind, accesses))
    missing = set(left) - seen if exact or not any(kind == wanted["expect"] for kind, _ in seen) else None
    return "not found: %s" % sorted(missing) if missing else None
