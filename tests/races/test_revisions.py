#!/usr/bin/env python3
"""Reports name the revisions of the specification under which there is no race: in 3.1.0 an event query
orders [CL 3.3.6 H101], and from 3.1 on scopes may include each other [CL 3.3.5 O101]."""
import json
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "lib"))
from built import BUILD as build, REFCL as refcl  # noqa: E402
from tap import check, done  # noqa: E402

folder = os.path.join(build, "tests", "races")
source = os.path.join(here, "revisions_host.c")
program = os.path.join(folder, "revisions_host")
os.makedirs(folder, exist_ok=True)
subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-g", "-DCL_TARGET_OPENCL_VERSION=300", source, "-o", program,
                "-lOpenCL"], check=True)
with open(source) as text:
    poll = next(number for number, line in enumerate(text, 1) if "/* POLL */" in line)


def findings(argument, **environment):
    run = subprocess.run([refcl, "run", "--json", "-", "-q", "--", program, argument], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         env=dict(os.environ, **environment))
    return json.loads(run.stdout)["findings"]


query = findings("query")
note = query[0].get("revisions", "") if query else ""
check("3.1.0 orders the accesses by the query of line %d" % poll,
      len(query) == 1 and "revisions_host.c:%d" % poll in note and "3.1.0" in note and "call clWaitForEvents" in note, query)
missing = os.path.join(folder, "missing")  # no file for the trace, as for a long one
query = findings("query", TMPDIR=missing)
note = query[0].get("revisions", "") if query else ""
check("the query is named where the trace is not kept, without a judgement",
      len(query) == 1 and "revisions_host.c:%d" % poll in note and "not judged" in note and "call clWaitForEvents" in note, query)
late = findings("late", TMPDIR=missing)
check("queries after both commands were enqueued are not named", len(late) == 1 and "revisions" not in late[0], late)
late = findings("late")
check("and order nothing under any revision", len(late) == 1 and "revisions" not in late[0], late)
waits = findings("wait")
check("a wait orders them under all revisions", waits == [], waits)
scopes = findings("scopes")
check("scopes that differ include each other from 3.1 on",
      len(scopes) >= 1 and all("up to revision 3.0" in f.get("revisions", "") for f in scopes), scopes)
groups = findings("groups")
check("the scope of one work-group never includes another's work-items",
      len(groups) >= 1 and not any("revisions" in f for f in groups), groups)
sys.exit(done())
