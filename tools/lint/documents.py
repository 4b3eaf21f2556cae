#!/usr/bin/python3
"""Checks references between sources and documents:

- `docs/NAME.md#section` in a source or document: the document is in the file's folder or one above it, and has the section;
- links of documents: the file exists and has the section;
- a link whose text is a function, [`name()`](FILE): FILE defines that function;
- names of source files in documents, and of source files and documents in comments: the files exist;
- identifiers with a prefix of the project, such as `mm_alloc()` or `MM_READ`, in documents: some source has them; `mm_rel_`: some
  source has an identifier that begins so;
- no document is empty."""
import bisect
import glob
import os
import re
import subprocess
import sys

CODE = re.compile(r"\.(c|h|cpp|hpp|inc|def|py|sh|cat)$|(^|/)Makefile$")
CITATION = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*docs/[\w-]+\.md)(?:#([\w-]+))?")
LINK = re.compile(r"(?<!\w)\[([^\]]*)\]\(([^)\s#]*)(?:#([\w-]+))?\)")
FUNCTION = re.compile(r"^`(\w+)\(\)`$")
FILE = re.compile(r"`([\w./*-]*(?:\{[\w,./*-]+\}[\w./*-]*)*\.(?:c|h|cpp|hpp|inc|def|py|sh|\{[a-z,]+\}))`")
PATH = re.compile(r"(?<![\w<>/`.(*-])((?:[\w-]+/)+[\w-]+\.(?:c|h|cpp|hpp|inc|def|py|sh))\b")
CODE_SPAN = re.compile(r"`[^`\n]+`")
IDENTIFIER = re.compile(r"(?<![\w.-])(?:(?:cat|ck|ex|fp|hc|in|lt|ly|mm|pv|rt|sx|xr|zx)_[a-z]|(?:CAT|CK|HC|IN|LT|MM|RT|SX)_[A-Z])\w+(?![\w*])")
PLACEHOLDER = re.compile(r"NAME|FAMILY|TYPE|clName|OpName")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)  # or a string, which may hold one
SCRIPT_COMMENT = re.compile(r'(?<!\S)# [^\n]*|^"""(?s:.*?)"""', re.M)
COMMENT_FILE = re.compile(r"(?<![\w<>/.*$%}-])([\w-]+(?:/[\w-]+)*\.(?:c|h|cpp|hpp|inc|def|py|sh|md))\b")
ABSENT = {  # what comments name that is not in the repository
    "CL/opencl.hpp": "header of the package opencl-clhpp-headers",
    "boost/compute.hpp": "header of the package libboost-dev",
    "opencl-c.h": "header of Clang",
    "viennacl/vector.hpp": "header of the package libviennacl-dev",
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sections(path, known={}):
    """The anchors of the headings of the document PATH, as code hosts make them."""
    if path not in known:
        text = re.sub(r"^```.*?^```", "", read(path), flags=re.M | re.S)
        headings = re.findall(r"^#+ +(.*?)\s*$", text, re.M)
        known[path] = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
    return known[path]


def parents(name):
    while name:
        name = os.path.dirname(name)
        yield name


def expand(name):
    """The names of a pattern with {a,b}."""
    m = re.search(r"\{([^{}]*)\}", name)
    return [name] if not m else [x for part in m.group(1).split(",") for x in expand(name[: m.start()] + part + name[m.end() :])]


def defines(path, function):
    """True if a definition of FUNCTION begins at the start of a line of PATH, or a macro that defines it does."""
    for m in re.finditer(rf"^[A-Za-z_][^\n;{{}}=]*\b{function}\(", read(path), re.M):
        rest = read(path)[m.end() :]
        depth, end = 1, 0
        while depth and end < len(rest):
            depth += {"(": 1, ")": -1}.get(rest[end], 0)
            end += 1
        if re.match(r"\s*\{", rest[end:]):
            return True
    return False


def check_citation(name, path, section):
    found = [os.path.join(p, path) for p in parents(name) if os.path.isfile(os.path.join(p, path))]
    if not found:
        return f"there is no {path} in this folder or above it"
    if section and section not in sections(found[0]):
        return f"{found[0]} has no section '{section}'"
    return None


def check_link(name, text, path, section):
    target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
    if not os.path.exists(target):
        return f"there is no {target}"
    if section and target.endswith(".md") and section not in sections(target):
        return f"{target} has no section '{section}'"
    function = FUNCTION.match(text)
    if function and not defines(target, function.group(1)):
        return f"{target} does not define {function.group(1)}()"
    return None


def check_file(name, pattern, listed):
    """Names are relative to a folder that the document is in, or of a file below the folder that it describes."""
    base = os.path.dirname(name)
    if os.path.basename(base) == "docs":
        base = os.path.dirname(base)
    below = "" if base == "tools" else base
    for one in expand(pattern):
        if os.path.basename(one)[0] == "." or "NAME" in one or one.startswith("FOLDER/") or one.startswith("build/"):
            continue
        if any(glob.glob(os.path.join(folder, one)) for folder in [*parents(name), "build/gen"]):
            continue
        tail = re.compile("(^|/)" + re.escape(one).replace(r"\*", "[^/]*") + "$")
        if not any(x.startswith(below) and tail.search(x) for x in listed):
            return f"there is no {one}"
    return None


def identifiers(listed, known=[]):
    """All identifiers of the sources, sorted."""
    if not known:
        words = set()
        for name in listed:
            if CODE.search(name):
                words.update(re.findall(r"[A-Za-z_]\w*", read(name)))
        known.extend(sorted(words))
    return known


def check_identifier(word, listed):
    if PLACEHOLDER.search(word):
        return None
    known = identifiers(listed)
    at = bisect.bisect_left(known, word)
    found = known[at] if at < len(known) else ""
    return None if found == word or word.endswith("_") and found.startswith(word) else f"no source has {word}"


def check_comment(name, path, listed):
    """A name without a folder is that of any file.  Citations of documents are checked as such."""
    if path in ABSENT or CITATION.fullmatch(path) or "/" not in path and any(x.endswith("/" + path) for x in listed):
        return None
    return check_file(name, path, listed)


def complaints(name, listed):
    text = read(name)
    document = name.endswith(".md")
    if document and not text.strip():
        yield 0, "the document is empty"
    for m in CITATION.finditer(text):
        if not document:
            yield m.start(), check_citation(name, m.group(1), m.group(2))
    if document:
        for m in LINK.finditer(text):
            if not re.match(r"[a-z]+:", m.group(2)):
                yield m.start(), check_link(name, m.group(1), m.group(2), m.group(3))
        for m in [*FILE.finditer(text), *PATH.finditer(text)]:
            yield m.start(), check_file(name, m.group(1), listed)
        for span in CODE_SPAN.finditer(text):
            for m in IDENTIFIER.finditer(span.group(0)):
                yield span.start(), check_identifier(m.group(0), listed)
    else:
        for comment in (COMMENT if re.search(r"\.(c|h|cpp|hpp|inc|def)$", name) else SCRIPT_COMMENT).finditer(text):
            for m in COMMENT_FILE.finditer(comment.group(0) if comment.group(0)[0] != '"' or name.endswith(".py") else ""):
                yield comment.start() + m.start(), check_comment(name, m.group(1), listed)


def main():
    out = subprocess.run(["git", "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout
    listed = [name for name in out.split("\n") if name and os.path.isfile(name)]
    bad = 0
    for name in listed:
        if not (CODE.search(name) or name.endswith(".md")) or re.match(r"tools/lint/.*\.py$|tests/tools/test_lint\.sh$", name):
            continue
        for at, why in complaints(name, listed):
            if why:
                bad += 1
                print(f"{name}:{read(name).count(chr(10), 0, at) + 1}: {why}")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
