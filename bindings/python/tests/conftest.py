"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import loopbreak
import pytest

#: The checkout.
ROOT = Path(__file__).resolve().parents[3]

FAILED: dict[str, Any] = {
    "action": {"name": "bash", "args": {"command": "make test"}},
    "outcome": {"text": "1 failed", "error": True},
}


@pytest.fixture(autouse=True)
def no_user_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keeps the files and variables of the user out of the tests."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in list(os.environ):
        if name.startswith("LOOPBREAK_") and name != "LOOPBREAK_PROGRAM":
            monkeypatch.delenv(name)


def letters(run: loopbreak.Run, count: int, outcome: object = "1 failed", error: object = True) -> str:
    """Makes identical calls: ``.`` allowed, ``A`` followed by advice, ``R`` refused, ``S`` stopped."""
    word = ""
    for _ in range(count):
        ruling = run.before("bash", {"command": "make test"})
        if ruling.accepted:
            advice = run.after("bash", {"command": "make test"}, outcome, error)  # type: ignore[arg-type]
            word += "A" if advice else "."
        else:
            word += {"refuse": "R", "stop": "S"}[ruling.decision]
    return word
