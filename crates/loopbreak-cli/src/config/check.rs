//! `loopbreak config check`: which value holds, and where it came from.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use loopbreak::config::{ConfigError, Effective, Loaded, Located, Origin, Source};
use serde_json::{Value, json};

use super::{describe, load, output};
use crate::args::ConfigOptions;
use crate::error::UserError;
use crate::exit;

/// Check the configuration and show which value holds and where it came from.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  loopbreak config check\n  loopbreak config check ../other/pyproject.toml\n  \
loopbreak config check --profile game --set stagnation.max_turns=60\n\nExits with 2 if there is a problem."
)]
pub(crate) struct CheckArgs {
    /// A file, or a folder to look for one from; this folder if absent
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
    let (source, result) = load::attempt(&options, folder)?;
    match result {
        Ok(loaded) if args.json => output::show_json(&effective(source.as_ref(), &loaded))?,
        Ok(loaded) => output::show(&table(source.as_ref(), &loaded))?,
        Err(error) if args.json => {
            output::show_json(&problems(source.as_ref(), &error))?;
            return Ok(exit::USAGE);
        }
        Err(error) => return Err(load::refuse(source.as_ref(), &error)),
    }
    Ok(exit::DONE)
}

fn table(source: Option<&Source>, loaded: &Loaded) -> String {
    let rows: Vec<(Effective, String, String)> = loaded
        .values()
        .into_iter()
        .map(|row| {
            let value = describe::value(&row.value, 40);
            let from = match &row.origin {
                Origin::Profile(_) if row.path == "profile" => "default".to_owned(),
                origin => origin.to_string(),
            };
            (row, value, from)
        })
        .collect();
    let widest =
        |length: fn(&(Effective, String, String)) -> usize| rows.iter().map(length).max().unwrap_or(0);
    let (first, second) = (widest(|row| row.0.path.len()), widest(|row| row.1.chars().count()));
    let bold = anstyle::Style::new().bold();
    let mut text = match source {
        Some(source) => format!("{}: no problems\n\n", source.name),
        None => "no configuration file found: these are the defaults, the environment and the flags\n\n"
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
    text + "\n* is not what the profile sets\n"
}

fn effective(source: Option<&Source>, loaded: &Loaded) -> Value {
    let options: Vec<Value> = loaded
        .values()
        .iter()
        .map(|row| {
            json!({"option": row.path, "value": row.value, "default": row.default, "origin": origin(&row.origin)})
        })
        .collect();
    json!({
        "schema": "loopbreak.config/1",
        "file": source.map(|source| &source.name),
        "profile": loaded.config.profile,
        "options": options,
        "problems": [],
    })
}

fn problems(source: Option<&Source>, error: &ConfigError) -> Value {
    let problem = |problem: &Located| {
        let marks: Vec<Value> = problem.marks.iter().map(|mark| origin(&mark.origin)).collect();
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

fn origin(origin: &Origin) -> Value {
    match origin {
        Origin::Profile(profile) => json!({"profile": profile}),
        Origin::Preset(preset) => json!({"preset": preset}),
        Origin::File(spot) => json!({
            "file": *spot.file,
            "line": spot.line,
            "column": spot.column,
            "span": [spot.span.start, spot.span.end],
            "documents_key": spot.documents_key,
        }),
        Origin::Environment { variable, .. } => json!({"variable": variable}),
        Origin::Flag(flag) => json!({"flag": flag}),
    }
}
