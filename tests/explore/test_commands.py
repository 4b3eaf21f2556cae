#!/usr/bin/env python3
"""Host programs under `refcl explore -- PROGRAM`.  Those of commands/ say what they have to answer, in comments:

    // run: clean, as `refcl run` has to find it
    // explore: none, found or unknown
    // other: yes, if the findings are of another schedule than the recorded one (optional)
    // at: lines of the two calls that enqueue what races (optional)
    // schedules: how many are explored at least (optional)
    // limit: words of the limit (optional)
    // build: host-cc, if the host's own synchronization is recorded (optional)
    // commands: how many take part (optional)

Of ../races/host a few have the verdict of `refcl run`; slow_commands.py has all of them."""
import glob
import json
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
sys.path.insert(0, os.path.join(here, "../races"))
import tap
from built import NO_HOST_CC, PATIENCE, REFCL, ROOT
from test_host import compiled
from test_races import directives

SCHEMA = os.path.join(ROOT, "tools/schema/litmus.schema.json")
HOST = {"in_order_queue": "none", "out_of_order_no_wait": "found", "out_of_order_diamond": "none",
        "out_of_order_diamond_one_side": "found", "marker_is_no_barrier": "found", "map_write_unmap": "none",
        "user_event_too_early": "found", "user_event_after_wait": "none", "children_beside_next": "found",
        "sub_buffers_overlap_of_two_queues": "found", "parts_disjoint": "none", "two_devices_no_event": "found",
        "two_devices_event": "none", "two_kernels_message_svm": "unknown"}


SEEDED = {"REFCL_QUEUE_SEED": "1", "REFCL_QUEUE_PATIENCE": "3000"}  # decide which of two commands comes first


def explored(*words, **variables):
    environment = dict(os.environ, **variables)
    run = subprocess.run([REFCL, "explore", "--json", "-", *words], capture_output=True, text=True, timeout=PATIENCE,
                         check=False, env=environment)
    at = run.stdout.find("{")
    return run, json.loads(run.stdout[at:]) if at >= 0 else {"tests": [{"race": run.stderr, "findings": []}]}


def lines_of_calls(finding):
    return sorted(access["enqueued"]["line"] for access in finding["accesses"] if "enqueued" in access)


def problem_of(wanted, run, result):
    code = {"none": 0, "found": 1, "unknown": 3}[wanted["explore"]]
    if result["race"] != wanted["explore"] or run.returncode != code:
        return "exit %d: %s" % (run.returncode, result)
    if result.get("other_schedule", False) != (wanted.get("other") == "yes"):
        return "other schedule: %s" % result["other_schedule"]
    if "at" in wanted:
        lines = sorted(int(line) for line in wanted["at"].split(","))
        if not any(lines_of_calls(finding) == lines for finding in result["findings"]):
            return "calls at %s" % [lines_of_calls(finding) for finding in result["findings"]]
    if result["schedules"] < int(wanted.get("schedules", 1)):
        return "%d schedules" % result["schedules"]
    return None if wanted.get("limit", "") in result.get("limit", "") else result.get("limit")


def check_programs(documents):
    for path in sorted(glob.glob(os.path.join(here, "commands/*.c"))):
        wanted = directives(path)
        name = os.path.basename(path)
        if wanted.get("build") == "host-cc" and NO_HOST_CC:
            tap.skip(name, NO_HOST_CC)
            continue
        program = compiled(path, wanted)
        recorded = subprocess.run([REFCL, "run", "-q", "--", program], timeout=PATIENCE, check=False)
        tap.check("%s: refcl run finds nothing" % name, recorded.returncode == 0)
        for engine in ("auto", "both"):
            run, document = explored("--engine", engine, "--commands", wanted.get("commands", "64"), "--", program)
            documents.append(document)
            problem = problem_of(wanted, run, document["tests"][0])
            tap.check("%s: %s, --engine %s" % (name, wanted["explore"], engine), not problem, problem)


def check_unrecorded():
    """Without instrumentation, a race in another schedule may be one that the host's synchronization
    excludes."""
    path = os.path.join(here, "commands/callback_before_finish.c")
    run, document = explored("--", compiled(path, {}))
    result = document["tests"][0]
    tap.check("without host-cc the answer is unknown", run.returncode == 3 and "host-cc" in result.get("limit", ""), result)


def check_host(documents):
    for name, verdict in HOST.items():
        path, = glob.glob(os.path.join(here, "../races/host/*/%s.c" % name))
        wanted = directives(path)
        variables = dict(word.split("=", 1) for word in wanted.get("environment", "").split())
        run, document = explored("--", compiled(path, wanted), **SEEDED, **variables)
        documents.append(document)
        tap.check("%s: %s" % (name, verdict), document["tests"][0]["race"] == verdict, (run.stderr, document))


def check_options():
    program = compiled(os.path.join(here, "../races/host/queues/in_order_queue.c"), {})
    run, document = explored("--commands", "1", "--", program)
    result = document["tests"][0]
    tap.check("--commands 1 leaves earlier commands out", run.returncode == 3 and result["commands"] == 1 and
              "earlier commands" in result["limit"], result)
    trace = program + ".trace"
    subprocess.run([REFCL, "run", "-q", "--trace", trace, "--", program], timeout=PATIENCE, check=True)
    run, document = explored("--trace", trace)
    tap.check("--trace explores a trace", run.returncode == 0 and document["tests"][0]["race"] == "none", document)
    for words in (["--trace", trace, "a.cl"], ["-g", "4", "--", program], ["--trace", "/nonexistent"]):
        run, _ = explored(*words)
        tap.check("%s is an error" % words[0], run.returncode == 2 and "error" in run.stderr, run.stderr)


    run, document = explored("--", "true")
    tap.check("a program without OpenCL: unknown", run.returncode == 3 and document["tests"][0]["limit"], document)


def check_schema(documents):
    try:
        import jsonschema
    except ImportError:
        tap.skip("results fit their schema", "no jsonschema")
        return
    with open(SCHEMA) as f:
        validator = jsonschema.Draft7Validator(json.load(f))
    wrong = [error.message for document in documents for error in validator.iter_errors(document)]
    tap.check("results fit their schema", documents and not wrong, wrong[:3])


def main():
    documents = []
    check_programs(documents)
    check_unrecorded()
    check_host(documents)
    check_options()
    check_schema(documents)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
