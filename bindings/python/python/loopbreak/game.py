"""The guard of an agent that plays a text adventure, or moves through any other map.

A critic scores each action before it is taken. ``GameGuard.adjust`` returns the score that decides: it is lowered if the action would
continue a loop, such as going back to a room for the third time. ``GameGuard.after`` takes what came of the action, and returns the texts
for the next contexts of the agent and the critic, and the end of the episode if the game is stuck.

    guard = GameGuard(run="episode-7")
    ruling = guard.adjust("north", critic_score=0.8)
    if ruling.accepted:
        turn = guard.after("north", place={"id": 20, "name": "Dam"}, score=40, critic_score=0.8)
        if turn.ended:
            ...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from loopbreak._native import Config, Guard, Ruling, Verdict

if TYPE_CHECKING:
    from loopbreak._types import ConfigLike

#: A place: its name or number, or both with its exits, as in the step record.
Place = Union[str, int, Mapping[str, Any]]


class GameTurn:
    """What the guard says after a turn of a game."""

    __slots__ = ("verdict",)

    def __init__(self, verdict: Verdict) -> None:
        #: The whole verdict.
        self.verdict = verdict

    @property
    def for_agent(self) -> list[str]:
        """Texts for the next context of the agent: warnings, the countdown, exits that were not tried."""
        return self._texts("agent")

    @property
    def for_critic(self) -> list[str]:
        """Texts for the next context of the critic."""
        texts = self._texts("critic")
        ruling = self.verdict.ruling
        if ruling is not None:
            for advice in ruling.advice:
                if advice.audience == "critic" and advice.text not in texts:
                    texts.append(advice.text)
        return texts

    @property
    def ended(self) -> Optional[str]:
        """The reason why the episode has to end, such as ``stuck_no_progress``, or None."""
        stop = self.verdict.stop_due
        return None if stop is None else stop.reason

    @property
    def progress(self) -> bool:
        """True if the turn made progress: the score changed, or an objective was completed."""
        return self.verdict.progress

    @property
    def events(self) -> list[dict[str, Any]]:
        """Events for the log of the episode, such as ``score_change``. The name is under ``event_type``."""
        return self.verdict.events

    def _texts(self, audience: str) -> list[str]:
        return [advice.text for advice in self.verdict.advice if advice.audience == audience]

    def __repr__(self) -> str:
        return f"GameTurn(turn={self.verdict.turn}, verdict={self.verdict.verdict!r}, ended={self.ended!r})"


class GameGuard:
    """The guard of one episode. Threads can share it."""

    __slots__ = ("guard",)

    def __init__(self, config: ConfigLike = None, run: Optional[str] = None) -> None:
        #: The guard below it.
        self.guard = Guard(Config(profile="game") if config is None else config, run)

    def adjust(
        self,
        action: Union[str, Mapping[str, Any]],
        critic_score: Optional[float] = None,
        *,
        place: Optional[Place] = None,
        destination: Optional[Place] = None,
        agent: Optional[str] = None,
    ) -> Ruling:
        """Adjusts the critic's score of an action before it is taken, and changes nothing.

        ``destination`` is the place that the action leads to, if your map has it. Without it, the map that the guard learned from the
        steps decides. ``ruling.score`` is the score that counts, ``ruling.accepted`` says whether it is high enough, and
        ``ruling.adjustments`` has the reasons.
        """
        parts = {
            "action": _plain(action),
            "score": critic_score,
            "place": _place(place),
            "destination": _place(destination),
            "agent": agent,
        }
        return self.guard.weigh({name: part for name, part in parts.items() if part is not None})

    def after(
        self,
        action: Union[str, Mapping[str, Any]],
        *,
        response: Optional[str] = None,
        place: Optional[Place] = None,
        score: Optional[float] = None,
        critic_score: Optional[float] = None,
        active_objectives: Optional[Iterable[str]] = None,
        completed_objectives: Optional[Iterable[Union[str, Mapping[str, Any]]]] = None,
        destination: Optional[Place] = None,
        turn: Optional[int] = None,
        at: Optional[Union[int, str]] = None,
        agent: Optional[str] = None,
        refused: bool = False,
        usage: Optional[Mapping[str, Any]] = None,
    ) -> GameTurn:
        """Takes what came of an action. ``place`` and ``score`` are those after it.

        ``completed_objectives`` are those that were completed in this turn. ``refused`` marks an action that was proposed and not
        taken because of its score.
        """
        objectives: dict[str, Any] = {}
        if active_objectives is not None:
            objectives["active"] = list(active_objectives)
        if completed_objectives is not None:
            objectives["completed"] = [_plain(objective) for objective in completed_objectives]
        parts = {
            "turn": turn,
            "at": at,
            "agent": agent,
            "action": _plain(action),
            "outcome": response,
            "place": _place(place),
            "destination": _place(destination),
            "score": score,
            "objectives": objectives or None,
            "critic": None if critic_score is None else {"score": critic_score},
            "refused": refused or None,
            "usage": None if usage is None else dict(usage),
        }
        return GameTurn(self.guard.observe({name: part for name, part in parts.items() if part is not None}))

    def snapshot(self) -> str:
        """Returns the state of the guard as a text, to be stored with the episode."""
        return self.guard.snapshot()

    @classmethod
    def restore(cls, text: str, config: ConfigLike = None) -> GameGuard:
        """Creates a guard that continues where the snapshot was taken."""
        restored = cls.__new__(cls)
        restored.guard = Guard.restore(text, Config(profile="game") if config is None else config)
        return restored

    def __repr__(self) -> str:
        return f"GameGuard(turn={self.guard.turn})"


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _place(place: Optional[Place]) -> Any:
    """Returns a place in the form of the step record. A number is its id."""
    if isinstance(place, int):
        return {"id": place}
    return _plain(place)
