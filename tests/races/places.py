"""Where a finding has to be: the `at` line of a program with a verdict lists the findings, apart from each other by `;`
or in several such lines.

    // at: 8 write, 11 read, different groups; fair: barrier-divergence 15

Each has the lines of its accesses and what they do, in the order of lines, and how the two agents are related.  In host
programs the line of a command is that of its call, and those of kernels stand behind their names; what is
done for a kernel before it runs is at its start.  Before that
may stand the schedule under which it is found (both, if none is named) and its kind (that of `expect`)."""
import os
import re

SUB_GROUP = 32  # work-items of a sub-group


def _agent(access):
    copy = access["agent"].startswith("the asynchronous copy")
    return "copy" if copy else "command" if access["work_item"] is None and access.get("command") else \
        "host" if access["work_item"] is None else "work-item"


def relation(accesses):
    """How the agents of two accesses are related, as exactly as the report says."""
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
    """What is found elsewhere than it has to be, or not at all; None: nothing.  Where threads of a host run as they like
    (not EXACT), it is enough if one is found of what `expect` names."""
    left = expected(wanted, schedule)
    seen = set()
    for finding in findings:
        kind, accesses, how = place(finding, path)
        if how not in left.get((kind, accesses), []):
            return "found %s at %s, %s" % (kind, accesses, how)
        seen.add((kind, accesses))
    missing = set(left) - seen if exact or not any(kind == wanted["expect"] for kind, _ in seen) else None
    return "not found: %s" % sorted(missing) if missing else None
