#!/usr/bin/python3
"""Shell completion from the option tables, as `refcl COMMAND --help` prints them.
completion.py bash|zsh|fish writes the script for that shell to standard output.  REFCL: the command to ask."""
import functools
import os
import re
import subprocess
import sys

import generate

FILES = {"FILE", "OUT", "LIB", "DIR", "FOLDER", "PATH"}
CHOICE = re.compile(r"(?:^|: )((?:[\w-]+, )*[\w-]+,? or [\w-]+)(?= \(|:|$)|(?:: )((?:[\w-]+, )+[\w-]+)(?=; or )|(?:: )((?:[\w+]+ )+)\.\.\.$")
NO_WORDS = {"N", "S", "R", "I", "A..B", "K/N"}
HERE = os.path.dirname(os.path.abspath(__file__))


def knobs():
    runner = os.path.join(os.path.dirname(generate.REFCL), generate.RUNNER)
    table = subprocess.run([runner, "--knobs"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [line.split()[0] + "=" for line in table[1:]]


def finding_words():
    with open(os.path.join(HERE, "../../checker/race/kind.def"), encoding="utf-8") as file:
        return ["race", "memory", "api", *re.findall(r'^CK_KIND\("([^"]+)"', file.read(), re.M)]


@functools.lru_cache
def other_words():
    """The values of options whose help does not list them."""
    return {"only": finding_words(), "knob": knobs(), "to": ["vulkan"],
            "cl-std": ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "CL3.1"]}


def words_of(option, argument, text):
    """The values that an option lists in its help: "order: sequential, random or fair"; of a specification,
    its kinds and the words for contents: "buf:N, sampler; memory with :zero, fill=V"."""
    if argument and argument.endswith("SPEC"):
        words = re.findall(r"(?<=[ :|])[a-z]+(?:_[a-z]+)*[:=]?(?=[A-Z,|\]]|$)", " " + text.partition(": ")[2])
        return list(dict.fromkeys(words))
    if argument and re.fullmatch(r"[a-z]+(\|[a-z]+)+", argument):
        return argument.split("|")
    if argument and option in other_words():
        return other_words()[option]
    found = CHOICE.search(text) if argument and argument not in NO_WORDS else None
    return re.split(r",? or |, | ", next(filter(None, found.groups())).strip()) if found else []


def tables():
    """[(command, summary, [(letter, name, argument, help, words, whether a file)])]"""
    for name, summary in generate.commands():
        rows = []
        for letter, option, argument, text, _ in generate.options(name):
            is_file = bool(argument) and bool(FILES & set(re.split(r"[^A-Z]", argument)))
            rows.append((letter or "", option, argument, text, words_of(option, argument, text), is_file))
        yield name, summary, rows


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def forms(row):
    return ["--" + row[1]] + (["-" + row[0]] if row[0] else [])


def is_list(row):
    return bool(row[4]) and row[2] == "LIST"


def is_specification(row):
    return bool(row[4]) and row[2].endswith("SPEC")


def bash(commands):
    def case(rows):
        return "".join(f"    {pattern}) echo {text} ;;\n" for pattern, text in rows)

    options, values = [], []
    for name, _, rows in commands:
        options.append((quoted(name), quoted(" ".join(f for row in rows for f in forms(row)))))
        for row in rows:
            if row[2]:
                kind = ":file" if row[5] else ":list " if is_list(row) else ":spec " if is_specification(row) else "" if row[4] else ":none"
                value = kind if row[5] else kind + " ".join(row[4])
                values.append(("|".join(quoted(f"{name} {f}") for f in forms(row)), quoted(value)))
    names = "\n".join(name for name, _, _ in commands)
    return f"""# Completion of refcl for bash, from its option tables.
_refcl_options() {{
    case $1 in
{case(options)}    esac
}}
_refcl_values() {{
    case "$1 $2" in
{case(values)}    esac
}}
# Words of bash end at : and =, so the line is split here, and what is before the last of these is cut from the replies.
_refcl() {{
    local line=${{COMP_LINE:0:COMP_POINT}} words current= previous command= start=1 next values before= cut
    local names={quoted(names)}
    read -ra words <<<"$line"
    [[ $line = *[[:space:]] ]] || {{ current=${{words[-1]}}; unset 'words[-1]'; }}
    previous=${{words[-1]}}
    cut=${{current%"${{current##*[:=]}}"}}
    [[ $COMP_WORDBREAKS = *:*=* || $COMP_WORDBREAKS = *=*:* ]] || cut=
    if [[ $current = --*=* ]]; then
        previous=${{current%%=*}}
        before=$previous=
        current=${{current#*=}}
    fi
    COMPREPLY=()
    [ "${{words[1]}}" = help ] && start=2
    while [ $start -lt ${{#words[@]}} ]; do # the words of the command
        next="${{command:+$command }}${{words[start]}}"
        grep -q -e "^$next\\$" -e "^$next " <<<"$names" || break
        command=$next
        start=$((start + 1))
    done
    values=$(_refcl_values "$command" "$previous")
    case $values in
    :file) COMPREPLY=($(compgen -f -- "$current")) ;;
    :none) ;;
    :list*) COMPREPLY=($(compgen -P "${{current%"${{current##*,}}"}}" -W "${{values#:list}}" -- "${{current##*,}}")) ;;
    :spec*)
        before=$before${{current%"${{current##*[:=]}}"}}
        current=${{current##*[:=]}}
        case $before in
        *file=|*out=) COMPREPLY=($(compgen -f -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "${{values#:spec}}" -- "$current")) ;;
        esac
        ;;
    ?*) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
    *)
        if [[ $current = -* ]]; then
            COMPREPLY=($(compgen -W "$(_refcl_options "$command")" -- "$current"))
            return
        fi
        if [ $start -eq ${{#words[@]}} ]; then
            COMPREPLY=($(compgen -W "$(sed -n "s/^${{command:+$command }}\\([^ ]*\\).*/\\1/p" <<<"$names" | sort -u)" -- "$current"))
        fi
        grep -qx -e "$command" <<<"$names" && COMPREPLY+=($(compgen -f -- "$current"))
        ;;
    esac
    [[ "${{COMPREPLY[0]}}" = *[:=] ]] && compopt -o nospace 2>/dev/null
    COMPREPLY=("${{COMPREPLY[@]/#/$before}}")
    COMPREPLY=("${{COMPREPLY[@]#"$cut"}}")
}}
complete -o filenames -F _refcl refcl
"""


def zsh(commands):
    def escaped(text):
        return re.sub(r"([\\\[\]:])", r"\\\1", text)

    cases = ""
    for name, _, rows in commands:
        cases += f"    {quoted(name)})\n        _arguments -s \\\n"
        for row in rows:
            short, option, argument, text, words, is_file = row
            if is_list(row):
                action = f"_values -s , value {' '.join(words)}"
            elif is_specification(row):
                action = f" _refcl_specification {' '.join(words)}".replace(":", "\\:")
            else:
                action = "_files" if is_file else f"({' '.join(words)})" if words else " "
            value = f":{escaped(argument)}:{action}" if argument else ""
            for form in forms(row):
                inline = "=" if argument and form.startswith("--") else ""
                cases += f"            {quoted('*' + form + inline + '[' + escaped(text) + ']' + value)} \\\n"
        cases += "            '*::file:_files'\n        ;;\n"
    firsts = {}
    for name, summary, _ in commands:
        first, _, rest = name.partition(" ")
        firsts.setdefault(first, []).append((rest, summary))

    def described(rows):
        return " ".join(quoted(f"{escaped(word)}:{summary}") for word, summary in rows if word)

    groups = "".join(f"    {first})\n        rows=({described(rows)})\n        ;;\n" for first, rows in firsts.items()
                     if any(rest for rest, _ in rows))
    top = [(f, generate.GROUPS.get(f) or dict(rows).get("", f"commands of {f}")) for f, rows in firsts.items()]
    return f"""#compdef refcl
# Completion of refcl for zsh, from its option tables.
_refcl_specification() {{ # of an argument: words between colons, files after file= and out=
    if compset -P '*(file|out)='; then
        _files
    else
        compset -P '*[:=]'
        compadd -S '' -a argv
    fi
}}
_refcl() {{
    if [[ $words[2] = help ]] && (( CURRENT > 2 )); then
        shift words
        (( CURRENT -= 1 ))
    fi
    local command=$words[2] count=1
    local -a rows
    rows=({described(top)})
    if (( CURRENT == 2 )); then
        _describe command rows
        return
    fi
    rows=()
    case $command in
{groups}    esac
    if (( CURRENT == 3 && $#rows )) && [[ $words[3] != -* ]]; then
        _describe command rows
        [[ $command = xref ]] || return
    fi
    if (( ${{rows[(I)$words[3]:*]}} )); then
        command="$command $words[3]"
        count=2
    fi
    shift $count words
    (( CURRENT -= count ))
    case $command in
{cases}    esac
}}
_refcl "$@"
"""


def fish_at(command):
    return "complete -c refcl -n " + quoted(f'__refcl_at "{command}"')


def fish(commands):
    names = " ".join(quoted(name) for name, _, _ in commands)
    text = f"""# Completion of refcl for fish, from its option tables.
function __refcl_command # the words of the command that has been typed
    set -l words (commandline -opc)
    set -e words[1]
    test "$words[1]" = help; and set -e words[1]
    set -l command
    for word in $words
        set -l next (string join -- ' ' $command $word)
        string match -q -- "$next" {names}; or string match -q -- "$next *" {names}; or break
        set command $next
    end
    echo $command
end
function __refcl_list # words after those of a list that have been typed
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    printf '%s\n' (string replace -r '[^,]*$' '' -- $typed)$argv
end
function __refcl_specification # words between colons; files after file= and out=
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l before (string replace -r '[^:=]*$' '' -- $typed)
    if string match -qr '(file|out)=$' -- $before
        printf '%s\n' $before(__fish_complete_path (string sub -s (math 1 + (string length -- $before)) -- $typed))
    else
        printf '%s\n' $before$argv
    end
end
function __refcl_at
    test (__refcl_command) = "$argv[1]"
end
complete -c refcl -n '__refcl_at ""' -f
"""
    groups = set()
    for name, summary, rows in commands:
        first, _, rest = name.rpartition(" ")
        text += f"{fish_at(first)} -f -a {rest} -d {quoted(summary)}\n"
        if first and first not in groups and first not in {n for n, _, _ in commands}:
            groups.add(first)
            about = generate.GROUPS.get(first, f"commands of {first}")
            text += f"{fish_at('')} -f -a {first} -d {quoted(about)}\n"
        for row in rows:
            short, option, argument, words_text, words, is_file = row
            line = f"{fish_at(name)} -l {option}"
            line += f" -s {short}" if short else ""
            line += " -r" if argument else ""
            if is_list(row) or is_specification(row):
                line += " -f -a " + quoted(f"(__refcl_{'list' if is_list(row) else 'specification'} {' '.join(words)})")
            else:
                line += " -F" if is_file else f" -f -a {quoted(' '.join(words))}" if words else " -f" if argument else ""
            text += f"{line} -d {quoted(words_text)}\n"
    return text


if __name__ == "__main__":
    shells = {"bash": bash, "zsh": zsh, "fish": fish}
    if len(sys.argv) != 2 or sys.argv[1] not in shells:
        sys.exit("usage: completion.py bash|zsh|fish")
    sys.stdout.write(shells[sys.argv[1]](list(tables())))
