#!/usr/bin/python3
"""Loops in which each work-item visits every n-th element: the quick part of slow_differential.py."""
import sys

sys.argv[1:] = sys.argv[1:] or ['cases_strided']
import slow_differential  # noqa: E402

slow_differential.main()
