//! The result of a check as a table for people, and as JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::layers::{EffectiveOption, LoadedConfig};
use crate::problem::{ConfigError, ConfigProblem};
use crate::reference::format_value;
use crate::source::{ConfigSource, ValueOrigin};

/// The name and version of the JSON form.
const SCHEMA: &str = "loopbreak.config/1";
/// Longest value in the table, in characters.
const MAX_VALUE_CHARS: usize = 40;

impl LoadedConfig {
    /// Renders every option with its value and origin as a table. Options that differ from the profile are bold.
    pub fn render_table(&self) -> String {
        let rows: Vec<(EffectiveOption, String, String)> = self
            .effective_options()
            .into_iter()
            .map(|row| {
                let value = format_value(&row.value, MAX_VALUE_CHARS);
                let from = match &row.origin {
                    ValueOrigin::Profile(_) if row.path == "profile" => "default".to_owned(),
                    origin => origin.to_string(),
                };
                (row, value, from)
            })
            .collect();
        let widest = |length: fn(&(EffectiveOption, String, String)) -> usize| {
            rows.iter().map(length).max().unwrap_or(0)
        };
        let (first, second) = (widest(|row| row.0.path.len()), widest(|row| row.1.chars().count()));
        let bold = anstyle::Style::new().bold();
        let mut text = match &self.source {
            Some(source) => format!("{}: no problems\n\n", source.name),
            None => "no configuration file found: showing defaults, environment variables and flags\n\n"
                .to_owned(),
        };
        _ = writeln!(text, "  {:first$}  {:second$}  from", "option", "value");
        for (row, value, from) in &rows {
            let path = &row.path;
            if row.default {
                _ = writeln!(text, "  {path:first$}  {value:second$}  {from}");
            } else {
                _ = writeln!(text, "{bold}* {path:first$}  {value:second$}  {from}{bold:#}");
            }
        }
        text + "\n* differs from the default of the profile\n"
    }

    /// Returns every option with its value and origin as JSON.
    pub fn to_json(&self) -> Value {
        let options: Vec<Value> = self
            .effective_options()
            .iter()
            .map(|row| {
                json!({
                    "option": row.path,
                    "value": row.value,
                    "default": row.default,
                    "origin": origin_json(&row.origin),
                })
            })
            .collect();
        json!({
            "schema": SCHEMA,
            "file": self.source.as_ref().map(|source| &source.name),
            "profile": self.config.profile,
            "options": options,
            "problems": [],
        })
    }
}

impl ConfigError {
    /// Returns all problems as JSON. `source` is the file, if there is one.
    pub fn to_json(&self, source: Option<&ConfigSource>) -> Value {
        let problem = |problem: &ConfigProblem| {
            let marks: Vec<Value> = problem.labels.iter().map(|label| origin_json(&label.origin)).collect();
            json!({
                "message": problem.message,
                "hint": problem.hint,
                "option": problem.option,
                "marks": marks,
                "notes": problem.notes,
            })
        };
        json!({
            "schema": SCHEMA,
            "file": source.map(|source| &source.name),
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
        })
    }
}

fn origin_json(origin: &ValueOrigin) -> Value {
    match origin {
        ValueOrigin::Profile(profile) => json!({"profile": profile}),
        ValueOrigin::Preset(preset) => json!({"preset": preset}),
        ValueOrigin::File(location) => json!({
            "file": *location.file,
            "line": location.line,
            "column": location.column,
            "span": [location.span.start, location.span.end],
            "documents_key": location.legacy_key,
        }),
        ValueOrigin::Environment { variable, .. } => json!({"variable": variable}),
        ValueOrigin::Flag(flag) => json!({"flag": flag}),
    }
}
