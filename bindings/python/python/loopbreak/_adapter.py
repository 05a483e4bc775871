"""What all framework adapters share: runs by id, methods that never raise, and calls that are counted once.

An adapter holds one `AdapterRuns` and asks it for the `SafeRun` of each conversation. It passes the call to `before`, runs the
tool if the ruling accepts it, and passes the outcome to `after`. An error inside the guard is logged once, the call is allowed
and no advice is given. The only exception that an adapter raises by itself is `LoopStopped`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import loopbreak
from loopbreak import _native

if TYPE_CHECKING:
    from loopbreak import Advice, LoopStopped

__all__ = ["AdapterRuling", "AdapterRuns", "SafeRun", "add_note", "as_args", "as_text", "note", "stop_as"]

PREFIX = "[loopbreak] "
"""Marks the sentences that an adapter puts before the model."""

_MAX_TEXT = 1_000_000
_MAX_PENDING = 4096
_MAX_ID = 200
_USAGE_KEYS = ("input_tokens", "output_tokens", "cost_usd")

_log = logging.getLogger("loopbreak")
_Value = TypeVar("_Value")
_Stop = TypeVar("_Stop", bound="LoopStopped")


@dataclass(frozen=True)
class AdapterRuling:
    """The decision about one call: `text` is the sentence for the model, `stopped` is set if the run has to end."""

    decision: Literal["allow", "refuse", "stop"] = "allow"
    text: str = ""
    stopped: LoopStopped | None = None

    @property
    def accepted(self) -> bool:
        """True if the tool may run."""
        return self.decision == "allow"


_ALLOWED = AdapterRuling()


@dataclass
class _PendingCall:
    """A call between `before` and `after`, as the first adapter that saw it has started it."""

    ruling: AdapterRuling
    is_recorded: bool = False


class _PendingCalls:
    """Finds the calls that two adapters see at the same time, so that the second one does not count them again.

    Only calls that overlap are compared: a model may use the same call id again in its next message.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: OrderedDict[tuple[str, ...], _PendingCall] = OrderedDict()

    def find(self, key: tuple[str, ...]) -> AdapterRuling | None:
        with self._lock:
            call = self._calls.get(key)
            return None if call is None or call.is_recorded else call.ruling

    def add(self, key: tuple[str, ...], ruling: AdapterRuling) -> None:
        with self._lock:
            # A refused call was recorded by `before` already, and nobody runs its tool.
            self._calls[key] = _PendingCall(ruling, is_recorded=not ruling.accepted)
            self._calls.move_to_end(key)
            while len(self._calls) > _MAX_PENDING:
                self._calls.popitem(last=False)

    def claim(self, key: tuple[str, ...]) -> bool:
        """Returns true for the first adapter that reports the outcome of the call."""
        with self._lock:
            call = self._calls.get(key)
            if call is None:
                return True
            if call.is_recorded:
                del self._calls[key]
                return False
            call.is_recorded = True
            return True


_STORED_CALLS = _PendingCalls()
"""Calls of the runs in a store: several `AdapterRuns` of this process may guard the same run there."""


class AdapterRuns:
    """The guarded runs of one adapter, each under the id of its session or thread.

    A wrong `config` is an error here, because the program cannot mean it. Nothing raises after that: `on_error` gets each error.
    """

    def __init__(
        self,
        config: Any = None,
        store: Any = None,
        on_error: Callable[[BaseException], object] | None = None,
        *,
        max_runs: int = 1000,
    ) -> None:
        self._runs = loopbreak.Runs(config=config, store=store, max_runs=max_runs)
        self._store = store
        self._on_error = on_error
        self._has_logged = False
        self._usage: OrderedDict[str, dict[str, float]] = OrderedDict()
        self._held: OrderedDict[str, list[Advice]] = OrderedDict()
        self._first_agents: OrderedDict[str, str] = OrderedDict()
        self._kept_lock = threading.Lock()
        self._pending = _PendingCalls() if store is None else _STORED_CALLS

    def run(self, run_id: object) -> SafeRun:
        """Returns the run with this id. The same id always names the same run."""
        return SafeRun(self, _to_id(run_id))

    def guarded(self, operation: Callable[[], _Value], otherwise: _Value) -> _Value:
        """Returns the result of the operation, or `otherwise` if the guard failed."""
        try:
            return operation()
        except (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError):
            raise
        except BaseException as error:  # a panic of the native module is no `Exception`
            self._report(error)
            return otherwise

    def _add_usage(self, run_id: str, usage: Mapping[str, Any]) -> None:
        counts = {key: usage[key] for key in _USAGE_KEYS if isinstance(usage.get(key), (int, float))}
        with self._kept_lock:
            kept = self._usage.setdefault(run_id, {})
            for key, count in counts.items():
                kept[key] = kept.get(key, 0) + count
            while len(self._usage) > _MAX_PENDING:
                self._usage.popitem(last=False)

    def _hold(self, run_id: str, advice: Iterable[Advice]) -> None:
        with self._kept_lock:
            if found := list(advice):
                self._held.setdefault(run_id, []).extend(found)
            while len(self._held) > _MAX_PENDING:
                self._held.popitem(last=False)

    def _take_held(self, run_id: str) -> list[Advice]:
        with self._kept_lock:
            return self._held.pop(run_id, [])

    def _label(self, run_id: str, agent: str | None) -> str | None:
        """Returns the label of an agent. The first one of a run has none: a message of the user is said to the agent without label."""
        if agent is None:
            return None
        with self._kept_lock:
            first = self._first_agents.setdefault(run_id, agent)
            while len(self._first_agents) > _MAX_PENDING:
                self._first_agents.popitem(last=False)
        return None if agent == first else agent

    def _take_usage(self, run_id: str) -> dict[str, float] | None:
        with self._kept_lock:
            return self._usage.pop(run_id, None) or None

    def _report(self, error: BaseException) -> None:
        if not self._has_logged:
            self._has_logged = True
            _log.warning(
                "the loop guard failed; the agent continues without it (reported once)", exc_info=error
            )
        if self._on_error is not None:
            try:
                self._on_error(error)
            except Exception:
                _log.debug("on_error of the loop guard failed", exc_info=True)


class SafeRun:
    """A run whose methods never raise. They are those of `loopbreak.Run`, and may be called from several threads.

    `call_id` is the id that the framework gives to the call. With it, a call that two adapters see at the same time is counted once.
    """

    def __init__(self, runs: AdapterRuns, run_id: str) -> None:
        self._owner = runs
        self.id = run_id

    def before(
        self,
        name: str,
        args: object,
        *,
        agent: str | None = None,
        batch: str | int | None = None,
        call_id: str | None = None,
    ) -> AdapterRuling:
        """Weighs a call, and records it if it is refused. Do not call `after` for a call that is not accepted."""

        def weigh() -> AdapterRuling:
            plain = as_args(args)
            key = self._key(name, plain, call_id)
            if key is not None and (known := self._owner._pending.find(key)) is not None:
                return known
            run = self._run()
            label = self._owner._label(self.id, agent)
            native = run.before(name, plain, agent=label, batch=batch)
            ruling = self._ruling(run, native.decision, native.text)
            if key is not None:
                self._owner._pending.add(key, ruling)
            return ruling

        return self._owner.guarded(weigh, _ALLOWED)

    def after(
        self,
        name: str,
        args: object,
        outcome: object = None,
        error: bool | None = None,
        usage: Mapping[str, Any] | None = None,
        *,
        exit: int | None = None,
        denied: str | None = None,
        agent: str | None = None,
        batch: str | int | None = None,
        call_id: str | None = None,
    ) -> list[Advice]:
        """Records a call with its outcome, and returns the advice for the agent, also that about its texts since the last call."""

        def observe() -> list[Advice]:
            plain = as_args(args)
            key = self._key(name, plain, call_id)
            if key is not None and not self._owner._pending.claim(key):
                return []
            text = None if outcome is None else as_text(outcome)
            if usage is not None:
                self._owner._add_usage(self.id, usage)
            spent = self._owner._take_usage(self.id)
            label = self._owner._label(self.id, agent)
            advice = self._run().after(
                name, plain, text, error, spent, exit=exit, denied=denied, agent=label, batch=batch
            )
            return [*self._owner._take_held(self.id), *advice]

        return self._owner.guarded(observe, [])

    def usage(self, usage: Mapping[str, Any]) -> None:
        """Keeps the usage of a model call (`input_tokens`, `output_tokens`, `cost_usd`) for the next call of a tool."""
        self._owner.guarded(lambda: self._owner._add_usage(self.id, usage), None)

    def user(self, text: str | None = None) -> None:
        """Records a message of the user, which ends streaks."""
        self._note(lambda: self._run().user(text))

    def text(self, say: str) -> None:
        """Records what the model said."""
        if say:
            self._note(lambda: self._run().text(say))

    def compacted(self) -> None:
        """Records that the conversation was summarized or cut."""
        self._note(lambda: self._run().compacted())

    def continued(self) -> None:
        """Records that the agent was sent on without a word of the user."""
        self._note(lambda: self._run().continued())

    @property
    def stopped(self) -> LoopStopped | None:
        """The reason why the run has to end, or `None`."""
        stopped: LoopStopped | None = self._owner.guarded(lambda: self._run().stopped, None)
        return stopped

    def raise_if_stopped(self) -> None:
        """Raises `LoopStopped` if the run has to end."""
        if (stopped := self.stopped) is not None:
            raise stopped

    def snapshot(self) -> str | None:
        """Returns the state of the guard, or `None` if it failed."""
        text: str | None = self._owner.guarded(lambda: self._run().snapshot(), None)
        return text

    def _note(self, report: Callable[[], Iterable[Advice] | None]) -> None:
        """Makes a report, and keeps the advice for the next call."""
        self._owner.guarded(lambda: self._owner._hold(self.id, report() or ()), None)

    def _run(self) -> Any:
        # Not kept: the run may have been moved to a snapshot since the last call.
        return self._owner._runs.get(self.id)

    def _ruling(self, run: Any, decision: str, text: str) -> AdapterRuling:
        stopped = run.stopped if decision == "stop" else None
        if decision == "allow":
            return _ALLOWED
        return AdapterRuling("refuse" if stopped is None else "stop", str(text), stopped)

    def _key(self, name: str, plain: object, call_id: str | None) -> tuple[str, ...] | None:
        if not call_id:
            return None
        store = self._owner._store
        return (str(store), self.id, call_id, name, json.dumps(plain, sort_keys=True, default=str))


def stop_as(kind: type[_Stop], stopped: LoopStopped) -> _Stop:
    """Returns the same stop as an exception that a framework lets through: `kind` is a `LoopStopped` and an exception of it."""
    error = kind.__new__(kind, *stopped.args)
    error.__dict__.update(vars(stopped))
    return error


def note(advice: Iterable[Advice | str]) -> str:
    """Returns the advice as one text for the model, or an empty text."""
    texts = [text for text in (str(one).strip() for one in advice) if text]
    return PREFIX + "\n".join(texts) if texts else ""


def add_note(text: str, advice: Iterable[Advice | str]) -> str:
    """Returns the text of a result with the advice behind it."""
    said = note(advice)
    return "\n\n".join(part for part in (text, said) if part)


def as_text(value: object) -> str:
    """Returns the result of a tool as text, with its middle left out if it is very long."""
    if isinstance(value, str):
        text = value
    elif value is None:
        text = ""
    elif isinstance(value, bytes):
        text = value.decode("utf-8", "replace")
    elif isinstance(value, BaseException):
        text = f"{type(value).__name__}: {value}"
    else:
        text = _native.plain_json(value)
    text = _to_unicode(text)
    if len(text) <= _MAX_TEXT:
        return text
    # The sum tells texts apart that differ only in the part that is left out.
    half = _MAX_TEXT // 2
    left_out = text[half:-half]
    summary = f"[{len(left_out)} characters left out, sum {zlib.crc32(left_out.encode())}]"
    return f"{text[:half]}\n{summary}\n{text[-half:]}"


def as_args(value: object) -> Any:
    """Returns the arguments of a call as plain JSON values. A text is passed on: the guard reads JSON in it."""
    if value is None:
        return None
    if isinstance(value, str):
        return _to_unicode(value)
    return json.loads(_native.plain_json(value))


def _to_id(value: object) -> str:
    """Returns an id as a guard takes it: one line of at most 200 bytes."""
    text = " ".join(_to_unicode(str(value)).split()) or "main"
    if len(text.encode()) <= _MAX_ID:
        return text
    return f"{text[:40]}…{hashlib.sha256(text.encode()).hexdigest()}"


def _to_unicode(text: str) -> str:
    """Replaces lone surrogates, which the native module cannot take."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text

