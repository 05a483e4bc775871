"""Types of arguments that several functions take."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from loopbreak._native import Config, Step

Path = Union[str, "os.PathLike[str]"]
#: A config, its options as in ``loopbreak.toml``, the path of a file, or None for the defaults.
ConfigLike = Union["Config", Mapping[str, Any], Path, None]
#: The path or the address of a store, True for that of the user, or None to keep everything in memory.
StoreLike = Union[Path, bool, None]
#: A step: a dict with the keys of the step record, its JSON text, or a step that was read from a log.
StepLike = Union["Step", Mapping[str, Any], str, bytes, bytearray]
