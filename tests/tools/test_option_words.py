#!/usr/bin/env python3
"""Values of options that are words of a list: for a misspelt one, the message suggests the right one, with a
caret below it.  The options and their words are those of `refcl COMMAND --help`, like in shell completion."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../../tools/man")]
sys.dont_write_bytecode = True
import tap
from built import PATIENCE, REFCL
from tap import check

os.environ["REFCL"] = REFCL
import completion  # noqa: E402

# Options whose help lists words before others that are possible, too, and those that refcl-litmus-run reads, with a plan.
OPEN = {("explore", "progress"), ("litmus run", "knob"), ("litmus gen", "shapes"), ("kernel", "only"), ("run", "only")}
# Arguments of --arg: the misspelt word, and what is meant.
ARGUMENTS = [
    ("bfu:4", "bfu", "buf"), ("x=imge:2d:4x4", "imge", "image"), ("smapler:none", "smapler", "sampler"), ("buf:2:iotta", "iotta", "iota"), ("buf:4:zro", "zro", "zero"),
    ("svm:4:flil=3", "flil", "fill"), ("buf:4:bleow=3", "bleow", "below"), ("buf:4:iota:read_olny", "read_olny", "read_only"),
    ("image:2d_aray:4x4x2", "2d_aray", "2d_array"), ("image:2d:4x4:rgba8uii", "rgba8uii", "rgba8ui"), ("image:2d:4x4:rgb32f", "rgb32f", "rgba32f"),
    ("image:2d:4x4:rgba8:iotta", "iotta", "iota"), ("sampler:claamp", "claamp", "clamp"), ("sampler:none:linaer", "linaer", "linear"),
]
# ... and errors that no word is near to: the character.
PLACES = [("buf:4:", 6), ("buf:0", 5), ("{1, 2, x}", 7), ("image:2d:4xq:rgba8", 11), ("buf:4:fill=q", 11), ("local:x", 6), ("x=buf:8:zero,", 12)]


def run(*words):
    done = subprocess.run([REFCL, *words], capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stderr


def caret(errors, option, value, at):
    """A line with the option and its value, and below it a caret at the character AT of the value."""
    lines = errors.splitlines()
    for line, below in zip(lines, lines[1:]):
        head = f"--{option} {value}"
        if line.strip() == head:
            return below.strip() == "^" and below.index("^") == line.index(head) + len(option) + 3 + at
    return False


def misspelt(word):
    return word[0] + word[0] + word[1:]


def main():
    if not os.path.exists(REFCL):
        tap.skip_all("%s is not built" % REFCL)
    tried = 0
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        path = os.path.join(folder, "k.cl")
        with open(path, "w") as f:
            f.write("kernel void k(global int *x) { x[get_global_id(0)] = 1; }")
        for command, _, rows in completion.tables():
            for _, option, argument, _, words, is_file in rows:
                if is_file or len(words) < 2 or (argument or "").endswith("SPEC") or (command, option) in OPEN:
                    continue
                for before in ["", words[0] + ","] if argument == "LIST" else [""]:
                    value = before + misspelt(words[-1])
                    code, errors = run(*command.split(), "--" + option, value, *(["--shapes", "MP"] if command == "litmus gen" else [path]))
                    good = code == 2 and f"did you mean {words[-1]}?" in errors and caret(errors, option, value, len(before))
                    check(f"{command} --{option} {value}", good, errors)
                    tried += 1
        check("options with words were found", tried >= 15, tried)
        for kind in "race", "out-of-bounds", "uniform-write":
            code, errors = run("kernel", "--only", "memory," + misspelt(kind), path)
            check("--only " + kind, code == 2 and f"did you mean {kind}?" in errors and caret(errors, "only", "memory," + misspelt(kind), 7), errors)
        code, errors = run("litmus", "gen", "--shapes", "MP,IRWI")
        check("litmus gen --shapes", code == 2 and "did you mean IRIW?" in errors and caret(errors, "shapes", "MP,IRWI", 3), errors)
        for command in "kernel", "explore":
            for text, word, meant in ARGUMENTS:
                code, errors = run(command, "--arg", text, path)
                text = text[text.find("=") + 1 if command == "explore" and text.startswith("x=") else 0 :]
                good = code == 2 and f"did you mean {meant}?" in errors and f"'{word}'" in errors and caret(errors, "arg", text, text.index(word))
                check(f"{command} --arg {text}", good, errors)
            for text, at in PLACES:
                code, errors = run(command, "--arg", text, path)
                at -= 2 if command == "explore" and text.startswith("x=") else 0
                text = text[2 if command == "explore" and text.startswith("x=") else 0 :]
                check(f"{command} --arg {text}", code == 2 and "did you mean" not in errors and caret(errors, "arg", text, at), errors)
        code, errors = run("kernel", "--check", "race,m\x1b[31m", path)
        check("control characters are not printed", code == 2 and "\x1b" not in errors, repr(errors))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
