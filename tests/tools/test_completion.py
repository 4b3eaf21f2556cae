#!/usr/bin/python3
"""Shell completion as it is typed: interactive bash and zsh on terminals, and fish's own completion of a
command line.  Commands, each option, the words of options, files."""
import os
import pty
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(ROOT)
os.environ.setdefault("REFCL", os.path.join(os.environ.get("BUILD", "build"), "refcl"))
sys.path[:0] = ["tools/man", "tests/lib"]
sys.dont_write_bytecode = True
import generate  # noqa: E402
from built import WITHOUT_PRELOAD  # noqa: E402

ALL_COMMANDS = {name.split()[0] for name, _ in generate.commands()}
GROUPS = {first: {name.split()[1] for name, _ in generate.commands() if name.startswith(first + " ")} for first in ("litmus", "results", "trace")}
CHECKS = {"race", "memory", "api", "uninitialized", "possible", "needless", "all", "none"}
CONTENTS = {"zero", "iota", "fill=", "rand=", "below="}
SPECIFICATION = CONTENTS | {"buf:", "svm:", "local:", "image:", "sampler", "pipe:", "null", "file=", "out=", "read_only", "write_only", "as=", "levels="}
SHAPES = set("MP SB LB S R 2+2W CoRR CoRW WRC ISA2 RWC 3SB 3LB IRIW BWR".split())
KNOBS = {k + "=" for k in "stride scatter split lanes rotate shuffle align before stress_every stress_times stress_pattern stress_lines".split()}
# typed text -> all completions
CASES = [
    ("refcl ", ALL_COMMANDS),
    *((f"refcl {first} ", second) for first, second in GROUPS.items()),
    ("refcl help lit", {"litmus"}),
    ("refcl kernel --sched", {"--schedule"}),
    ("refcl kernel --eng", set()),
    ("refcl kernel -q --json LICEN", {"LICENSE"}),
    ("refcl kernel LICEN", {"LICENSE"}),
    ("refcl litmus check LICEN", {"LICENSE"}),
    ("refcl kernel -j LICEN", {"LICENSE"}),
    ("refcl kernel --json=LICEN", {"LICENSE"}),
    ("refcl kernel --arg buf:64:", SPECIFICATION),
    ("refcl kernel --arg buf:64:io", {"iota"}),
    ("refcl kernel -a in=buf:64:fi", {"fill=", "file="}),
    ("refcl kernel --arg buf:64:file=LICEN", {"LICENSE"}),
    ("refcl run --check race,unin", {"uninitialized"}),
    ("refcl run --check=race,unin", {"uninitialized"}),
    ("refcl run --only out", {"out-of-bounds"}),
    ("refcl run --only data-race,uninitialized-", {"uninitialized-read"}),
    ("refcl run --schedule=f", {"fair"}),
]
# an option of a command -> its words, all of them
VALUES = [
    ("run --check", CHECKS), ("kernel -c", CHECKS), ("run --schedule", {"sequential", "random", "fair"}),
    ("kernel --memory", {"strong", "weak"}), ("run --uniform-writes", {"ignore", "report"}), ("kernel --arg", SPECIFICATION),
    ("explore --arg", CONTENTS | {"any", "any:", "buf:", "svm:", "local:", "null", "sampler", "file="}),
    ("explore --engine", {"search", "z3", "both", "auto"}), ("litmus check -e", {"search", "z3", "both"}),
    ("explore --progress", {"fair", "hsa", "obe", "lobe", "unfair"}), ("trace dump --format", {"text", "json", "dot"}),
    ("litmus plan --mapping", {"plain", "clspv", "families"}), ("litmus run --cl-std", {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "CL3.1"}),
    ("litmus run --knob", KNOBS), ("litmus translate --to", {"vulkan"}), ("litmus gen --shapes", SHAPES),
    ("litmus gen --places", {"dev", "wg", "sg", "split"}), ("litmus gen --scopes", {"sg", "wg", "dev", "all"}),
    ("litmus gen --data", {"atomic", "plain"}), ("litmus gen --flags", {"g", "l", "gl"}), ("litmus gen --orders", {"sc", "ar", "rlx"}),
    ("run --seed", set()), ("explore --bound", set()),
]
BASH = r"""source "$SCRIPT"
bind '"\C-xi": insert-completions'
line_out() { printf '%s' "$READLINE_LINE" >"$ANSWER"; READLINE_LINE= READLINE_POINT=0; }
bind -x '"\C-xd": line_out'
"""
ZSH = r"""fpath=($FOLDER $fpath)
autoload -Uz compinit && compinit -u -D
zstyle ':completion:*' completer _all_matches _complete
zstyle ':completion:*' insert true
zle -C all-matches complete-word _generic
bindkey '^Xi' all-matches
line-out() { print -rn -- "$BUFFER" >"$ANSWER"; BUFFER=; }
zle -N line-out
bindkey '^Xd' line-out
"""
FISH = r"""source $argv[1]
for line in $argv[2..-1]
    set -l found (complete -C "$line" | string replace -r '\t.*' '')
    echo "$found"
end
"""
number = 0


def ok(good, name, found=None):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not good and found is not None:
        print(f"# {sorted(found)}")


class Terminal:
    """An interactive shell.  Its answers come through a FIFO; a shell that has ended answers nothing."""
    def __init__(self, command, folder, environment):
        self.answer = os.path.join(folder, "answer")
        os.mkfifo(self.answer)
        self.closed = False
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.execvpe(command[0], command, dict(environment, ANSWER=self.answer))
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        self.shown = b""
        try:
            while data := os.read(self.fd, 4096):
                self.shown += data
        except OSError:
            pass
        if not self.closed:
            with open(self.answer, "w", encoding="utf-8"):
                pass

    def complete(self, line):
        """The command line with all completions of LINE in it."""
        os.write(self.fd, line.encode() + b"\x18i\x18d")
        with open(self.answer, encoding="utf-8") as file:
            return file.read()

    def close(self):
        self.closed = True
        os.write(self.fd, b"\x15exit\n")
        os.waitpid(self.child, 0)


def start(shell, script, folder, environment):
    if shell == "bash":
        with open(os.path.join(folder, "bashrc"), "w", encoding="utf-8") as file:
            file.write(BASH)
        return Terminal(["bash", "--noprofile", "--rcfile", file.name, "-i"], folder, dict(environment, SCRIPT=script))
    os.symlink(script, os.path.join(folder, "_refcl"))
    with open(os.path.join(folder, ".zshrc"), "w", encoding="utf-8") as file:
        file.write(ZSH)
    return Terminal(["zsh", "-d", "-i"], folder, dict(environment, ZDOTDIR=folder, FOLDER=folder))


def last_part(word):
    """The part of a word with a list or a specification that was completed."""
    while len(parts := word.lstrip(",:=")) != len(word):
        word = parts
    at = max(word[:-1].rfind(c) for c in ",:=")
    return word[at + 1:]


def offered(line, answer):
    """The completions in ANSWER, without the text before them in LINE."""
    kept = line[:max(line.rfind(c) for c in " ,:=") + 1]
    if not answer.startswith(line[:line.rfind(" ") + 1]):
        return {"?", answer}
    if answer.rstrip() == line.rstrip():
        return set()
    rest = answer[len(kept):] if answer.startswith(kept) else answer[line.rfind(" ") + 1:]
    return {last_part(word.rstrip(",")) for word in rest.replace("\\", "").split()} # zsh adds a comma, which the next key may remove


def each_answer(shell, script, folder, lines):
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(os.environ["REFCL"])) + ":" + os.environ["PATH"], TERM="dumb")
    if shell == "fish":
        r = subprocess.run([*WITHOUT_PRELOAD, "fish", "--no-config", "-c", FISH, script, *lines], stdout=subprocess.PIPE, text=True, env=environment, check=True)
        for line, found in zip(lines, r.stdout.split("\n"), strict=False):
            yield {last_part(word) for word in found.split()}
        return
    terminal = start(shell, script, folder, environment)
    for line in lines:
        yield offered(line, terminal.complete(line))
    terminal.close()


def cases():
    yield from CASES
    for option, words in VALUES:
        yield f"refcl {option} ", words
    for command, _ in generate.commands():
        if command != "xref":  # also a group
            yield f"refcl {command} --", {"--" + row[1] for row in generate.options(command)}


def main():
    for shell in ("bash", "zsh", "fish"):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "refcl." + shell)
            with open(script, "w", encoding="utf-8") as out:
                subprocess.run(["/usr/bin/python3", "tools/man/completion.py", shell], check=True, stdout=out)
            rows = list(cases())
            for (line, expected), found in zip(rows, each_answer(shell, script, folder, [line for line, _ in rows]), strict=True):
                found = {word.rstrip("=") if word.startswith("--") else word for word in found}
                ok(found == expected, f"{shell}: {line}", found)
    print(f"1..{number}")


main()
