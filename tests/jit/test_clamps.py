#!/usr/bin/python3
"""Indices that are clamped to the rows of a picture: a part of slow_differential.py."""
import sys

sys.argv[1:] = sys.argv[1:] or ['cases_clamps']
import slow_differential  # noqa: E402

slow_differential.main()
