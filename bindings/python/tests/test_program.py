"""The program that the wheel brings, and the module that starts it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import loopbreak
from loopbreak._program import find_program


def run_module(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loopbreak", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)  # type: ignore[call-overload,no-any-return]


def test_the_wheel_brings_the_program_of_its_version() -> None:
    program = find_program()
    assert program is not None and Path(program).parent.samefile(sysconfig.get_path("scripts"))
    printed = subprocess.check_output([program, "--version"], text=True)
    assert printed.split() == ["loopbreak", loopbreak.__version__]


def test_the_module_runs_the_program(tmp_path: Path) -> None:
    assert run_module("--version").stdout.split() == ["loopbreak", loopbreak.__version__]
    assert run_module("analyze", "none.jsonl", cwd=tmp_path).returncode == 1
    assert run_module("no-such-command").returncode == 2


def test_the_program_of_the_wheel_is_taken_and_not_another_of_the_path(tmp_path: Path) -> None:
    other = tmp_path / "loopbreak"
    other.write_text("#!/bin/sh\necho another one\n")
    other.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    assert run_module("--version", env={**os.environ, "PATH": path}).stdout.split()[1] == loopbreak.__version__


def test_a_missing_program_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    from loopbreak import __main__, _program

    monkeypatch.setattr(_program, "_NAME", "no-such-program")
    assert find_program() is None
    with pytest.raises(SystemExit, match="hint: install the package from a wheel"):
        __main__.main()
