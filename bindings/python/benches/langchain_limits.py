"""Measures the limit middleware of LangChain on the steps of a log: ``langchain_limits.py steps LOG``. Prints the seconds of a step.

Its state is made before: what is measured is what the middleware does after each answer of the model.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from langchain.agents.middleware import ModelCallLimitMiddleware, ToolCallLimitMiddleware
from langchain.messages import AIMessage, ToolMessage

ROUNDS = 20


def messages(log: str) -> list[list[Any]]:
    """Returns the messages of each step: the call, and its result."""
    found = []
    for number, line in enumerate(Path(log).read_text(encoding="utf-8").splitlines()):
        step = json.loads(line)
        action, outcome = step.get("action"), step.get("outcome", "")
        if isinstance(action, str) or action is None:
            action = {"name": "say", "args": {"text": action or step.get("say", "")}}
        args = action.get("args", {})
        args = args if isinstance(args, dict) else {"args": args}
        text = outcome.get("text", "") if isinstance(outcome, dict) else outcome
        call = {"name": action["name"], "args": args, "id": str(number)}
        found.append([AIMessage("", tool_calls=[call]), ToolMessage(text, tool_call_id=str(number))])
    return found


def main() -> None:
    steps = messages(sys.argv[2])
    tools, model = ToolCallLimitMiddleware(run_limit=10**9), ModelCallLimitMiddleware(run_limit=10**9)
    runtime: Any = None
    best = float("inf")
    for _ in range(ROUNDS):
        state: dict[str, Any] = {"messages": []}
        took = 0.0
        for call, result in steps:
            state["messages"].append(call)
            started = perf_counter()
            state.update(model.before_model(state, runtime) or {})
            state.update(model.after_model(state, runtime) or {})
            state.update(tools.after_model(state, runtime) or {})
            took += perf_counter() - started
            state["messages"].append(result)
        assert state["run_tool_call_count"]["__all__"] == len(steps)
        best = min(best, took / len(steps))
    print(best)


main()
