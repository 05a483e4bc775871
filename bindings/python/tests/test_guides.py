"""Every Python snippet of the guides, and every example, runs as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = ["README.md", "docs/guide/python.md", "docs/guide/spark.md", "bindings/python/README.md"]
EXAMPLES = sorted(path.name for path in (ROOT / "examples" / "python").glob("*.py"))
#: Snippets and examples that need a framework, which is installed by `cargo xtask adapters` only.
WITH_SPARK = "pyspark"


def snippets(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    home = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-"],
        input=code,
        cwd=folder,
        env={**os.environ, **home},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_a_page_run_one_after_the_other(page: str, tmp_path: Path) -> None:
    found = [code for code in snippets(page) if WITH_SPARK not in code]
    assert found or page == "docs/guide/spark.md", "the page has no snippet"
    for example in ("coding.jsonl", "dam.jsonl"):
        (tmp_path / example).write_bytes((ROOT / "examples" / example).read_bytes())
    result = run("\n".join(found), tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", [name for name in EXAMPLES if not name.startswith("spark")])
def test_an_example_runs_and_prints_something(name: str, tmp_path: Path) -> None:
    path = ROOT / "examples" / "python" / name
    result = run(path.read_text(encoding="utf-8"), tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_there_are_examples() -> None:
    assert {"agent_loop.py", "spark_job.py"} <= set(EXAMPLES)
