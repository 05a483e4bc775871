//! Merges the reports of several machines: their runs side by side, and the totals added up.
//!
//! Works on the JSON, so that reports of other releases keep the keys that this one does not know. Numbers are added, except
//! for the averages and distributions below.

use loopbreak_analysis::ScoreDistribution;
use serde_json::{Map, Number, Value, json};

/// The schema of reports.
const SCHEMA: &str = "loopbreak.report/1";
/// Keys by which the objects of a list are the same.
const IDENTITY: [&str; 7] = ["detector", "pattern", "loop", "model", "from", "below", "intervention"];
/// Times, of which the earliest or the latest counts.
const EARLIEST: &str = "first_seen";
const LATEST: &str = "last_seen";

/// A report that cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeReportsError {
    /// It is not a report, or one of a later schema.
    #[error("report {index} is not one of `loopbreak analyze --json`: its schema is {schema}")]
    OtherSchema {
        /// Its position, from 1.
        index: usize,
        /// The schema that it names.
        schema: String,
    },
}

/// Merges reports of `loopbreak analyze --json` into one.
pub fn merge_reports(reports: &[Value]) -> Result<Value, MergeReportsError> {
    for (index, report) in (1..).zip(reports) {
        if report["schema"] != SCHEMA || !report["totals"].is_object() {
            return Err(MergeReportsError::OtherSchema { index, schema: report["schema"].to_string() });
        }
    }
    let list = |key: &str| -> Vec<Value> {
        reports.iter().filter_map(|report| report[key].as_array()).flatten().cloned().collect()
    };
    let runs = list("runs");
    let mut merged = Map::new();
    // Keys of later releases.
    for report in reports.iter().filter_map(Value::as_object) {
        for (key, value) in report {
            merged.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    merged.insert("totals".to_owned(), merge_totals(reports, &runs));
    merged.insert("series".to_owned(), list("series").into());
    merged.insert("runs".to_owned(), runs.into());
    Ok(merged.into())
}

fn merge_totals(reports: &[Value], runs: &[Value]) -> Value {
    let all: Vec<&Value> = reports.iter().map(|report| &report["totals"]).collect();
    let mut sum = json!({});
    for totals in &all {
        add(&mut sum, totals);
    }
    let mean = |path: &str, weight: &str| {
        let known = all.iter().filter_map(|totals| {
            let weight = totals.pointer(weight)?.as_f64().filter(|weight| *weight > 0.0)?;
            Some((totals.pointer(path)?.as_f64()?, weight))
        });
        let (sum, weight) =
            known.fold((0.0, 0.0), |(sum, all), (mean, weight)| (sum + mean * weight, all + weight));
        if weight > 0.0 { number(round(sum / weight)) } else { Value::Null }
    };
    for (path, weight) in [
        ("/mean_turns_to_detection", "/stopped"),
        ("/mean_steps", "/runs"),
        ("/proposals/mean_base", "/proposals/count"),
        ("/proposals/mean_adjusted", "/proposals/count"),
    ] {
        if let Some(place) = sum.pointer_mut(path) {
            *place = mean(path, weight);
        }
    }
    if let Some(place) = sum.pointer_mut("/scores") {
        let last = runs.iter().filter_map(|run| run.pointer("/score/last")?.as_f64());
        let distribution = ScoreDistribution::from_values(last);
        *place = distribution.and_then(|scores| serde_json::to_value(scores).ok()).unwrap_or_default();
    }
    if let Some(place) = sum.pointer_mut("/longest_loop") {
        let loops = all.iter().map(|totals| &totals["longest_loop"]).filter(|known| known.is_object());
        // A loop of a tool says more than one of the run as a whole. The first of those that are equally long.
        let longest = loops.rev().max_by_key(|known| (known["tool"].is_string(), known["steps"].as_u64()));
        *place = longest.cloned().unwrap_or_default();
    }
    sort(&mut sum, "/patterns", &["runs", "stops", "warnings", "hints"]);
    sort(&mut sum, "/rulings", &["rejected", "penalized"]);
    sort(&mut sum, "/spending/repeated_loops", &["cost_usd", "steps"]);
    sum
}

/// Sorts a list by numbers, the largest first. Equal ones keep their order.
fn sort(totals: &mut Value, path: &str, keys: &[&str]) {
    let Some(Value::Array(items)) = totals.pointer_mut(path) else { return };
    let value = |item: &Value, key: &str| item[key].as_f64().unwrap_or(-1.0);
    items.sort_by(|one, other| {
        let orders = keys.iter().map(|key| value(other, key).total_cmp(&value(one, key)));
        orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
}

/// Adds a value to another of the same form.
fn add(sum: &mut Value, more: &Value) {
    match (sum, more) {
        (_, Value::Null) => {}
        (sum @ Value::Null, more) => *sum = more.clone(),
        (sum @ Value::Number(_), Value::Number(more)) => {
            let whole = sum.as_u64().zip(more.as_u64()).map(|(one, other)| one.saturating_add(other));
            *sum = match whole {
                Some(whole) => whole.into(),
                None => number(round(sum.as_f64().unwrap_or(0.0) + more.as_f64().unwrap_or(0.0))),
            };
        }
        (Value::Object(sum), Value::Object(more)) => add_fields(sum, more),
        (Value::Array(sum), Value::Array(more)) => {
            for item in more {
                match sum.iter_mut().find(|known| is_same(known, item)) {
                    Some(known) => add(known, item),
                    None => sum.push(item.clone()),
                }
            }
        }
        // Texts stay those of the first report.
        _ => {}
    }
}

fn add_fields(sum: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (key, value) in more {
        let Some(known) = sum.get_mut(key) else {
            sum.insert(key.clone(), value.clone());
            continue;
        };
        match key.as_str() {
            key if IDENTITY.contains(&key) => {}
            EARLIEST | LATEST => {
                let times = known.as_i64().into_iter().chain(value.as_i64());
                let time = if key == EARLIEST { times.min() } else { times.max() };
                *known = time.map_or(Value::Null, Value::from);
            }
            _ => add(known, value),
        }
    }
}

/// Returns whether two objects of a list are about the same.
fn is_same(one: &Value, other: &Value) -> bool {
    let names = IDENTITY.iter().filter(|key| one.get(**key).is_some() || other.get(**key).is_some());
    let mut names = names.peekable();
    names.peek().is_some() && names.all(|key| one.get(*key) == other.get(*key))
}

/// Returns a value with the number of digits that reports have.
fn round(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Writes whole numbers without a fraction, as reports do.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return (value as i64).into();
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(totals: &Value, runs: &Value) -> Value {
        json!({"schema": SCHEMA, "runs": runs, "series": [], "totals": totals})
    }

    #[test]
    fn counts_are_added_and_averages_are_weighted() {
        let one = report(
            &json!({"runs": 1, "stopped": 1, "mean_steps": 10, "mean_turns_to_detection": 4, "tokens": null,
                   "endings": {"cycle": 1}, "patterns": [{"detector": "cycle", "pattern": "cycle", "runs": 1, "stops": 2}],
                   "scores": {"median": 1}, "longest_loop": {"steps": 5, "tool": "a"}, "cost_usd": 0.1}),
            &json!([{"run": "a", "score": {"last": 1}}]),
        );
        let other = report(
            &json!({"runs": 3, "stopped": 0, "mean_steps": 20, "mean_turns_to_detection": null, "tokens": 7,
                   "endings": {"drift": 2, "cycle": 1}, "patterns": [{"detector": "drift", "pattern": "x", "runs": 3, "stops": 0},
                   {"detector": "cycle", "pattern": "cycle", "runs": 1, "stops": 0}], "longest_loop": {"steps": 9, "tool": "b"},
                   "cost_usd": 0.2}),
            &json!([{"run": "b", "score": {"last": 5}}, {"run": "c", "score": null}]),
        );
        let merged = merge_reports(&[one, other]).unwrap();
        let totals = &merged["totals"];
        assert_eq!(
            (&totals["runs"], &totals["tokens"], &totals["cost_usd"]),
            (&json!(4), &json!(7), &json!(0.3))
        );
        assert_eq!((&totals["mean_steps"], &totals["mean_turns_to_detection"]), (&json!(17.5), &json!(4)));
        assert_eq!(totals["endings"], json!({"cycle": 2, "drift": 2}));
        assert_eq!(totals["patterns"][0]["detector"], "drift");
        assert_eq!(
            totals["patterns"][1],
            json!({"detector": "cycle", "pattern": "cycle", "runs": 2, "stops": 2})
        );
        assert_eq!((&totals["scores"]["runs"], &totals["scores"]["max"]), (&json!(2), &json!(5)));
        assert_eq!(totals["longest_loop"]["tool"], "b");
        assert_eq!(merged["runs"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn only_reports_are_merged() {
        let error = merge_reports(&[report(&json!({}), &json!([])), json!({"runs": []})]).unwrap_err();
        assert!(error.to_string().starts_with("report 2 is not one of"), "{error}");
    }
}
