"""The detector and the recovery of an orchestrator that works through tasks.

Ask ``check`` before a task is attempted, report the attempt with ``record``, and carry out what ``recover`` decides.

    detector = TaskDetector()
    detector.record("T3.4.3", "blocked", blockers=["the design system is not available"])
    check = detector.check("T3.4.3")
    if check.is_looping:
        recovery = detector.recover("T3.4.3", run="session-1")
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional

from loopbreak._native import Config, Series, TaskCheck, Verdict

if TYPE_CHECKING:
    from loopbreak._types import ConfigLike


class Recovery:
    """What is to be done about a task. Your program carries it out."""

    __slots__ = ("task", "verdict")

    def __init__(self, task: str, verdict: Verdict) -> None:
        #: The id of the task.
        self.task = task
        #: The whole verdict.
        self.verdict = verdict

    @property
    def action(self) -> Optional[str]:
        """The recovery: ``force_next``, ``unblock_authority``, ``escalate``, ``warn``, or None if nothing is to be done."""
        interventions = self.verdict.interventions
        return interventions[0] if interventions else None

    @property
    def reason(self) -> str:
        """The reason, in one sentence without a full stop."""
        acted = [decision for decision in self.verdict.decisions if decision.acted]
        return acted[0].reason if acted else ""

    @property
    def tasks(self) -> list[dict[str, Any]]:
        """Tasks whose status changes. ``forced`` marks one that is closed although its work is not finished."""
        return self.verdict.tasks

    @property
    def context(self) -> list[dict[str, Any]]:
        """Entries for the context that agents share."""
        return self.verdict.context

    @property
    def for_agent(self) -> list[str]:
        """Texts for the agent."""
        return [advice.text for advice in self.verdict.advice if advice.audience == "agent"]

    @property
    def for_user(self) -> list[str]:
        """Texts for the human who is asked to decide."""
        return [advice.text for advice in self.verdict.advice if advice.audience == "user"]

    def __bool__(self) -> bool:
        return self.action is not None

    def __repr__(self) -> str:
        return f"Recovery(task={self.task!r}, action={self.action!r}, reason={self.reason!r})"


class TaskDetector:
    """Attempts at tasks, over any number of sessions. Threads can share it."""

    __slots__ = ("series",)

    def __init__(self, config: ConfigLike = None) -> None:
        #: The series below it.
        self.series = Series(Config(profile="tasks") if config is None else config)

    def record(
        self,
        task: str,
        status: Optional[str] = None,
        *,
        blockers: Iterable[str] = (),
        work: Iterable[str] = (),
        session: Optional[str] = None,
        at: Optional[int] = None,
    ) -> bool:
        """Records an attempt. ``at`` is in milliseconds since 1970, and the current time if it is left out.

        Returns false if it is not an attempt, because it has neither a status nor blockers nor work.
        """
        parts: dict[str, Any] = {"id": task, "blockers": list(blockers), "work": list(work)}
        if status is not None:
            parts["status"] = status
        if session is not None:
            parts["session"] = session
        return self.series.record({"at": _now() if at is None else at, "task": parts})

    def check(self, task: str, now: Optional[int] = None) -> TaskCheck:
        """Checks whether a task loops, and changes nothing. ``now`` is in milliseconds since 1970."""
        return self.series.check(task, now)

    def recover(self, task: str, run: str = "", now: Optional[int] = None) -> Recovery:
        """Chooses the recovery of a task that loops, and remembers it, so that nothing is granted twice."""
        return Recovery(task, self.series.recover(run, task, now))

    def status(self) -> dict[str, dict[str, Any]]:
        """Returns the recent attempts at all tasks."""
        return self.series.status()

    def clear(self, task: str) -> None:
        """Forgets the attempts at a task, such as after a human changed it."""
        self.series.clear_attempts(task)

    def was_forced(self, task: str) -> bool:
        """Returns whether the agent was moved away from a task, which is not finished and must not be started again."""
        return self.series.was_forced(task)

    def snapshot(self) -> str:
        """Returns the state as a text, to be stored."""
        return self.series.snapshot()

    @classmethod
    def restore(cls, text: str, config: ConfigLike = None) -> TaskDetector:
        """Creates a detector that continues where the snapshot was taken."""
        restored = cls.__new__(cls)
        restored.series = Series.restore(text, Config(profile="tasks") if config is None else config)
        return restored

    def __repr__(self) -> str:
        return f"TaskDetector(tasks={len(self.status())})"


def _now() -> int:
    return time.time_ns() // 1_000_000
