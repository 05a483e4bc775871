"""Reports on logs."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from loopbreak import _native

if TYPE_CHECKING:
    import pandas
    import polars

    from loopbreak._types import ConfigLike

_Path = Union[str, "os.PathLike[str]"]

#: The columns of a table of runs: those values of a run that are not lists or objects.
_FLAT = (str, int, float, bool, type(None))


class RunReport:
    """The report on one run. Its attributes are the keys of the report, such as ``verdict`` and ``steps``."""

    __slots__ = ("_data",)

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        try:
            return self._data[name]
        except KeyError:
            raise AttributeError(f"a run of the report has no key {name!r}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    def to_dict(self) -> dict[str, Any]:
        """Returns the run as a dict."""
        return dict(self._data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunReport) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[RunReport], tuple[dict[str, Any]]]:
        return (RunReport, (self._data,))

    def __repr__(self) -> str:
        return f"RunReport(run={self.run!r}, verdict={self.verdict!r}, steps={self.steps!r})"


class Report:
    """The report on logs, as ``loopbreak analyze --json`` prints it."""

    __slots__ = ("_data", "_json", "problems")

    def __init__(self, text: str, problems: Sequence[str] = ()) -> None:
        self._json = text
        self._data: Optional[dict[str, Any]] = None
        #: What could not be read, one text each.
        self.problems = list(problems)

    def _read(self) -> dict[str, Any]:
        if self._data is None:
            data: dict[str, Any] = json.loads(self._json)
            self._data = data
            return data
        return self._data

    @property
    def runs(self) -> list[RunReport]:
        """One entry per run, in the order of reading."""
        return [RunReport(run) for run in self._read()["runs"]]

    @property
    def totals(self) -> dict[str, Any]:
        """The totals of all runs."""
        totals: dict[str, Any] = self._read()["totals"]
        return totals

    @property
    def series(self) -> list[dict[str, Any]]:
        """Tasks that were attempted in more than one run, and prompts whose runs die young."""
        series: list[dict[str, Any]] = self._read()["series"]
        return series

    @property
    def worst(self) -> str:
        """The worst verdict of all runs: ``clear``, ``warn`` or ``stop``."""
        order = ["clear", "warn", "stop"]
        return max((run["verdict"] for run in self._read()["runs"]), key=order.index, default="clear")

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as a dict."""
        data: dict[str, Any] = json.loads(self._json)
        return data

    def to_json(self) -> str:
        """Returns the report as JSON text: what the command prints, without the last line end."""
        return self._json

    def rows(self) -> list[dict[str, Any]]:
        """Returns one flat dict per run, for a table: the first warning and stop are spread over columns."""
        return [_row(run) for run in self._read()["runs"]]

    def to_pandas(self) -> pandas.DataFrame:
        """Returns one row per run. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows())

    def to_polars(self) -> polars.DataFrame:
        """Returns one row per run. Needs polars."""
        import polars

        return polars.DataFrame(self.rows(), infer_schema_length=None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._json == other._json

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Report], tuple[str, list[str]]]:
        return (Report, (self._json, self.problems))

    def __len__(self) -> int:
        return len(self._read()["runs"])

    def __repr__(self) -> str:
        totals = self.totals
        return (
            f"Report(runs={totals['runs']}, warned={totals['warned']}, "
            f"stopped={totals['stopped']})"
        )

    def _repr_html_(self) -> str:
        shown = 50
        rows = self.rows()
        names = ("run", "verdict", "steps", "first_warning_turn", "first_stop_turn", "steps_after_stop", "tokens", "cost_usd")
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>" for row in rows[:shown]
        )
        more = f"<p>… and {len(rows) - shown} more runs</p>" if len(rows) > shown else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}<p>{html.escape(repr(self))}</p>"


def _cell(value: object) -> str:
    return "" if value is None else html.escape(str(value))


def _row(run: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, value in run.items():
        if key in ("first_warning", "first_stop", "ending"):
            parts = value or {}
            for part in ("turn", "detector", "pattern"):
                row[f"{key}_{part}"] = parts.get(part)
        elif isinstance(value, _FLAT):
            row[key] = value
    row["findings"] = len(run["findings"]) + run.get("unlisted_findings", 0)
    return row


def analyze(
    paths: Union[_Path, Iterable[_Path]],
    config: ConfigLike = None,
    *,
    run: Optional[str] = None,
    format: Optional[str] = None,
) -> Report:
    """Analyzes logs: files and folders, in any format that Loopbreak reads.

    ``run`` selects one run by its id, and ``format`` reads every log as this format. The report is that of
    ``loopbreak analyze --json``. Raises ``LogError`` if nothing could be read.
    """
    text, problems = _native.analyze_logs(paths, config, run, format)
    return Report(text, problems)
