//! A configuration file with comments, to start from.

use std::fmt::Write as _;

use loopbreak::Profile;

use super::describe;
use crate::options::{OptionInfo, OptionType, options, tables};

/// Width of the comments.
const WIDTH: usize = 100;

/// The options that people change most, in the order of [`options`]. A short file has these.
const COMMON_OPTIONS: &[&str] = &[
    "profile",
    "mode",
    "allow",
    "tool",
    "policy.insist",
    "cycle.warn_at",
    "cycle.hard_at",
    "poll.hard_at",
    "stagnation.max_turns",
    "budget.max_cost",
];

/// Returns a `loopbreak.toml` that describes the options people change most, commented out. It sets the profile if one
/// is given.
pub fn starter_file(selected: Option<Profile>) -> String {
    let head = "# Loopbreak configuration.\n#\n# The options that people change most, with their defaults. To change one, remove \
                the # before it.\n# `loopbreak config init --all` writes a file with every option, `loopbreak config explain` \
                lists them, and\n# `loopbreak config check` shows the effective values and where they come from.\n";
    render(head, selected, |option| COMMON_OPTIONS.contains(&option.path.as_str()))
}

/// Returns a `loopbreak.toml` that describes every option and has all of them commented out. It sets the profile if
/// one is given.
pub fn full_starter_file(selected: Option<Profile>) -> String {
    let head = "# Loopbreak configuration.\n#\n# Every option is listed with its default and commented out. To change one, \
                remove the # before it.\n# `loopbreak config check` shows the effective values and where they come from.\n";
    render(head, selected, |_| true)
}

/// Writes the tables that have a wanted option.
fn render(head: &str, selected: Option<Profile>, wanted: impl Fn(&OptionInfo) -> bool) -> String {
    let profile = selected.unwrap_or_default();
    // An option is commented out without a space after the `#`, prose has one.
    let mut text = head.to_owned();
    for table in tables() {
        let listed = options().iter().filter(|option| option.table() == table.path && wanted(option));
        let entries: String = listed.map(|option| entry(option, profile, selected.is_some())).collect();
        if entries.is_empty() {
            continue;
        }
        if !table.path.is_empty() {
            _ = writeln!(text, "\n{}\n[{}]", describe::wrap(&table.description, "# ", WIDTH), table.path);
        }
        text += &entries;
    }
    text
}

fn entry(option: &OptionInfo, profile: Profile, selected: bool) -> String {
    let mut text = format!("\n{}\n", describe::wrap(&option.description, "# ", WIDTH));
    match &option.option_type {
        OptionType::Choice(choices) => {
            for choice in choices {
                let meaning = format!("\"{}\": {}", choice.name, choice.description);
                _ = writeln!(text, "{}", describe::wrap(&meaning, "#   ", WIDTH));
            }
        }
        OptionType::Integer(_) | OptionType::Number(_) => {
            _ = writeln!(text, "# Value: {}.", option.option_type);
        }
        OptionType::TableList(_) | OptionType::StringTable | OptionType::NumberTables(_) => {
            text += "# For example:\n";
            text += &describe::indent(&describe::example(option), "#   ");
        }
        _ => {}
    }
    if matches!(option.option_type, OptionType::StringTable | OptionType::NumberTables(_)) {
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

    use super::*;
    use crate::{ConfigLayers, ConfigSource};

    fn uncommented(text: &str) -> String {
        let bare = |line: &str| match line.strip_prefix('#') {
            Some(rest) if !rest.is_empty() && !rest.starts_with(' ') => rest.to_owned(),
            _ => line.to_owned(),
        };
        text.lines().map(bare).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_file_has_the_defaults_of_its_profile_with_and_without_the_comment_signs() {
        for profile in Profile::ALL.iter().copied() {
            let text = full_starter_file(Some(profile));
            for text in [&uncommented(&text), &text] {
                let source = ConfigSource::new("loopbreak.toml", text.as_str());
                let loaded = ConfigLayers::default().file(source).load();
                let loaded = loaded.unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(*loaded.config, Settings::from(profile));
            }
            let set: toml::Table = uncommented(&text).parse().unwrap();
            assert_eq!(set, toml::Table::try_from(Settings::from(profile)).unwrap(), "every option is there");
        }
    }

    #[test]
    fn without_a_profile_the_files_set_nothing() {
        for text in [starter_file(None), full_starter_file(None)] {
            let set: toml::Table = text.parse().unwrap();
            assert!(set.values().all(toml::Value::is_table), "{set}");
        }
    }

    #[test]
    fn the_short_file_has_each_common_option_once_and_no_other() {
        let text = starter_file(Some(Profile::Coding));
        for text in [&uncommented(&text), &text] {
            let source = ConfigSource::new("loopbreak.toml", text.as_str());
            let loaded = ConfigLayers::default().file(source).load().unwrap();
            assert_eq!(*loaded.config, Settings::from(Profile::Coding));
        }
        for path in COMMON_OPTIONS {
            let key = path.rsplit('.').next().unwrap();
            let forms = [format!("\n{key} = "), format!("\n#{key} = "), format!("\n# {key} is not set")];
            assert!(forms.iter().any(|form| text.contains(form)), "{path}");
            assert!(options().iter().any(|option| option.path == *path), "{path} is an option");
        }
        assert!(text.lines().count() < 100, "{} lines", text.lines().count());
    }
}
