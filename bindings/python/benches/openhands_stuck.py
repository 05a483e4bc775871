"""Measures the StuckDetector of OpenHands on the steps of a log: ``openhands_stuck.py steps LOG``. Prints the seconds of a step.

Its events are made before, and lie in a list: what is measured is the check after each step, without the reading of stored events.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

os.environ["OPENHANDS_SUPPRESS_BANNER"] = "1"
logging.disable(logging.CRITICAL)

from openhands.sdk.conversation.stuck_detector import StuckDetector  # noqa: E402
from openhands.sdk.event import ActionEvent, ObservationEvent  # noqa: E402
from openhands.sdk.llm import MessageToolCall, TextContent  # noqa: E402
from openhands.sdk.tool.schema import Action, Observation  # noqa: E402

ROUNDS = 5


class StepAction(Action):
    args: str


class StepObservation(Observation):
    pass


class ListedEvents:
    """The part of a conversation that the detector reads."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def active_branch(self, limit: int) -> list[Any]:
        return self.events[-limit:]


def events(log: str) -> list[list[Any]]:
    """Returns the events of each step: the call, and its result."""
    found = []
    for number, line in enumerate(Path(log).read_text(encoding="utf-8").splitlines()):
        step = json.loads(line)
        action, outcome = step.get("action"), step.get("outcome", "")
        if not isinstance(action, dict):
            action = {"name": "say", "args": {"text": action or step.get("say", "")}}
        args = json.dumps(action.get("args", {}))
        text = outcome.get("text", "") if isinstance(outcome, dict) else outcome
        key = str(number)
        call = MessageToolCall(id=key, name=action["name"], arguments=args, origin="completion")
        act = ActionEvent(
            thought=[],
            action=StepAction(args=args),
            tool_name=action["name"],
            tool_call_id=key,
            tool_call=call,
            llm_response_id=key,
        )
        saw = ObservationEvent(
            observation=StepObservation(content=[TextContent(text=text)]),
            action_id=act.id,
            tool_name=action["name"],
            tool_call_id=key,
        )
        found.append([act, saw])
    return found


def main() -> None:
    steps = events(sys.argv[2])
    best = float("inf")
    for _ in range(ROUNDS):
        state = ListedEvents()
        detector = StuckDetector(state)  # type: ignore[arg-type]
        took, stuck = 0.0, 0
        for step in steps:
            state.events.extend(step)
            started = perf_counter()
            stuck += detector.is_stuck()
            took += perf_counter() - started
        assert stuck > 0, "nothing was found: the events are not those that it reads"
        best = min(best, took / len(steps))
    print(best)


main()
