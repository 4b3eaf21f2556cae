#!/usr/bin/python3
"""Shell completion, in the shells themselves: commands, options, their words, files."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(ROOT)
os.environ.setdefault("REFCL", os.path.join(os.environ.get("BUILD", "build"), "refcl"))
sys.path.insert(0, "tools/man")
sys.dont_write_bytecode = True
import generate  # noqa: E402

# words typed -> what is offered, all of it
ALL_COMMANDS = {name.split()[0] for name, _ in generate.commands()}
LITMUS = {name.split()[1] for name, _ in generate.commands() if name.startswith("litmus ")}
CASES = [
    (["refcl", ""], ALL_COMMANDS),
    (["refcl", "litmus", ""], LITMUS),
    (["refcl", "kernel", "--sched"], {"--schedule"}),
    (["refcl", "kernel", "--schedule", ""], {"sequential", "random", "fair"}),
    (["refcl", "kernel", "--arg", ""], {"buf:", "svm:", "local:", "image:", "sampler", "pipe:", "null", "zero", "iota", "fill=", "rand=",
                                        "below=", "file=", "out=", "read_only", "write_only", "levels="}),
    (["refcl", "kernel", "-q", "--json", "LICEN"], {"LICENSE"}),
    (["refcl", "litmus", "check", "--eng"], {"--engine"}),
    (["refcl", "kernel", "--eng"], set()),
]
BASH = """source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _refcl; printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "source $argv[1]; complete -C (string join -- ' ' $argv[2..-1])"
# The functions of zsh's completion system print what they are given.
ZSH = r"""script=$1; shift
_describe() { print -rl -- ${${(P)2}%%:*} }
_arguments() {
    local spec
    for spec in "$@"; do
        if [[ $words[CURRENT] = --* ]]; then
            [[ $spec = \*$words[CURRENT]* ]] && print -r -- ${${spec#\*}%%\[*}
        elif [[ $spec = \*$words[CURRENT-1]\[*:\(*\) ]]; then
            print -rl -- ${=${${spec##*:\(}%\)}}
        elif [[ $spec = \*$words[CURRENT-1]\[*:_files ]]; then
            print -rl -- $words[CURRENT]*
        fi
    done
}
words=("$@"); CURRENT=$#words
source $script
"""
number = 0


def ok(good, name):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")


def offered(shell, script, words):
    if shell == "bash":
        command = ["bash", "--norc", "-c", BASH, "bash", script, *words]
    elif shell == "fish":
        command = ["fish", "--no-config", "-c", FISH, script, *words]
    else:
        command = ["zsh", "-f", "-c", ZSH, "zsh", script, *words]
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(os.environ["REFCL"])) + ":" + os.environ["PATH"])
    r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    lines = {line.split("\t")[0] for line in r.stdout.splitlines() if line.strip()}
    return lines, r.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        for shell in ("bash", "zsh", "fish"):
            script = os.path.join(folder, "refcl." + shell)
            with open(script, "w", encoding="utf-8") as out:
                subprocess.run(["/usr/bin/python3", "tools/man/completion.py", shell], check=True, stdout=out)
            for words, expected in CASES:
                lines, errors = offered(shell, script, words)
                ok(lines == expected and not errors, f"{shell}: {' '.join(words)}")
                if lines != expected or errors:
                    print(f"# {sorted(lines)}\n# {errors}")
            text = open(script, encoding="utf-8").read()
            missing = [(c, o[1]) for c, _ in generate.commands() for o in generate.options(c) if o[1] not in text]
            ok(not missing, f"{shell}: has each option")
    print(f"1..{number}")


main()
