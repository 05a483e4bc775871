"""Guards, series, configurations and steps."""

from __future__ import annotations

import json
import pickle
import threading
from pathlib import Path
from typing import Any

import loopbreak
import pytest
from conftest import FAILED


def test_a_verdict_has_typed_parts() -> None:
    guard = loopbreak.Guard(run="r")
    verdicts = [guard.observe(FAILED) for _ in range(8)]
    assert [verdict.verdict for verdict in verdicts] == ["clear"] * 2 + ["warn"] * 5 + ["stop"]
    third = verdicts[2]
    finding = next(finding for finding in third.findings if finding.pattern == "cycle")
    assert (finding.detector, finding.severity, finding.since, finding.turn) == ("cycle", "warn", 1, 3)
    assert finding.evidence["outcome"] == "1 failed" and finding.reason and finding.acted
    assert third.advice and third.interventions == ["warn"] and third.rewind_to == 1
    assert third.decisions[0].intervention == "warn" and third.stop is None
    assert third.to_dict() == json.loads(third.to_json())
    assert third.to_dict()["findings"][0]["loop"] == third.findings[0].loop_id
    assert repr(third).startswith("Verdict(turn=3")
    assert third == pickle.loads(pickle.dumps(third)) and third != verdicts[3]


def test_a_proposal_is_weighed() -> None:
    guard = loopbreak.Guard()
    for _ in range(8):
        guard.observe(FAILED)
    turn = guard.turn
    ruling = guard.weigh({"action": FAILED["action"]})
    assert not ruling.accepted and not ruling and ruling.intervention == "reject"
    assert ruling.base > ruling.score and ruling.adjustments[0].amount < 0 and ruling.adjustments[0].reason
    assert ruling.to_dict() == json.loads(ruling.to_json())
    assert guard.weigh('{"action":"ls"}').accepted and guard.turn == turn
    assert ruling == pickle.loads(pickle.dumps(ruling))


def test_dicts_texts_bytes_and_steps_are_the_same() -> None:
    step = {"turn": 1, "action": {"name": "a", "args": {"x": [1, 2.5, None, True, "é\n\""]}}, "say": "x", "usage": {"cost_usd": 0.5}}
    text = json.dumps(step, separators=(",", ":"), ensure_ascii=False)
    verdicts = []
    for form in (step, text, text.encode(), bytearray(text.encode()), loopbreak.Step(step), loopbreak.Step(**step)):
        guard = loopbreak.Guard()
        verdicts.append((guard.observe(form).to_json(), guard.snapshot()))  # type: ignore[arg-type]
    assert len(set(verdicts)) == 1
    assert loopbreak.Step(step).to_dict() == step
    assert loopbreak.Step(step).action == step["action"] and loopbreak.Step(step).user is None
    assert {"action", "outcome", "to_dict"} <= set(dir(loopbreak.Step(step)))
    assert loopbreak.Step(loopbreak.Step(step), turn=5) == loopbreak.Step({**step, "turn": 5}) == loopbreak.Step(text, turn=5)
    with pytest.raises(loopbreak.StepError):
        loopbreak.Step("[]", turn=5)
    with pytest.raises(AttributeError):
        loopbreak.Step(step).mood
    assert loopbreak.Step(step) == pickle.loads(pickle.dumps(loopbreak.Step(step)))


def cyclic() -> dict[str, Any]:
    items: list[Any] = []
    items.append(items)
    return {"action": {"name": "x", "args": items}}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"score": float("nan")}, "step.score: NaN is not a JSON number"),
        ({"score": "forty"}, "invalid type"),
        ({"say": 5}, "invalid type"),
        ({"turn": 2**70}, "invalid"),
        ({"turn": -1}, "invalid"),
        ({1: 2}, "step: the key 1 is not a string"),
        ({"action": {"name": "x", "args": {2: 3}}}, "step.action.args: the key 2"),
        ({"action": {"name": "x", "args": {"when": object()}}}, "step.action.args.when: a value of type object"),
        ({"say": "\ud800"}, "not valid Unicode"),
        ("\ud800", "not valid Unicode"),
        (b"\xff", "not UTF-8"),
        ("", "invalid step"),
        ("[]", "invalid step"),
        ("{", "invalid step"),
        (5, "expected a dict"),
        (None, "expected a dict"),
        ([], "expected a dict"),
        ({"action": {"name": "x", "args": 10**5000}}, "too many digits"),
        (cyclic(), "contains itself"),
    ],
)
def test_a_wrong_step_is_an_error_that_says_where(step: Any, message: str) -> None:
    guard = loopbreak.Guard()
    before = guard.snapshot()
    with pytest.raises(loopbreak.StepError, match=message.replace(".", r"\.")):
        guard.observe(step)
    assert guard.snapshot() == before
    assert issubclass(loopbreak.StepError, ValueError)


def test_long_steps_are_bounded() -> None:
    guard = loopbreak.Guard()
    assert guard.observe({"say": "x" * 8_000_000}).turn == 1
    with pytest.raises(loopbreak.StepError, match="too large"):
        guard.observe({"say": "\x01" * 12_000_000})
    shared: Any = "x" * 1000
    for _ in range(60):
        shared = [shared, shared]
    with pytest.raises(loopbreak.StepError, match="too large"):
        guard.observe({"action": {"name": "x", "args": shared}})
    assert len(guard.snapshot()) < 70_000


def test_a_guard_continues_from_its_snapshot() -> None:
    whole, parts = loopbreak.Guard(run="r"), loopbreak.Guard(run="r")
    for number in range(12):
        one, other = whole.observe(FAILED), parts.observe(FAILED)
        assert one == other and one.verdict == other.verdict
        parts = loopbreak.Guard.restore(parts.snapshot()) if number % 2 else pickle.loads(pickle.dumps(parts))
    assert whole.snapshot() == parts.snapshot()
    for text in ("", "{}", "[1]", '{"version":99,"state":{}}'):
        with pytest.raises(loopbreak.SnapshotError):
            loopbreak.Guard.restore(text)


def test_threads_share_a_guard() -> None:
    guard = loopbreak.Guard({"mode": "observe"})

    def work() -> None:
        for _ in range(300):
            guard.observe(FAILED)
            guard.weigh({"action": "x"})

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert guard.turn == 1800


def test_a_config_is_checked(tmp_path: Path) -> None:
    config = loopbreak.Config(profile="coding", policy={"insist": 3})
    assert config.to_dict()["policy"]["insist"] == 3 and config.to_dict()["profile"] == "coding"
    assert config == loopbreak.Config({"profile": "coding", "policy": {"insist": 3}}) == pickle.loads(pickle.dumps(config))
    assert config != loopbreak.Config() and repr(config) == 'Config(profile="coding", mode="enforce")'
    assert loopbreak.Config(config, mode="observe").to_dict()["policy"]["insist"] == 3
    with pytest.raises(loopbreak.ConfigError, match="did you mean max_turns"):
        loopbreak.Config(stagnation={"max_turn": 5})
    file = tmp_path / "loopbreak.toml"
    file.write_text("[stagnation]\nmax_turns = 50\n")
    assert loopbreak.Config.from_file(file).to_dict()["stagnation"]["max_turns"] == 50
    assert loopbreak.Guard(str(file)).config == loopbreak.Guard(file).config
    file.write_text("[stagnation]\nmax_turn = 50\n")
    with pytest.raises(loopbreak.ConfigError, match="loopbreak.toml:2:1: unknown key") as caught:
        loopbreak.Guard(file)
    assert caught.value.problems[0]["line"] == 2
    for wrong in (5, [], tmp_path / "none.toml", {"policy": {"insist": float("nan")}}, {1: 2}):
        with pytest.raises(loopbreak.ConfigError):
            loopbreak.Guard(wrong)  # type: ignore[arg-type]


def test_a_config_is_loaded_in_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert loopbreak.load_config() == loopbreak.Config()
    (tmp_path / "pyproject.toml").write_text("[tool.loopbreak.stagnation]\nmax_turns = 50\n")
    monkeypatch.setenv("LOOPBREAK_STAGNATION__WARN_AT", "25")
    loaded = loopbreak.load_config(profile="game").to_dict()
    assert (loaded["profile"], loaded["stagnation"]["max_turns"], loaded["stagnation"]["warn_at"]) == ("game", 50, 25)
    monkeypatch.setenv("LOOPBREAK_STAGNATION__WARN_AT", "many")
    with pytest.raises(loopbreak.ConfigError, match="LOOPBREAK_STAGNATION__WARN_AT"):
        loopbreak.load_config()


def test_a_series_judges_tasks() -> None:
    series = loopbreak.Series()
    attempt = {"at": 1760825000000, "task": {"id": "T7", "status": "in_progress", "work": ["read file A"]}}
    for run in ("run-1", "run-2", "run-3"):
        assert not series.check("T7").is_looping
        series.observe(run, attempt)
    check = series.check("T7")
    assert check and (check.loop_type, check.recommendation, check.attempt_count) == ("no_progress_repeat", "escalate", 3)
    assert check.to_dict()["isLooping"] is True and check.reason and check.evidence
    assert series.status()["T7"]["attemptCount"] == 3 and not series.was_forced("T7")
    again = pickle.loads(pickle.dumps(loopbreak.Series.restore(series.snapshot())))
    assert again.check("T7") == check
    series.clear_attempts("T7")
    assert not series.check("T7")
    with pytest.raises(loopbreak.SnapshotError):
        loopbreak.Series.restore("x")


def test_everything_public_has_a_text_and_a_repr() -> None:
    for name in loopbreak.__all__:
        assert hasattr(loopbreak, name), name
        if not name.startswith("__"):
            assert getattr(loopbreak, name).__doc__, name
