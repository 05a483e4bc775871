//! What is said about an option, for all commands that say something about options.

use std::fmt::Write as _;

use loopbreak::Profile;
use loopbreak::config::{Kind, OptionInfo, nearest};

use crate::error::UserError;

/// A value on one line, quoted and cut where it is long.
pub(crate) fn value(value: &toml::Value, most: usize) -> String {
    let text = match value {
        toml::Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    };
    if text.chars().count() <= most { text } else { text.chars().take(most - 1).chain(['…']).collect() }
}

/// The default in one profile; a list of texts is told in full.
pub(crate) fn default_in(option: &OptionInfo, profile: Profile) -> String {
    if option.kind == Kind::List {
        return list(&words_in(option, profile));
    }
    option.default_in(profile).map_or_else(|| "absent".to_owned(), |default| value(&default, 60))
}

/// The texts that a list has in one profile.
pub(crate) fn words_in(option: &OptionInfo, profile: Profile) -> Vec<String> {
    let default = option.default_in(profile);
    let items = default.as_ref().and_then(toml::Value::as_array).into_iter().flatten();
    items.filter_map(toml::Value::as_str).map(str::to_owned).collect()
}

/// A list of texts as TOML.
pub(crate) fn list(words: &[String]) -> String {
    toml::Value::from(words.to_vec()).to_string()
}

/// The default, and the profiles that have another.
pub(crate) fn defaults(option: &OptionInfo) -> String {
    let usual = default_in(option, Profile::default());
    if option.path == "profile" {
        return usual;
    }
    let mut text = usual.clone();
    for profile in Profile::ALL {
        let default = default_in(option, profile);
        if default != usual {
            _ = write!(text, "; {default} in the profile {}", profile.as_str());
        }
    }
    text
}

/// How wide a list of texts is shown.
pub(crate) const LIST_WIDTH: usize = 80;

/// A line that sets the option, as an example.
pub(crate) fn example(option: &OptionInfo) -> String {
    match &option.kind {
        Kind::Rules(_) => "[[allow]]\ntool = \"bash_output\"\nargs = \"*job1*\"".to_owned(),
        Kind::Texts => "[advice.texts]\nerrors = \"{errors} errors in a row: {last_error}\"".to_owned(),
        kind => {
            let default = default_in(option, Profile::default());
            let assignment = match kind {
                Kind::List => {
                    let words = default.trim_start_matches('[').trim_end_matches(']');
                    format!("{} = [\n{}\n]", option.key(), wrapped(words, "  ", LIST_WIDTH))
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

/// The documents' keys that set the option, as they are written.
pub(crate) fn documents_keys(option: &OptionInfo) -> Vec<String> {
    option.documents_keys().map(|key| key.name.to_owned()).collect()
}

/// A profile by its name.
pub(crate) fn profile(name: &str) -> Result<Profile, UserError> {
    let found = Profile::ALL.into_iter().find(|profile| profile.as_str() == name);
    found.ok_or_else(|| {
        let names = Profile::ALL.map(Profile::as_str);
        let hint = nearest(name, names).map_or_else(
            || format!("the profiles are: {}", names.join(", ")),
            |name| format!("did you mean {name}?"),
        );
        UserError::usage(format!("there is no profile {name:?}")).hint(hint)
    })
}

/// A text in lines of a width, each begun with an indent.
pub(crate) fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= width) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(format!("{indent}{word}")),
        }
    }
    lines.join("\n")
}

/// Lines, each begun with an indent.
pub(crate) fn indented(text: &str, indent: &str) -> String {
    text.lines().map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n").collect()
}
