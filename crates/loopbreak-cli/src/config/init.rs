//! `loopbreak config init`: a file in which every option is explained.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use loopbreak::Profile;
use loopbreak::config::{Kind, OptionInfo, options, tables};

use super::describe;
use crate::error::UserError;
use crate::exit;

/// Write a loopbreak.toml in which every option is explained.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  loopbreak config init\n  loopbreak config init --profile coding\n  \
loopbreak config init --force ../agent/loopbreak.toml")]
pub(crate) struct InitArgs {
    /// The file to write, or the folder to write loopbreak.toml in; this folder if absent
    path: Option<PathBuf>,
    /// Show the defaults of this profile, and select it: auto, game, coding, tasks, iterations, documents
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Overwrite a file that is there
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &InitArgs) -> Result<u8, UserError> {
    let profile = args.profile.as_deref().map(describe::profile).transpose()?;
    let mut path = args.path.clone().unwrap_or_default();
    if path.as_os_str().is_empty() || path.is_dir() {
        path.push("loopbreak.toml");
    }
    if path.file_name().is_some_and(|name| name == "pyproject.toml") {
        return Err(UserError::usage(format!("{} holds more than Loopbreak's options", path.display()))
            .hint("write a loopbreak.toml, or add [tool.loopbreak] by hand"));
    }
    write(&path, &text(profile), args.force)?;
    anstream::eprintln!("wrote {}", path.display());
    Ok(exit::DONE)
}

fn write(path: &Path, text: &str, force: bool) -> Result<(), UserError> {
    let mut how = OpenOptions::new();
    how.write(true);
    if force {
        how.create(true).truncate(true)
    } else {
        how.create_new(true)
    };
    how.open(path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => UserError::usage(format!("{} is there already", path.display()))
            .hint("to overwrite it, add --force; to check it, run `loopbreak config check`"),
        _ => UserError::failed(format!("cannot write {}: {error}", path.display())),
    })
}

/// The file. Options are commented out without a blank after the `#`, which texts have.
fn text(selected: Option<Profile>) -> String {
    let profile = selected.unwrap_or_default();
    let mut text = String::from(
        "# The configuration of Loopbreak.\n#\n# Every option is here with its default, commented out. Remove the # \
         before one to change it.\n# `loopbreak config check` shows which values hold, and where they came from.\n",
    );
    for table in tables() {
        if !table.path.is_empty() {
            _ = writeln!(text, "\n{}\n[{}]", describe::wrapped(&table.doc, "# ", 100), table.path);
        }
        for option in options().iter().filter(|option| option.table() == table.path) {
            text += &entry(option, profile, selected.is_some());
        }
    }
    text
}

fn entry(option: &OptionInfo, profile: Profile, selected: bool) -> String {
    let mut text = format!("\n{}\n", describe::wrapped(&option.doc, "# ", 100));
    match &option.kind {
        Kind::Choice(choices) => {
            for choice in choices {
                _ = writeln!(
                    text,
                    "{}",
                    describe::wrapped(&format!("\"{}\": {}", choice.name, choice.doc), "#   ", 100)
                );
            }
        }
        Kind::Whole(range) | Kind::Number(range) => _ = writeln!(text, "# Range: {range}."),
        Kind::Rules(_) | Kind::Texts => {
            text += "# For example:\n";
            text += &describe::indented(&describe::example(option), "#   ");
        }
        _ => {}
    }
    if option.kind == Kind::Texts {
        return text + &format!("[{}]\n", option.path);
    }
    let hash = if option.path == "profile" && selected { "" } else { "#" };
    match option.default_in(profile) {
        Some(default) => _ = writeln!(text, "{hash}{} = {default}", option.key()),
        None => _ = writeln!(text, "# {} is not set by default.", option.key()),
    }
    text
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;
    use loopbreak::config::{Layers, Source};

    use super::*;

    fn uncommented(text: &str) -> String {
        let bare = |line: &str| match line.strip_prefix('#') {
            Some(rest) if !rest.is_empty() && !rest.starts_with(' ') => rest.to_owned(),
            _ => line.to_owned(),
        };
        text.lines().map(bare).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_file_says_the_defaults_of_its_profile_with_and_without_the_comments() {
        for profile in Profile::ALL {
            let text = text(Some(profile));
            for text in [&uncommented(&text), &text] {
                let loaded = Layers::default().file(Source::new("loopbreak.toml", text.as_str())).load();
                let loaded = loaded.unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(*loaded.config, Settings::of(profile));
            }
            let set: toml::Table = uncommented(&text).parse().unwrap();
            assert_eq!(set, toml::Table::try_from(Settings::of(profile)).unwrap(), "every option is there");
        }
    }

    #[test]
    fn without_a_profile_nothing_is_set() {
        let set: toml::Table = text(None).parse().unwrap();
        assert!(set.values().all(toml::Value::is_table), "{set}");
    }
}
