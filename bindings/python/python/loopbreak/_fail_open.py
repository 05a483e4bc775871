"""Keeps errors of an adapter away from the agent, such as a field that a new version of a framework lacks."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import loopbreak

if TYPE_CHECKING:
    from loopbreak._adapter import AdapterRuns

__all__ = ["fail_open"]


class _HasRuns(Protocol):
    runs: AdapterRuns


_Method = TypeVar("_Method", bound=Callable[..., Any])


def fail_open(method: _Method) -> _Method:
    """Makes a method of an adapter return `None` instead of raising. Only `LoopStopped` and a cancelled task pass.

    Do not put it on a method that runs the tool itself: the errors of a tool belong to the agent.
    """
    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def asynchronous(self: _HasRuns, *args: Any, **kwargs: Any) -> Any:
            try:
                return await method(self, *args, **kwargs)
            except (loopbreak.LoopStopped, asyncio.CancelledError):
                raise
            except Exception as error:
                self.runs._report(error)
                return None

        return cast("_Method", asynchronous)

    @functools.wraps(method)
    def synchronous(self: _HasRuns, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except loopbreak.LoopStopped:
            raise
        except Exception as error:
            self.runs._report(error)
            return None

    return cast("_Method", synchronous)
