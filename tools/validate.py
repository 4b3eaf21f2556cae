#!/usr/bin/python3
"""validate.py SCHEMA FILE...: checks JSON files against a JSON schema."""
import json
import sys

import jsonschema

with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft7Validator.check_schema(schema)
for path in sys.argv[2:]:
    with open(path) as f:
        errors = list(jsonschema.Draft7Validator(schema).iter_errors(json.load(f)))
    for e in errors[:10]:
        print(f"{path}: {'/'.join(map(str, e.absolute_path))}: {e.message}", file=sys.stderr)
    if errors:
        sys.exit(1)
