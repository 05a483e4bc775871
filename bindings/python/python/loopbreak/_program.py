"""Finds the program that the wheel has beside the module."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

_NAME = "loopbreak.exe" if os.name == "nt" else "loopbreak"


def find_program() -> str | None:
    """Returns the path of the program that was installed with this package. One elsewhere on the path may have another version."""
    return next((str(path) for path in _places() if path.is_file() and os.access(path, os.X_OK)), None)


def _places() -> Iterator[Path]:
    # The installer has written down where it put the files of the package.
    try:
        files = metadata.files("loopbreak") or []
    except metadata.PackageNotFoundError:
        files = []
    yield from (Path(str(file.locate())) for file in files if file.name == _NAME)
    yield Path(sysconfig.get_path("scripts"), _NAME)
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")), _NAME)
    # `pip install --target`: the folder of programs lies beside the package.
    yield Path(__file__).parents[1] / "bin" / _NAME
