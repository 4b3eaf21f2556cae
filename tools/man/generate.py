#!/usr/bin/python3
"""Writes the generated parts of the man pages (between BEGIN and END comments) from the option tables, as
`refcl COMMAND --help` prints them.  --check: writes nothing, and lists the pages that are not current.
REFCL: the command to ask."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REFCL = os.environ.get("REFCL", "build/refcl")
RUNNER = "refcl-litmus-run"  # a separate program, beside REFCL
GROUPS = {"litmus": "decide, generate, run and judge litmus tests",
          "results": "keep results of many devices and drivers, and compare them", "trace": "inspect recorded traces"}
COMMAND = re.compile(r"^  (\w[\w-]*(?: \w+)?) {2,}(\S.*)$")
OPTION = re.compile(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))? {2,}(.*?)(?: \[(REFCL_\w+)\])?$")


def help_of(*words):
    program = [os.path.join(os.path.dirname(REFCL), RUNNER)] if words == (RUNNER,) else [REFCL, *words]
    return subprocess.run([*program, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def commands():
    """[(name, summary)] in the order of `refcl --help`."""
    return [m.groups() for m in map(COMMAND.match, help_of()) if m]


def options(command):
    """[(letter, name, argument, help, environment)]"""
    lines = help_of(*command.split())
    start = lines.index("options:")
    return [m.groups() for m in map(OPTION.match, lines[start:]) if m]


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def full_name(command):
    return command if command == RUNNER else "refcl " + command


def synopsis(command):
    words = help_of(*command.split())[0].removeprefix(f"usage: {full_name(command)} [options]").split()
    shown = " ".join(("\\-\\-" if w == "--" else f"\\fI{roff(w)}\\fR") for w in words)
    return f".B {roff(full_name(command))}\n[\\fIoptions\\fR]{' ' * bool(shown)}{shown}\n"


def head(page, names):
    summary = help_of(RUNNER)[1] if page == RUNNER else GROUPS.get(page) or dict(commands())[page]
    name = roff(full_name(page).replace(" ", "-"))
    return (f'.TH {name.upper()} 1 "" "refcl" "refcl"\n.SH NAME\n{name} \\- {roff(summary)}\n'
            ".SH SYNOPSIS\n" + ".br\n".join(synopsis(n) for n in names))


def option_list(names):
    text = ".SH OPTIONS\n"
    for name in names:
        if len(names) > 1:
            text += f".SS refcl {roff(name)}\n"
        for letter, option, argument, words, variable in options(name):
            short = f"\\fB\\-{letter}\\fR, " if letter else ""
            value = f" \\fI{roff(argument)}\\fR" if argument else ""
            text += f".TP\n{short}\\fB\\-\\-{roff(option)}\\fR{value}\n{roff(words)}\n"
            if variable:
                text += f".br\nEnvironment: {variable}\n"
    return text


def overview_synopsis(all_commands):
    return ".br\n".join(synopsis(name) for name, _ in all_commands)


def command_list(all_commands):
    text = ""
    for name, summary in all_commands:
        text += f".TP\n.B {roff(name)}\n{roff(summary)};\n.BR refcl\\-{roff(name.split()[0])} (1)\n"
    return text


def parts():
    """{page: {part: text}}"""
    all_commands = commands()
    pages = {"refcl": {"synopsis": overview_synopsis(all_commands), "commands": command_list(all_commands)}}
    for page in dict.fromkeys(name.split()[0] for name, _ in all_commands):
        names = [name for name, _ in all_commands if name.split()[0] == page]
        names.sort(key=lambda name: name != page)  # `refcl xref` before `refcl xref check`
        pages["refcl-" + page] = {"head": head(page, names), "options": option_list(names)}
    pages[RUNNER] = {"head": head(RUNNER, [RUNNER]), "options": option_list([RUNNER])}
    return pages


def main():
    stale = []
    for page, texts in parts().items():
        path = os.path.join(HERE, page + ".1")
        with open(path, encoding="utf-8") as file:
            old = new = file.read()
        for part, text in texts.items():
            block = re.compile(rf'(\.\\" BEGIN {part}\b[^\n]*\n).*?(\.\\" END {part}\n)', re.S)
            if len(block.findall(new)) != 1:
                sys.exit(f"{path}: no part '{part}'")
            new = block.sub(lambda m, text=text: m.group(1) + text + m.group(2), new)
        if new != old:
            stale.append(path)
            if "--check" not in sys.argv:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(new)
    for path in stale:
        print(("not current: " if "--check" in sys.argv else "wrote ") + path)
    return bool(stale) and "--check" in sys.argv


if __name__ == "__main__":
    sys.exit(main())
