//! Runs whose steps are the rows of a table.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use loopbreak::{Config, Step};
use loopbreak_analysis::{RunAnalysis, RunReport};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::interruptible_work::work;
use crate::json_input::lenient_json;
use crate::json_output::json_text;
use crate::python_config::read_optional_config;
use crate::python_error::ErrorClass;

/// The rows of one run: their steps as JSON, in the order given. Rows without a step are `None`.
struct RunRows {
    run: String,
    steps: Vec<Option<String>>,
}

/// Analyzes the rows of a table: the ids of runs and the steps, as JSON texts or dicts, in two lists of the same length. Returns a
/// JSON list with one object per run, in the order of their first rows.
#[pyfunction]
#[pyo3(signature = (runs, steps, config=None, sort=true))]
pub(crate) fn analyze_rows(
    py: Python<'_>,
    runs: &Bound<'_, PyList>,
    steps: &Bound<'_, PyList>,
    config: Option<&Bound<'_, PyAny>>,
    sort: bool,
) -> PyResult<String> {
    if runs.len() != steps.len() {
        return Err(PyValueError::new_err("runs and steps must have the same length"));
    }
    let config = read_optional_config(config)?;
    let rows = group_rows(runs, steps)?;
    let reports = work(py, move || {
        let pool = rayon::ThreadPoolBuilder::new().build().map_err(|error| error.to_string())?;
        Ok::<_, String>(pool.install(|| {
            rows.into_par_iter().map(|rows| analyze_run(&config, rows, sort)).collect::<Vec<Value>>()
        }))
    })?;
    let reports = reports.map_err(|error| ErrorClass::Internal.raise(py, error))?;
    json_text(py, &reports)
}

fn group_rows(runs: &Bound<'_, PyList>, steps: &Bound<'_, PyList>) -> PyResult<Vec<RunRows>> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<RunRows> = Vec::new();
    for (run, step) in runs.iter().zip(steps.iter()) {
        let run = if run.is_none() { String::new() } else { run.str()?.to_string_lossy().into_owned() };
        let step = match step.cast::<PyString>() {
            Ok(text) => Some(text.to_string_lossy().into_owned()),
            Err(_) if step.is_none() => None,
            Err(_) => lenient_json(&step),
        };
        let index = match known.entry(run) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                all.push(RunRows { run: new.key().clone(), steps: Vec::new() });
                *new.insert(all.len() - 1)
            }
        };
        all[index].steps.push(step);
    }
    Ok(all)
}

fn analyze_run(config: &Config, rows: RunRows, sort: bool) -> Value {
    let mut steps: Vec<Step<'_>> = Vec::with_capacity(rows.steps.len());
    let mut skipped = 0_u64;
    for text in &rows.steps {
        match text.as_deref().map(Step::from_json) {
            Some(Ok(step)) => steps.push(step),
            _ => skipped += 1,
        }
    }
    if sort {
        sort_steps(&mut steps);
    }
    let mut analysis = RunAnalysis::new(config, rows.run);
    for step in &steps {
        analysis.observe(step);
    }
    row(&analysis.finish("", "steps"), skipped)
}

/// Sorts the steps by turn if all have one, or else by time if all have one. Engines that distribute rows do not keep their order.
fn sort_steps(steps: &mut [Step<'_>]) {
    if steps.iter().all(|step| step.turn.is_some()) {
        steps.sort_by_key(|step| step.turn);
    } else if steps.iter().all(|step| step.at.is_some()) {
        steps.sort_by_key(|step| step.at.map(|at| at.0));
    }
}

fn row(report: &RunReport, skipped: u64) -> Value {
    let warning = report.first_warning.as_ref();
    let stop = report.first_stop.as_ref();
    let findings = serde_json::to_string(&report.findings).unwrap_or_default();
    json!({
        "run": report.run,
        "steps": report.steps,
        "verdict": report.verdict.as_str(),
        "first_warning_turn": warning.map(|warning| warning.turn),
        "first_warning_detector": warning.map(|warning| warning.detector.to_string()),
        "first_warning_pattern": warning.map(|warning| warning.pattern.to_string()),
        "first_stop_turn": stop.map(|stop| stop.turn),
        "first_stop_detector": stop.map(|stop| stop.detector.to_string()),
        "first_stop_pattern": stop.map(|stop| stop.pattern.to_string()),
        "steps_after_stop": report.steps_after_stop,
        "ending_turn": report.ending.as_ref().map(|ending| ending.turn),
        "steps_after_ending": report.steps_after_ending,
        "refused": report.refused,
        "findings": findings,
        "tokens": report.tokens,
        "cost_usd": report.cost_usd,
        "tokens_after_stop": report.tokens_after_stop,
        "cost_after_stop_usd": report.cost_after_stop_usd,
        "started": report.started,
        "ended": report.ended,
        "skipped_rows": skipped,
    })
}
