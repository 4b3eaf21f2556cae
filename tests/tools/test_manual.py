#!/usr/bin/python3
"""The option tables, --help and the manual pages agree; help is available for commands and groups of commands."""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(ROOT)
REFCL = os.environ.setdefault("REFCL", os.path.join(os.environ.get("BUILD", "build"), "refcl"))
sys.path.insert(0, "tools/man")
sys.dont_write_bytecode = True
import generate  # noqa: E402

ROW = re.compile(r'\{\s*"([a-z-]+)",\s*(\'.\'|0),\s*("(?:[^"\\]|\\.)*"|NULL),\s*("REFCL_\w+"|NULL),\s*(TOOL_INTERNAL|")')
TABLES = sorted(glob.glob("tools/cmd/*.c")) + ["tools/session/options.c", "tools/compile_cl.c", "tools/explore/options.c"]
number = 0


def ok(good, name):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")


def run(*words):
    r = subprocess.run([REFCL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return r.returncode, r.stdout, r.stderr


def source_options():
    """{name of the option: [file, is it internal, letter, argument]} of the tables in the sources."""
    for path in TABLES:
        with open(path, encoding="utf-8") as file:
            for m in ROW.finditer(file.read().replace("\\\n", "")):
                yield path, m.group(1), m.group(2), m.group(3), m.group(4), m.group(5) == "TOOL_INTERNAL"


def main():
    commands = [name for name, _ in generate.commands()]
    externs = re.findall(r"cmd_(\w+);", open("tools/cmd/commands.h", encoding="utf-8").read())
    ok(sorted(c.replace(" ", "_").replace("-", "_") for c in commands) == sorted(externs), "--help lists every command")

    shown, pages = set(), {}
    for command in commands:
        code, text, _ = run(*command.split(), "--help")
        same = all(run(*words) == (code, text, "") for words in ((*command.split(), "-h"), ("help", *command.split())))
        ok(code == 0 and same and text.startswith(f"usage: refcl {command} "), f"{command}: --help, -h and help agree")
        page = pages.setdefault("refcl-" + command.split()[0], set())
        lines = text[text.index("options:\n") + 9 :].split("\n\n")[0].splitlines()
        found = generate.options(command)
        ok(len(found) == len(lines), f"{command}: each line of --help is an option")
        shown |= {(letter, name, argument, variable) for letter, name, argument, _, variable in found}
        page |= {(letter, name) for letter, name, *_ in found}

    runner = generate.options(generate.RUNNER)
    pages[generate.RUNNER] = {(letter, name) for letter, name, *_ in runner}
    lines = generate.help_of(generate.RUNNER)
    ok(lines[lines.index("options:") + 1 :].index("") == len(runner) > 20, "refcl-litmus-run: each line of --help is an option")

    options = {}
    for _, name, argument, variable in shown | {(letter, name, argument, v) for letter, name, argument, _, v in runner}:
        options.setdefault(variable, set()).add((name, argument is None))
    for variable in sorted(v for v in options if v):
        ok(len(options[variable]) == 1, f"{variable} is the variable of one option")

    count = 0
    for path, name, letter, argument, variable, internal in source_options():
        count += 1
        row = (letter[1] if letter != "0" else None, name, argument.strip('"') if argument != "NULL" else None,
               variable.strip('"') if variable != "NULL" else None)
        ok((row in shown) != internal, f"{path}: --{name} is {'hidden' if internal else 'shown'}")
    ok(count > 100, "the tables were found")

    for page, wanted in pages.items():
        with open(f"tools/man/{page}.1", encoding="utf-8") as file:
            text = file.read()
        listed = {(m.group(1), m.group(2).replace("\\", "")) for m in
                  re.finditer(r"^\.TP\n(?:\\fB\\-(\w)\\fR, )?\\fB\\-\\-([\w\\-]+)\\fR", text, re.M)}
        ok(listed == wanted, f"{page}(1) has the options of --help")
        internal = {name for _, name, *_, hidden in source_options() if hidden}
        ok(not any(f"\\-\\-{name.replace('-', chr(92) + '-')}" in text for name in internal), f"{page}(1) has no internal option")
    have = {os.path.basename(p)[:-2] for p in glob.glob("tools/man/*.1")}
    ok(have == set(pages) | {"refcl"}, "one page for each command or group")
    check = subprocess.run([sys.executable, "-B", "tools/man/generate.py", "--check"], stdout=subprocess.PIPE, text=True)
    ok(check.returncode == 0, "the committed pages are current (make man) " + check.stdout.strip())

    groups = sorted({c.split()[0] for c in commands if " " in c})
    ok({"litmus", "results", "trace", "xref"} <= set(groups), "groups of commands")
    for group in groups:
        code, text, _ = run(group, "--help")
        ok(code == 0 and all(c in text for c in commands if c.startswith(group + " ")), f"{group} --help lists its commands")
        ok(run("help", group) == run(group, "-h") == (code, text, ""), f"{group}: --help, -h and help agree")
    for group in [group for group in groups if group not in commands]:
        code, out, err = run(group)
        ok(code == 2 and not out and err.startswith(f"usage: refcl {group} COMMAND"), f"{group} alone is a usage error")
    code, _, err = run("litmus", "frobnicate")
    ok(code == 2 and "no command 'litmus frobnicate'" in err and "litmus judge" in err, "an unknown command of a group")
    code, _, err = run("help", "frobnicate")
    ok(code == 2 and "no command 'frobnicate" in err, "help for an unknown command")
    ok(run("-h") == run("--help") == run("help"), "-h, --help and help")

    if shutil.which("groff"):
        for path in sorted(glob.glob("tools/man/*.1")):
            r = subprocess.run(["env", "-u", "LD_PRELOAD", "groff", "-man", "-Tutf8", "-ww", path], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
            ok(r.returncode == 0 and not r.stderr, f"{path} is formatted without warnings {r.stderr[:100].strip()}")
    else:
        ok(True, "# SKIP no groff")
    print(f"1..{number}")


main()
