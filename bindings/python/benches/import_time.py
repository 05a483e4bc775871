"""Measures the import of a module in a fresh interpreter: ``import_time.py MODULE``. Prints the seconds."""

from __future__ import annotations

import subprocess
import sys

ROUNDS = 5


def main() -> None:
    module = sys.argv[1]
    code = f"from time import perf_counter as now; start = now(); import {module}; print(now() - start)"
    # The first one reads the files from the disk and writes the bytecode.
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(ROUNDS)]
    print(min(times[1:]))


main()
