"""The exceptions of Loopbreak."""

from __future__ import annotations

from typing import Any


class LoopbreakError(Exception):
    """An error of Loopbreak."""


class ConfigError(LoopbreakError, ValueError):
    """A configuration that is not valid. The message has every problem with its place."""

    #: The problems, each with ``message``, ``hint``, ``option``, ``line`` and ``column``.
    problems: list[dict[str, Any]]

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.problems = []


class StepError(LoopbreakError, ValueError):
    """A step or a proposal that is not valid."""


class SnapshotError(LoopbreakError, ValueError):
    """A state that cannot be restored."""


class StoreError(LoopbreakError):
    """A store that cannot be used."""


class LogError(LoopbreakError, OSError):
    """A log that cannot be read."""


class LoopStopped(Exception):
    """The end of a run, because the agent is stuck or reached a limit.

    It is not an error of Loopbreak, so it is not a ``LoopbreakError``: a program that handles those lets it pass.
    """

    def __init__(
        self,
        run: str,
        pattern: str,
        since: int,
        loop_id: str,
        reason: str,
        evidence: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(run, pattern, since, loop_id, reason, evidence)
        #: The id of the run.
        self.run = run
        #: The pattern that names the reason, such as ``refused_repeat``.
        self.pattern = pattern
        #: The turn at which the loop began.
        self.since = since
        #: The id of the loop.
        self.loop_id = loop_id
        #: The reason, in one sentence without a full stop.
        self.reason = reason
        #: The facts behind it.
        self.evidence: dict[str, Any] = evidence if evidence is not None else {}

    def __str__(self) -> str:
        return f"run {self.run} was stopped: {self.reason} ({self.pattern}, since turn {self.since})"
