//! Descriptions of options that several texts share.

use std::fmt::Write as _;

use loopbreak::Profile;

use crate::options::{OptionInfo, OptionType};

/// Formats a value on one line of at most `max_chars` characters.
pub fn format_value(value: &toml::Value, max_chars: usize) -> String {
    let text = match value {
        toml::Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    };
    if text.chars().count() <= max_chars {
        text
    } else {
        text.chars().take(max_chars - 1).chain(['…']).collect()
    }
}

/// Formats the default of an option in a profile. A list is not shortened.
pub(super) fn default_in(option: &OptionInfo, profile: Profile) -> String {
    if option.option_type == OptionType::StringList {
        return format_list(&default_strings(option, profile));
    }
    option.default_in(profile).map_or_else(|| "absent".to_owned(), |default| format_value(&default, 60))
}

/// Returns the default of a list of strings in a profile.
pub(super) fn default_strings(option: &OptionInfo, profile: Profile) -> Vec<String> {
    let default = option.default_in(profile);
    let items = default.as_ref().and_then(toml::Value::as_array).into_iter().flatten();
    items.filter_map(toml::Value::as_str).map(str::to_owned).collect()
}

/// Formats a list of strings as TOML.
pub(super) fn format_list(strings: &[String]) -> String {
    toml::Value::from(strings.to_vec()).to_string()
}

/// Formats the default of an option, followed by the profiles that have another one.
pub(super) fn defaults(option: &OptionInfo) -> String {
    let usual = default_in(option, Profile::default());
    if option.path == "profile" {
        return usual;
    }
    let mut text = usual.clone();
    for profile in Profile::ALL.iter().copied() {
        let default = default_in(option, profile);
        if default != usual {
            _ = write!(text, "; {default} in the profile {}", profile.as_str());
        }
    }
    text
}

/// Width at which lists of strings are wrapped.
pub(super) const LIST_WIDTH: usize = 80;

/// Returns an example that sets the option in a file.
pub(super) fn example(option: &OptionInfo) -> String {
    match &option.option_type {
        OptionType::TableList(_) if option.path == "tool" => {
            "[[tool]]\nname = \"get_job\"\npolls = true\nvolatile = [\"requestId\"]".to_owned()
        }
        OptionType::TableList(_) if option.path == "alert" => {
            "[[alert]]\nname = \"expensive day\"\nkind = \"cost_per_day\"\nthreshold = 50.0\nproject = \"web\"\n\
             slack = \"https://hooks.slack.com/services/…\""
                .to_owned()
        }
        OptionType::TableList(_) => "[[allow]]\ntool = \"bash_output\"\nargs = \"*job1*\"".to_owned(),
        OptionType::NumberTables(_) => {
            "[prices.\"my-model\"]\ninput = 1.25\noutput = 10\ncache_read = 0.125".to_owned()
        }
        OptionType::StringTable => {
            "[advice.texts]\nerrors = \"{errors} errors in a row: {last_error}\"".to_owned()
        }
        option_type => {
            let default = default_in(option, Profile::default());
            let assignment = match option_type {
                OptionType::StringList => {
                    let strings = default.trim_start_matches('[').trim_end_matches(']');
                    format!("{} = [\n{}\n]", option.key(), wrap(strings, "  ", LIST_WIDTH))
                }
                _ => format!("{} = {default}", option.key()),
            };
            match option.table() {
                "" => assignment,
                table => format!("[{table}]\n{assignment}"),
            }
        }
    }
}

/// Returns the names of the legacy keys that set the option.
pub(super) fn legacy_key_names(option: &OptionInfo) -> Vec<String> {
    option.legacy_keys().map(|key| key.name.to_owned()).collect()
}

/// Wraps a text at a width and begins each line with a prefix.
pub(super) fn wrap(text: &str, prefix: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= width) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(format!("{prefix}{word}")),
        }
    }
    lines.join("\n")
}

/// Begins each line with a prefix.
pub(super) fn indent(text: &str, prefix: &str) -> String {
    text.lines().map(|line| format!("{prefix}{line}").trim_end().to_owned() + "\n").collect()
}
