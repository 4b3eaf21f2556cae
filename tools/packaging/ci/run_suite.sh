#!/bin/sh
# run_suite.sh FOLDER COMMAND...: runs an OpenCL test-suite under refcl.  FOLDER gets findings.sarif,
# findings.xml (JUnit) and report.json.  Findings do not fail the job here: new_findings.py decides.  A suite
# that fails or could not be observed does, and so does refcl itself.
set -u
folder=$1
shift
mkdir -p "$folder"
refcl run --quiet --sarif "$folder/findings.sarif" --junit "$folder/findings.xml" \
    --json "$folder/report.json" -- "$@"
code=$?
# Exit 1: findings, or the suite's own status.
if [ $code -eq 1 ]; then
    exec python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1])).get("program", {}).get("message"))' "$folder/report.json"
fi
[ $code -eq 0 ] || echo "refcl run: exit $code" >&2
exit $code
