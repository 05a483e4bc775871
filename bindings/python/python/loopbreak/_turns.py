"""What adapters remember between two messages of a model: which calls are parallel, what they cost, and advice not yet given."""

from __future__ import annotations

import itertools
import threading
import uuid
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loopbreak._adapter import note

if TYPE_CHECKING:
    from loopbreak import Advice

__all__ = ["ModelTurns", "token_usage"]

_MAX_CONVERSATIONS = 1000
_MAX_ADVICE = 32


@dataclass
class _ModelTurn:
    """The newest message of the model in one conversation."""

    batch: str | None = None
    usage: dict[str, int] | None = None
    advice: list[Advice | str] = field(default_factory=list)


class ModelTurns:
    """The newest model message of each conversation. All calls of one message get the same batch.

    The least recently used conversations are forgotten: their next calls are then no batch, which is what single calls are.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: OrderedDict[Hashable, _ModelTurn] = OrderedDict()
        self._prefix = uuid.uuid4().hex[:8]
        self._numbers = itertools.count(1)

    def begin(self, key: Hashable, usage: Mapping[str, Any] | None = None) -> None:
        """Starts a new batch: the model has sent a message, which cost this much."""
        with self._lock:
            turn = self._turn(key)
            turn.batch = f"{self._prefix}-{next(self._numbers)}"
            # Usage of a message without calls is added to that of the next call.
            turn.usage = _sum(turn.usage, usage)

    def add_usage(self, key: Hashable, usage: Mapping[str, Any]) -> None:
        """Adds usage to that of the newest message."""
        with self._lock:
            turn = self._turn(key)
            turn.usage = _sum(turn.usage, usage)

    def batch(self, key: Hashable) -> str | None:
        """Returns the batch of the calls that run now."""
        with self._lock:
            return self._turn(key).batch

    def take_usage(self, key: Hashable) -> dict[str, int] | None:
        """Returns the usage of the message, once: it belongs to the message and not to each of its calls."""
        with self._lock:
            turn = self._turn(key)
            usage, turn.usage = turn.usage, None
            return usage

    def hold(self, key: Hashable, advice: Iterable[Advice | str]) -> None:
        """Keeps advice that the framework has no place for yet."""
        with self._lock:
            turn = self._turn(key)
            turn.advice = [*turn.advice, *advice][-_MAX_ADVICE:]

    def take_note(self, key: Hashable) -> str:
        """Returns the advice that was kept, as one text for the model, and forgets it."""
        with self._lock:
            turn = self._turn(key)
            advice, turn.advice = turn.advice, []
        return note(advice)

    def _turn(self, key: Hashable) -> _ModelTurn:
        turn = self._turns.setdefault(key, _ModelTurn())
        self._turns.move_to_end(key)
        while len(self._turns) > _MAX_CONVERSATIONS:
            self._turns.popitem(last=False)
        return turn


def token_usage(usage: object, input_name: str, output_name: str) -> dict[str, int] | None:
    """Returns the two counts of a framework's usage object or mapping as the guard names them, or `None` if there are none."""
    counts = {}
    for name, source in (("input_tokens", input_name), ("output_tokens", output_name)):
        value = usage.get(source) if isinstance(usage, Mapping) else getattr(usage, source, None)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            counts[name] = value
    return counts or None


def _sum(first: Mapping[str, Any] | None, second: Mapping[str, Any] | None) -> dict[str, int] | None:
    if first is None or second is None:
        known = first if second is None else second
        return None if known is None else dict(known)
    return {name: first.get(name, 0) + second.get(name, 0) for name in {**first, **second}}
