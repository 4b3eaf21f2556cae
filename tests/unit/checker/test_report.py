#!/usr/bin/env python3
"""The machine-readable reports: JSON against its schema, SARIF and JUnit against their readers'
requirements."""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import sarif
from built import BUILD, REFCL, ROOT
from tap import check, done, skip, skip_all

program = os.path.join(BUILD, "tests/unit/checker/test_report")


def report(what):
    return subprocess.run([program, what], stdout=subprocess.PIPE, check=True).stdout


try:
    import jsonschema
except ImportError:
    skip_all("no jsonschema")

with open(os.path.join(ROOT, "tools/schema/report.schema.json")) as f:
    schema = json.load(f)
jsonschema.Draft7Validator.check_schema(schema)

for what, status, count in (("json", "findings", 4), ("json-clean", "clean", 0), ("json-unknown", "unknown", 0)):
    data = json.loads(report(what).decode("utf-8"))
    errors = [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(data)]
    check(what + " fits the schema", not errors, "; ".join(errors))
    check(what + " has its status", data["status"] == status and len(data["findings"]) == count, str(data["status"]))

about = subprocess.run([REFCL, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
data = json.loads(report("json").decode("utf-8"))
check("JSON names refcl and its version", [data["tool"]["name"], data["tool"]["version"]] == about, str(about))
race = data["findings"][0]
check("a race has both accesses", [a["line"] for a in race["accesses"]] == [4, 3]
      and [a["kind"] for a in race["accesses"]] == ["read", "write"]
      and [a["work_item"] for a in race["accesses"]] == [[1, 0, 0], [0, 0, 0]])
broken = json.loads(json.dumps(data))
broken["findings"][0]["accesses"][0]["kind"] = "glance"
check("the schema refuses what it does not know", not jsonschema.Draft7Validator(schema).is_valid(broken))

for what, count in (("sarif", 4), ("sarif-clean", 0)):
    data = json.loads(report(what).decode("utf-8"))
    run = data["runs"][0]
    rules = {r["id"] for r in run["tool"]["driver"]["rules"]}
    check(what + " has version, rules and results",
          data["version"] == "2.1.0" and len(run["results"]) == count
          and all(r["ruleId"] in rules and r["message"]["text"] for r in run["results"]))
run = json.loads(report("sarif").decode("utf-8"))["runs"][0]
driver = run["tool"]["driver"]
check("SARIF names refcl and its version", [driver.get("name"), driver.get("version")] == about, str(driver))
with open(os.path.join(ROOT, "checker/race/kind.def")) as f:
    described = dict(re.findall(r'^CK_KIND\("([^"]+)", "([^"]+)"\)', f.read(), re.M))
findings = json.loads(report("json").decode("utf-8"))["findings"]
firsts = {f["kind"]: f for f in reversed(findings)}
check("sarif describes each kind once, with the clause of its first finding",
      [(r["id"], r["shortDescription"]["text"]) for r in driver["rules"]]
      == [(k, "%s [%s]" % (described.get(k, k), firsts[k]["clause"])) for k in dict.fromkeys(f["kind"] for f in findings)]
      and sum(k in described for k in firsts) == 3, str(driver["rules"]))
check("sarif and JSON agree on the findings",
      [(r["ruleId"], r["properties"].get("clause", ""), r.get("occurrenceCount"), r["level"]) for r in run["results"]]
      == [(f["kind"], f["clause"], f.get("count"), "error") for f in findings], str(run["results"]))
place = run["results"][0]["locations"][0]["physicalLocation"]
check("sarif points at the line", place["artifactLocation"]["uri"] == "k.cl" and place["region"]["startLine"] == 4)
check("sarif relates the other access",
      run["results"][0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 3)

flows = run["results"][0]["codeFlows"][0]["threadFlows"]
check("sarif has a thread flow for each work-item, the earlier access first in order",
      len(flows) == 2 and flows[0]["id"] != flows[1]["id"]
      and [f["locations"][-1]["executionOrder"] for f in flows] == [2, 1])
check("a thread flow leads through the calls",
      [l["location"]["physicalLocation"]["region"]["startLine"] for l in flows[0]["locations"]] == [1, 4]
      and [l["nestingLevel"] for l in flows[0]["locations"]] == [0, 1])
check("json has the calls", [(s["line"], s["function"]) for s in race["accesses"][0]["stack"]] == [(1, "outer")]
      and "stack" not in race["accesses"][1])


if sarif.sarif_om:
    for what in ("sarif", "sarif-clean", "sarif-unknown"):
        wrong = sarif.misfits(json.loads(report(what).decode("utf-8")))
        check(what + " fits the object model", not wrong, "; ".join(wrong))
    data = json.loads(report("sarif").decode("utf-8"))
    data["runs"][0]["results"][0]["codeFlow"] = []
    del data["runs"][0]["results"][1]["message"]
    check("the object model refuses what it does not know", len(sarif.misfits(data)) == 3)
else:
    skip("the object model", "no sarif_om")

for what, failures, errors in (("junit", 4, 0), ("junit-clean", 0, 0), ("junit-unknown", 0, 1)):
    suite = xml.fromstring(report(what)).find("testsuite")
    cases = suite.findall("testcase")
    check(what + " counts what it lists",
          int(suite.get("failures")) == failures == len(suite.findall("testcase/failure"))
          and int(suite.get("errors")) == errors == len(suite.findall("testcase/error"))
          and int(suite.get("tests")) == len(cases))

sys.exit(done())
