"""Guards a small agent that is stuck: it runs the same failing test until Loopbreak ends the run."""

from __future__ import annotations

from typing import Any

import loopbreak


def call_tool(name: str, args: dict[str, Any]) -> tuple[str, bool]:
    """Stands for the tools of the agent. Returns the text for the model, and whether the call failed."""
    return f"{name} {args['command']}: 1 failed: it_adds", True


def next_call(context: list[str]) -> tuple[str, dict[str, Any]]:
    """Stands for the model, which does not read what it is told."""
    return "bash", {"command": "cargo test"}


def main() -> None:
    run = loopbreak.Run("example")
    context: list[str] = ["Make the tests pass."]
    run.user(context[0])
    while run.stopped is None:
        name, args = next_call(context)
        ruling = run.before(name, args)
        if not ruling.accepted:
            print(f"turn {run.turn}: {ruling.decision}: {ruling.text}")
            context.append(ruling.text)
            continue
        text, failed = call_tool(name, args)
        context.append(text)
        for advice in run.after(name, args, text, error=failed):
            print(f"turn {run.turn}: advice: {advice}")
            context.append(str(advice))
    print(f"ended: {run.stopped}")


if __name__ == "__main__":
    main()
