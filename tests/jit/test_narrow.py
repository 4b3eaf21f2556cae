#!/usr/bin/python3
"""Guards by a part of an id's bits, which must not become bounds of loops over work-items; vectors; conversions: the quick part of
slow_differential.py."""
import sys

sys.argv[1:] = sys.argv[1:] or ['cases_narrow', 'cases_vectors', 'cases_convert']
import slow_differential  # noqa: E402

slow_differential.main()
