"""Analyzes the runs of a data lake with Spark: one row per run, beside the data.

    spark-submit spark_job.py STEPS OUTPUT

STEPS is a folder of JSON lines, one step each, in the form of Loopbreak's step record. The steps of a run may lie in any file and in any
order: each has a ``turn`` or a time in ``at``.
"""

from __future__ import annotations

import sys

import loopbreak
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import get_json_object
from pyspark.sql.pandas.types import from_arrow_schema


def analyze(steps: DataFrame) -> DataFrame:
    """Returns one row per run. ``steps`` has the column ``value`` with a step as JSON."""
    rows = steps.select(get_json_object("value", "$.run").alias("run"), steps["value"].alias("step"))
    schema = from_arrow_schema(loopbreak.analyze_table_schema())
    return rows.groupBy("run").applyInArrow(loopbreak.analyze_table, schema)


def main() -> None:
    steps, output = sys.argv[1:]
    spark = SparkSession.builder.appName("loopbreak").getOrCreate()
    analyze(spark.read.text(steps)).write.mode("overwrite").parquet(output)
    stuck = spark.read.parquet(output).where("verdict != 'clear'").orderBy("steps_after_stop", ascending=False)
    stuck.select("run", "verdict", "steps", "first_warning_turn", "first_warning_pattern", "steps_after_stop").show(20)
    spark.stop()


if __name__ == "__main__":
    main()
