"""A circuit breaker for autonomous agents.

``Run`` stands between an agent and its tools: ask ``before`` each call, report it with ``after``. ``Guard`` is the engine below it:
it takes steps and gives verdicts. ``Series`` judges attempts at tasks over many runs.
"""

from loopbreak._errors import (
    ConfigError,
    LogError,
    LoopbreakError,
    LoopStopped,
    SnapshotError,
    StepError,
    StoreError,
)
from loopbreak._native import (
    Adjustment,
    Advice,
    CallRuling,
    Config,
    Decision,
    Finding,
    Guard,
    Ruling,
    Run,
    Runs,
    RunStop,
    Series,
    Step,
    TaskCheck,
    Verdict,
    __version__,
    load_config,
)

__all__ = [
    "Adjustment",
    "Advice",
    "CallRuling",
    "Config",
    "ConfigError",
    "Decision",
    "Finding",
    "Guard",
    "LogError",
    "LoopStopped",
    "LoopbreakError",
    "Ruling",
    "Run",
    "RunStop",
    "Runs",
    "Series",
    "SnapshotError",
    "Step",
    "StepError",
    "StoreError",
    "TaskCheck",
    "Verdict",
    "__version__",
    "load_config",
]
