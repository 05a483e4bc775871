"""Runs the program of the wheel: ``python -m loopbreak analyze`` is ``loopbreak analyze``."""

from __future__ import annotations

import os
import subprocess
import sys

from loopbreak._program import find_program


def main() -> None:
    program = find_program()
    if program is None:
        sys.exit(
            "error: the program `loopbreak` is not installed with this package\n"
            "hint: install the package from a wheel, which brings it: `python -m pip install --force-reinstall loopbreak`"
        )
    arguments = [program, *sys.argv[1:]]
    if os.name != "nt":
        sys.stdout.flush()
        os.execv(program, arguments)
    # Windows would give the terminal back before the program has ended.
    try:
        sys.exit(subprocess.run(arguments, check=False).returncode)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
