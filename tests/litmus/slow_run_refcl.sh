#!/bin/bash
# The generated tests on refcl's own ICD.
REFCL_GENERATED_TESTS=1 exec "$(dirname "$0")/test_run_refcl.sh"
