"""Runs whose steps are the rows of a table."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any, Literal

from loopbreak import _native

if TYPE_CHECKING:
    import pyarrow

    from loopbreak._types import ConfigLike

#: Columns whose text may be a JSON object.
_OBJECTS = ("action", "outcome", "place", "destination", "objectives", "task", "critic", "usage")
_FIELDS = (
    "turn",
    "at",
    "agent",
    "model",
    "batch",
    "harness",
    *_OBJECTS,
    "say",
    "user",
    "score",
    "progress",
    "refused",
)


def analyze_table_schema() -> pyarrow.Schema:
    """Returns the schema of the table that ``analyze_table`` returns. Needs pyarrow."""
    import pyarrow as pa

    text, whole, real = pa.string(), pa.int64(), pa.float64()
    return pa.schema(
        [
            pa.field("run", text),
            pa.field("steps", whole),
            pa.field("verdict", text),
            pa.field("first_warning_turn", whole),
            pa.field("first_warning_detector", text),
            pa.field("first_warning_pattern", text),
            pa.field("first_stop_turn", whole),
            pa.field("first_stop_detector", text),
            pa.field("first_stop_pattern", text),
            pa.field("steps_after_stop", whole),
            pa.field("ending_turn", whole),
            pa.field("steps_after_ending", whole),
            pa.field("refused", whole),
            pa.field("findings", text),
            pa.field("tokens", whole),
            pa.field("cost_usd", real),
            pa.field("tokens_after_stop", whole),
            pa.field("cost_after_stop_usd", real),
            pa.field("started", whole),
            pa.field("ended", whole),
            pa.field("skipped_rows", whole),
        ]
    )


def analyze_table(
    table: Any,
    *,
    config: ConfigLike = None,
    order: Literal["auto", "given"] = "auto",
) -> pyarrow.Table:
    """Analyzes runs whose steps are the rows of a table, and returns one row per run.

    ``table`` is anything with ``__arrow_c_stream__``: a table of pyarrow, polars, pandas or DuckDB, or a batch of Spark or Ray. The
    column ``run`` has the id of the run. The column ``step`` has the step as a JSON text, or else every part of the step has a column
    of its own, such as ``action`` and ``outcome``.

    The rows of a run are sorted by ``turn`` if every step has one, or else by ``at`` if every step has a time, because engines that
    distribute rows do not keep their order. Otherwise, and with ``order="given"``, they are taken in the order given. Rows that are not
    steps are counted in ``skipped_rows``.

    The arguments after the table have names, so that Spark takes the function as it is:
    ``df.groupBy("run").applyInArrow(loopbreak.analyze_table, schema)``. Needs pyarrow.
    """
    import pyarrow as pa

    if order not in ("auto", "given"):
        raise ValueError(f"order must be 'auto' or 'given', not {order!r}")
    read = table if isinstance(table, pa.Table) else pa.table(table)
    runs, steps = _columns(read)
    rows = json.loads(_native.analyze_rows(runs, steps, config, order == "auto"))
    return pa.Table.from_pylist(rows, schema=analyze_table_schema())


def _columns(table: pyarrow.Table) -> tuple[list[Any], list[Any]]:
    names = set(table.column_names)
    if "run" not in names:
        raise ValueError(f"the table has no column 'run'; its columns are {', '.join(table.column_names)}")
    runs = table.column("run").to_pylist()
    if "step" in names:
        return runs, [_step(value) for value in table.column("step").to_pylist()]
    fields = [name for name in _FIELDS if name in names]
    if not fields:
        raise ValueError("the table has neither a column 'step' nor columns for the parts of a step, such as 'action'")
    columns = [table.column(name).to_pylist() for name in fields]
    records = []
    for values in zip(*columns):
        record = {name: _part(name, value) for name, value in zip(fields, values) if value is not None}
        records.append(record)
    return runs, records


def _step(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _part(name, part) for name, part in value.items() if part is not None}
    return value


def _part(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return _decoded(value) if name in _OBJECTS else value
    return _plain(value)


def _decoded(text: str) -> Any:
    """Returns the object that a text is the JSON of, or else the text."""
    if not text.startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _plain(value: Any) -> Any:
    """Returns a value of a table as JSON: without the parts that are null, because the structs of a table have all fields."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if part is not None}
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) and len(item) == 2 for item in value):
            return {str(name): _plain(part) for name, part in value}  # a map
        return [_plain(item) for item in value]
    if isinstance(value, datetime.datetime):
        return _time(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return str(value)
    return value


def _time(value: datetime.datetime) -> int:
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    since = value - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return since // datetime.timedelta(milliseconds=1)
