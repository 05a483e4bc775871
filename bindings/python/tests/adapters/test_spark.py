"""Spark and ``loopbreak analyze`` say the same about every run, however its steps are spread over files and partitions."""

from __future__ import annotations

import json
import os
import random
import re
import runpy
import subprocess
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import loopbreak

ROOT = Path(__file__).parents[4]
LOGS = [
    *sorted((ROOT / "crates/loopbreak-cli/tests/fixtures/golden/logs").glob("*.jsonl")),
    ROOT / "examples/coding.jsonl",
    ROOT / "examples/dam.jsonl",
]
JOB = ROOT / "examples" / "python" / "spark_job.py"
FILES = 7

# Otherwise the workers are started with the first `python3` of the path, which does not have the package.
os.environ["PYSPARK_PYTHON"] = sys.executable


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "5").config("spark.default.parallelism", "5")
    session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def steps() -> list[dict[str, Any]]:
    """Returns the steps of all logs. Their turns are numbered, because the rows of a table have no order."""
    turns: dict[str, int] = defaultdict(int)
    found = []
    for log in LOGS:
        for line in log.read_text(encoding="utf-8").splitlines():
            step = json.loads(line)
            step["run"] = f"{log.stem}/{step.get('run', 'only')}"
            turns[step["run"]] += 1
            step["turn"] = turns[step["run"]]
            found.append(step)
    return found


def analyzed(steps: list[dict[str, Any]], folder: Path) -> dict[str, dict[str, Any]]:
    """Returns what the command says about each run, with the steps in their order in one file."""
    log = folder / "steps.jsonl"
    log.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    program = Path(sysconfig.get_path("scripts")) / "loopbreak"
    output = subprocess.check_output([program, "analyze", "--json", log], cwd=folder)
    return {run["run"]: run for run in json.loads(output)["runs"]}


def scattered(steps: list[dict[str, Any]], folder: Path) -> None:
    """Writes the steps into several files, in an order that has nothing to do with their turns."""
    mixed = list(steps)
    random.Random(7).shuffle(mixed)
    for number in range(FILES):
        lines = "".join(json.dumps(step) + "\n" for step in mixed[number::FILES])
        (folder / f"part-{number}.jsonl").write_text(lines, encoding="utf-8")


def test_spark_says_what_the_command_says_run_by_run(
    spark: SparkSession, steps: list[dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "lake").mkdir()
    expected = analyzed(steps, tmp_path)
    scattered(steps, tmp_path / "lake")
    lines = spark.read.text(str(tmp_path / "lake")).repartition(9)
    rows = [row.asDict() for row in runpy.run_path(str(JOB))["analyze"](lines).collect()]
    assert len(rows) == len(expected) > 20
    assert {row["run"] for row in rows} == set(expected)
    verdicts = set()
    for row in rows:
        run = expected[row["run"]]
        assert row["steps"] == run["steps"] and row["verdict"] == run["verdict"], row["run"]
        for first in ("first_warning", "first_stop"):
            for part in ("turn", "detector", "pattern"):
                assert row[f"{first}_{part}"] == (run[first] or {}).get(part), (row["run"], first, part)
        assert row["steps_after_stop"] == run.get("steps_after_stop"), row["run"]
        assert json.loads(row["findings"]) == run["findings"], row["run"]
        for total in ("tokens", "cost_usd", "started", "ended"):
            assert row[total] == run.get(total), (row["run"], total)
        assert row["skipped_rows"] == 0
        verdicts.add(row["verdict"])
    assert verdicts == {"clear", "warn", "stop"}, "there are runs of every kind to compare"


def test_the_snippet_of_the_guide_runs(spark: SparkSession, steps: list[dict[str, Any]], tmp_path: Path) -> None:
    expected = analyzed(steps, tmp_path)
    lake = str(tmp_path / "lake")
    rows = [(step["run"], json.dumps(step)) for step in steps]
    # Without the library of the codec, which does not load on every system.
    spark.createDataFrame(rows, "run string, step string").repartition(3).write.parquet(lake, compression="none")
    guide = (ROOT / "docs/guide/spark.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"^```python\n(.*?)^```", guide, flags=re.DOTALL | re.MULTILINE)
    assert 'parquet("steps")' in snippet
    names: dict[str, Any] = {}
    exec(snippet.replace('parquet("steps")', f"parquet({lake!r})"), names)
    assert {row["run"]: row["verdict"] for row in names["runs"].collect()} == {
        name: run["verdict"] for name, run in expected.items()
    }


def test_rows_that_are_no_steps_are_counted_and_harm_no_run(spark: SparkSession) -> None:
    step = json.dumps({"run": "r", "turn": 1, "action": "make", "outcome": "error 2"})
    lines = spark.createDataFrame([(step,), ('{"run":"r","turn":-1}',), ('{"run":"r"',)], "value string")
    rows = {row["run"]: row for row in runpy.run_path(str(JOB))["analyze"](lines).collect()}
    assert rows["r"]["steps"] == 1
    assert sum(row["skipped_rows"] for row in rows.values()) == 2
