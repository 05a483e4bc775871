//! Parses the command line: groups the commands in the help, and adds advice to errors.

use std::fmt::Write as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _, ValueEnum as _};
use loopbreak_report::command_advice;

use crate::args::CliArgs;

/// The commands in the order of the help.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Guard agents",
        &["hook", "run", "watch", "mcp", "serve", "token", "guard", "wait", "statusline", "demo"],
    ),
    ("Look at runs", &["analyze", "status", "log", "allow", "pause", "resume", "forget", "tasks", "merge"]),
    ("Measure and configure", &["eval", "tune", "config", "formats", "convert", "explain-step"]),
    ("Games", &["play", "arena"]),
    ("Shell", &["completions", "man"]),
];

/// Parses the arguments of the program.
pub(crate) fn parse(arguments: &[String]) -> Result<CliArgs, clap::Error> {
    let mut command = grouped();
    // The help must know the colours before the arguments are parsed.
    if let Some(choice) = find_color(arguments) {
        command = command.color(choice);
    }
    let parsed = command.try_get_matches().and_then(|matches| CliArgs::from_arg_matches(&matches));
    let parsed = parsed.map_err(|error| with_advice(error, arguments))?;
    match parsed.color {
        ColorChoice::Auto => {}
        ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
    Ok(parsed)
}

fn find_color(arguments: &[String]) -> Option<ColorChoice> {
    let at = arguments.iter().take_while(|it| *it != "--").position(|it| it.starts_with("--color"))?;
    let value = arguments[at].strip_prefix("--color=").or(arguments.get(at + 1).map(String::as_str))?;
    ColorChoice::from_str(value, false).ok()
}

fn grouped() -> clap::Command {
    let command = CliArgs::command();
    let header = command.get_styles().get_header();
    let name_style = command.get_styles().get_literal();
    let mut list = String::new();
    for (title, names) in GROUPS {
        _ = writeln!(list, "{header}{title}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            _ = writeln!(list, "  {name_style}{name:<12}{name_style:#} {about}");
        }
        list.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

/// Adds advice to an error about a command that does not exist, or about the command of `run` without `--`.
fn with_advice(mut error: clap::Error, arguments: &[String]) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let first = arguments.first().map(String::as_str);
    let advice = match error.kind() {
        ErrorKind::InvalidSubcommand => text(ContextKind::InvalidSubcommand).and_then(|name| {
            let parent = first.filter(|first| *first != name);
            command_advice(parent, &name).map(str::to_owned)
        }),
        ErrorKind::UnknownArgument if first == Some("run") => {
            let word = text(ContextKind::InvalidArg).filter(|word| !word.starts_with('-'));
            let at = word.and_then(|word| arguments.iter().position(|argument| *argument == word));
            at.map(|at| {
                format!(
                    "put -- before the command: loopbreak {} -- {}",
                    arguments[..at].join(" "),
                    arguments[at..].join(" ")
                )
            })
        }
        _ => None,
    };
    if let Some(advice) = advice {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
        error.remove(ContextKind::SuggestedSubcommand);
    }
    error
}
