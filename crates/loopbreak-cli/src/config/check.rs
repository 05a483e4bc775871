//! `loopbreak config check`: shows the effective values and their origin.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use loopbreak_config::reference::format_value;
use loopbreak_config::{
    ConfigError, ConfigProblem, ConfigSource, EffectiveOption, LoadError, LoadedConfig, ValueOrigin,
};
use serde_json::{Value, json};

use super::{load, output};
use crate::args::ConfigOptions;
use crate::error::UserError;
use crate::exit;

/// Check the configuration and show the effective values and their origin.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  loopbreak config check\n  loopbreak config check ../other/pyproject.toml\n  \
loopbreak config check --profile game --set stagnation.max_turns=60\n\nExits with 2 if there is a problem."
)]
pub(crate) struct CheckArgs {
    /// File to check, or folder to search from [default: the current folder]
    #[arg(conflicts_with = "config")]
    path: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: ConfigOptions,
}

pub(crate) fn run(args: &CheckArgs) -> Result<u8, UserError> {
    let mut options = args.options.clone();
    let mut folder = Path::new(".");
    match &args.path {
        Some(path) if path.is_dir() => folder = path,
        Some(path) => options.config = Some(path.clone()),
        None => {}
    }
    match load::loader(&options, folder)?.load() {
        Ok(loaded) if args.json => output::show_json(&effective_json(&loaded))?,
        Ok(loaded) => output::show(&effective_table(&loaded))?,
        Err(LoadError::Invalid { source_file, error }) if args.json => {
            output::show_json(&problems_json(source_file.as_ref(), &error))?;
            return Ok(exit::USAGE);
        }
        Err(error) => return Err(load::report(error)),
    }
    Ok(exit::DONE)
}

fn effective_table(loaded: &LoadedConfig) -> String {
    let rows: Vec<(EffectiveOption, String, String)> = loaded
        .effective_options()
        .into_iter()
        .map(|row| {
            let value = format_value(&row.value, 40);
            let from = match &row.origin {
                ValueOrigin::Profile(_) if row.path == "profile" => "default".to_owned(),
                origin => origin.to_string(),
            };
            (row, value, from)
        })
        .collect();
    let widest =
        |length: fn(&(EffectiveOption, String, String)) -> usize| rows.iter().map(length).max().unwrap_or(0);
    let (first, second) = (widest(|row| row.0.path.len()), widest(|row| row.1.chars().count()));
    let bold = anstyle::Style::new().bold();
    let mut text = match &loaded.source {
        Some(source) => format!("{}: no problems\n\n", source.name),
        None => {
            "no configuration file found: showing defaults, environment variables and flags\n\n".to_owned()
        }
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

fn effective_json(loaded: &LoadedConfig) -> Value {
    let options: Vec<Value> = loaded
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
        "schema": "loopbreak.config/1",
        "file": loaded.source.as_ref().map(|source| &source.name),
        "profile": loaded.config.profile,
        "options": options,
        "problems": [],
    })
}

fn problems_json(source: Option<&ConfigSource>, error: &ConfigError) -> Value {
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
        "schema": "loopbreak.config/1",
        "file": source.map(|source| &source.name),
        "problems": error.problems.iter().map(problem).collect::<Vec<_>>(),
    })
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
        other => json!({"other": other.to_string()}),
    }
}
