"""Logs, reports and tables."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import loopbreak
import pytest
from conftest import FAILED, ROOT

FIXTURES = ROOT / "crates" / "loopbreak-trace" / "tests" / "fixtures"
EXAMPLES = ROOT / "examples"


def program() -> str:
    """Returns the built command."""
    named = os.environ.get("LOOPBREAK_PROGRAM")
    built = [ROOT / "target" / kind / "loopbreak" for kind in ("debug", "release", "dist")]
    found = named or next((str(path) for path in built if path.is_file()), None) or shutil.which("loopbreak")
    if found is None:
        pytest.fail("build the command first: cargo build -p loopbreak-cli")
    return found


def formats() -> list[Path]:
    return sorted(path for path in FIXTURES.iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", formats(), ids=lambda folder: folder.name)
def test_every_format_is_read_and_analyzed_like_the_command(folder: Path) -> None:
    printed = subprocess.run(
        [program(), "analyze", "--json", str(folder)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    report = loopbreak.analyze(folder)
    assert report.to_json() + "\n" == printed.stdout
    assert report.totals["runs"] == len(report.runs) > 0
    count, failed = 0, None
    steps = loopbreak.read(folder)
    while True:
        try:
            step = next(steps)
        except StopIteration:
            break
        except loopbreak.LogError as error:
            failed = error
            continue
        count += 1
        assert step.run is not None
    assert count > 0 or failed is not None


def test_the_examples_are_analyzed_like_the_command() -> None:
    printed = subprocess.run(
        [program(), "analyze", "--json", str(EXAMPLES)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    report = loopbreak.analyze([EXAMPLES])
    assert report.to_json() + "\n" == printed.stdout and report.to_dict() == json.loads(printed.stdout)
    assert report.worst == "stop" and report == pickle.loads(pickle.dumps(report))
    run = report.runs[0]
    assert run.verdict in ("clear", "warn", "stop") and run.to_dict()["run"] == run.run and "RunReport(" in repr(run)
    assert {"verdict", "steps", "to_dict"} <= set(dir(run))
    with pytest.raises(AttributeError):
        run.mood
    html = report._repr_html_()
    assert html.count("<tr>") == len(report) + 1 and "Report(runs=" in html
    assert len(report.to_pandas()) == len(report.to_polars()) == len(report.runs)


def write_steps(path: Path, runs: int, steps: int) -> None:
    with path.open("w") as out:
        for number in range(steps):
            for run in range(runs):
                step: dict[str, Any] = {"run": f"r{run}", "turn": number + 1, "at": 1_000_000 + 1000 * number, **FAILED}
                if run % 2:
                    step["action"] = {"name": "read", "args": {"path": f"file {number}"}}
                    step["outcome"] = f"content {number}"
                step["usage"] = {"input_tokens": 10, "cost_usd": 0.25}
                out.write(json.dumps(step, separators=(",", ":")) + "\n")


def test_steps_are_read_one_by_one_and_by_run(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    write_steps(log, 3, 500)
    assert sum(1 for _ in loopbreak.read(log)) == 1500
    assert [step.turn for step in loopbreak.read(str(log), run="r1")] == list(range(1, 501))
    guard = loopbreak.Guard(run="r0")
    words = [guard.observe(step).verdict for step in loopbreak.read(log, run="r0")]
    assert words[:8] == ["clear"] * 2 + ["warn"] * 5 + ["stop"]
    reader = loopbreak.read(log)
    next(reader)
    del reader  # nobody reads on


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "no.txt").write_text("hello\n")
    for path in (tmp_path / "none", tmp_path / "no.txt"):
        with pytest.raises(loopbreak.LogError, match=path.name):
            list(loopbreak.read(path))
        with pytest.raises(loopbreak.LogError, match=path.name):
            loopbreak.analyze(path)
    with pytest.raises(loopbreak.LogError, match="not found"):
        loopbreak.analyze(EXAMPLES, run="nobody")
    for wrong in (5, [], None):
        with pytest.raises((TypeError, ValueError)):
            loopbreak.analyze(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="format"):
        loopbreak.analyze(EXAMPLES, format="moon")
    assert issubclass(loopbreak.LogError, OSError)


def test_keyboard_interrupts_end_an_analysis(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    write_steps(log, 2, 20_000)
    script = "import loopbreak, sys\nprint('go', flush=True)\nwhile True: loopbreak.analyze([sys.argv[1]] * 50)"
    process = subprocess.Popen([sys.executable, "-c", script, str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"go\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors and b"panicked" not in errors


def rows_of(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def expected_rows(report: loopbreak.Report) -> list[dict[str, Any]]:
    expected = []
    for run in report.runs:
        data = run.to_dict()
        row = {name: data[name] for name in ("run", "steps", "verdict", "steps_after_stop", "tokens", "cost_usd", "started", "ended")}
        row["first_stop_turn"] = (data["first_stop"] or {}).get("turn")
        row["first_stop_detector"] = (data["first_stop"] or {}).get("detector")
        row["first_warning_turn"] = (data["first_warning"] or {}).get("turn")
        row["first_warning_detector"] = (data["first_warning"] or {}).get("detector")
        row["findings"] = data["findings"]
        expected.append(row)
    return sorted(expected, key=lambda row: str(row["run"]))


def actual_rows(table: Any) -> list[dict[str, Any]]:
    rows = []
    for row in table.to_pylist():
        row["findings"] = json.loads(row["findings"])
        rows.append(row)
    return sorted(rows, key=lambda row: str(row["run"]))


def test_a_table_is_analyzed_like_its_log(tmp_path: Path) -> None:
    import pandas
    import polars
    import pyarrow as pa

    log = tmp_path / "log.jsonl"
    write_steps(log, 6, 40)
    steps = rows_of(log)
    expected = expected_rows(loopbreak.analyze(log))
    texts = {"run": [step["run"] for step in steps], "step": log.read_text().splitlines()}
    shuffled = {name: column[::-1] for name, column in texts.items()}
    fields = [{**step, "outcome": json.dumps(step["outcome"]) if isinstance(step["outcome"], dict) else step["outcome"]} for step in steps]
    for table in (
        pa.table(texts),
        polars.DataFrame(texts),
        pandas.DataFrame(texts),
        pa.table(shuffled),
        pa.table(texts).to_reader(7),
        pa.Table.from_pylist(fields),
        pa.table({"run": pa.array(texts["run"]).dictionary_encode(), "step": pa.array(texts["step"], pa.large_string())}),
    ):
        result = loopbreak.analyze_table(table)
        assert result.schema == loopbreak.analyze_table_schema()
        rows = actual_rows(result)
        assert [{name: row[name] for name in expected[0]} for row in rows] == expected
        assert all(row["skipped_rows"] == 0 for row in rows)
        assert pa.table(result) == result
    given = loopbreak.analyze_table(pa.table(shuffled), order="given")
    assert actual_rows(given) != expected


def test_a_table_with_what_is_not_a_step_is_analyzed() -> None:
    import pyarrow as pa

    table = pa.table({"run": ["a", "a", None, "b"], "step": ['{"action":"x"}', "{broken", None, '{"action":"y"}']})
    rows = loopbreak.analyze_table(table).to_pylist()
    assert [(row["run"], row["steps"], row["skipped_rows"]) for row in rows] == [("a", 1, 1), ("", 0, 1), ("b", 1, 0)]
    assert loopbreak.analyze_table(table.slice(0, 0)).num_rows == 0
    for wrong in (pa.table({"step": ["{}"]}), pa.table({"run": ["a"], "mood": ["blue"]})):
        with pytest.raises(ValueError, match="column"):
            loopbreak.analyze_table(wrong)
    with pytest.raises(ValueError, match="order"):
        loopbreak.analyze_table(table, order="random")  # type: ignore[arg-type]
    strict = loopbreak.analyze_table(table, config={"mode": "off"}).to_pylist()
    assert {row["verdict"] for row in strict} == {"clear"}


def test_spark_sees_a_function_of_one_table() -> None:
    import inspect

    assert inspect.getfullargspec(loopbreak.analyze_table).args == ["table"]
