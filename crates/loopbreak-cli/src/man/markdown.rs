//! Renders all commands and options as Markdown, from the same source as `--help`.

use std::fmt::{self, Write};

use clap::{Arg, Command};

/// Renders the reference.
pub(super) fn render_reference(command: Command) -> String {
    // A fixed width: the page must not depend on the terminal.
    let mut command = command.term_width(0);
    command.build();
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = add_section(&mut out, &mut command, 1);
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn add_section(out: &mut String, command: &mut Command, depth: usize) -> fmt::Result {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    writeln!(out, "{} `{name}`\n", "#".repeat(depth.min(6)))?;
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        writeln!(out, "{}\n", about.to_string().trim())?;
    }
    let usage = command.render_usage().to_string();
    writeln!(out, "```text\n{}\n```\n", usage.trim_start_matches("Usage:").trim())?;
    // The option of all commands is described once.
    let shown = |arg: &&Arg| !arg.is_hide_set() && (depth == 1 || arg.get_id() != "color");
    let arguments: Vec<&Arg> = command.get_positionals().filter(shown).collect();
    add_list(out, "Arguments", &arguments)?;
    let options: Vec<&Arg> =
        command.get_arguments().filter(|arg| !arg.is_positional() && shown(arg)).collect();
    let heading_name = |arg: &Arg| arg.get_help_heading().unwrap_or("Options").to_owned();
    let mut headings: Vec<String> = Vec::new();
    for heading in options.iter().map(|arg| heading_name(arg)) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        let under: Vec<&Arg> = options.iter().copied().filter(|arg| heading_name(arg) == heading).collect();
        add_list(out, &heading, &under)?;
    }
    add_commands(out, command)?;
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        writeln!(out, "```text\n{}\n```\n", after.to_string().trim_end())?;
    }
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        add_section(out, inner, depth + 1)?;
    }
    Ok(())
}

fn add_commands(out: &mut String, command: &Command) -> fmt::Result {
    let inner: Vec<&Command> = command.get_subcommands().filter(|inner| !inner.is_hide_set()).collect();
    if inner.is_empty() {
        return Ok(());
    }
    writeln!(out, "Commands:\n")?;
    for inner in inner {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "- `{}`: {about}", inner.get_name())?;
    }
    writeln!(out)
}

fn add_list(out: &mut String, heading: &str, args: &[&Arg]) -> fmt::Result {
    if args.is_empty() {
        return Ok(());
    }
    writeln!(out, "{heading}:\n")?;
    for arg in args {
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        writeln!(out, "- `{}`: {}", render_usage(arg), help.trim().replace("\n\n", "\n\n  "))?;
        let lists_values = arg.get_action().takes_values() && !arg.is_hide_possible_values_set();
        for value in arg.get_possible_values().iter().filter(|_| lists_values) {
            let help = value.get_help().map(|help| format!(": {help}")).unwrap_or_default();
            writeln!(out, "  - `{}`{help}", value.get_name())?;
        }
        let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() && arg.get_action().takes_values() {
            writeln!(out, "  - default: `{}`", defaults.join(" "))?;
        }
    }
    writeln!(out)
}

/// Returns an option as it is typed.
fn render_usage(arg: &Arg) -> String {
    let values = || -> String {
        let names = arg.get_value_names().unwrap_or_default();
        names.iter().map(|name| format!("<{name}>")).collect::<Vec<_>>().join(" ")
    };
    if arg.is_positional() {
        let many = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
        return format!("{}{}", values(), if many { "..." } else { "" });
    }
    let mut names = Vec::new();
    names.extend(arg.get_short().map(|short| format!("-{short}")));
    names.extend(arg.get_long().map(|long| format!("--{long}")));
    let names = names.join(", ");
    if arg.get_action().takes_values() { format!("{names} {}", values()) } else { names }
}
