//! `loopbreak config reference`: the reference page, from the same source as everything else about options.

use std::fmt::Write as _;

use clap::Args;
use loopbreak::Profile;
use loopbreak::TEMPLATES;
use loopbreak::config::{DOCUMENTS_KEYS, Kind, Meaning, OptionInfo, find_option, options, tables};

use super::{describe, output};
use crate::error::UserError;
use crate::exit;

/// Print the reference of all options as Markdown.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  loopbreak config reference > configuration.md")]
pub(crate) struct ReferenceArgs {}

pub(crate) fn run(_: &ReferenceArgs) -> Result<u8, UserError> {
    output::show(&page())?;
    Ok(exit::DONE)
}

fn page() -> String {
    let mut page = String::from(
        "<!-- Written by `loopbreak config reference`. Change the doc comments of the settings instead. -->\n\n\
         # Configuration reference\n\n\
         Every option, by table. An option can also be set by an environment variable (its path in capitals, with \
         `LOOPBREAK_` before it and `__` for each dot) and by a flag (`--set path=value`).\n",
    );
    for table in tables() {
        if !table.path.is_empty() {
            _ = writeln!(page, "\n## `[{}]`\n\n{}", table.path, table.doc);
        } else if let Some(profile) = find_option("profile") {
            // The profiles come first: all other defaults depend on them.
            _ = write!(page, "\n## At the top\n{}", entry(profile));
        }
        for option in
            options().iter().filter(|option| option.table() == table.path && option.path != "profile")
        {
            page += &entry(option);
        }
    }
    page += &documents();
    page += &texts();
    page
}

fn entry(option: &OptionInfo) -> String {
    let mut text = format!("\n### `{}`\n\n{}\n\n", option.path, option.doc);
    let mut item = |name: &str, value: &str| {
        _ = writeln!(text, "- {name}: {value}");
    };
    match &option.kind {
        Kind::Choice(_) => {}
        kind => item("Value", &kind.to_string()),
    }
    item("Default", &defaults(option));
    item("Variable", &format!("`{}`", option.variable()));
    let keys = describe::documents_keys(option);
    if !keys.is_empty() {
        item("In the documents", &code(&keys));
    }
    if let Kind::Choice(choices) | Kind::Rules(choices) = &option.kind {
        let head = if matches!(option.kind, Kind::Rules(_)) { "key" } else { "value" };
        _ = write!(text, "\n| {head} | meaning |\n|---|---|\n");
        for choice in choices {
            _ = writeln!(text, "| `{}` | {} |", choice.name, choice.doc);
        }
    }
    if matches!(option.kind, Kind::Rules(_) | Kind::Texts) {
        _ = write!(text, "\n```toml\n{}\n```\n", describe::example(option));
    }
    text
}

fn defaults(option: &OptionInfo) -> String {
    let shown = |profile: Profile| match &option.kind {
        Kind::List => match describe::words_in(option, profile).as_slice() {
            [] => "`[]`".to_owned(),
            words => code(words),
        },
        _ => format!("`{}`", describe::default_in(option, profile)),
    };
    let usual = shown(Profile::default());
    let mut text = usual.clone();
    for profile in Profile::ALL.into_iter().filter(|_| option.path != "profile") {
        let default = shown(profile);
        if default != usual {
            _ = write!(text, "; {default} in the profile `{}`", profile.as_str());
        }
    }
    text
}

fn documents() -> String {
    let mut text = String::from(
        "\n## The documents' table\n\nThe keys that are read in `[tool.zorkgpt.loop_break]`. The table selects the \
         profile `documents`.\n\n| key | sets |\n|---|---|\n",
    );
    for key in DOCUMENTS_KEYS {
        let names = code(&key.options.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        _ = match key.meaning {
            Meaning::Value => writeln!(text, "| `{}` | {names} |", key.name),
            Meaning::Switch => writeln!(text, "| `{}` | {names} to `off`, if `false` |", key.name),
        };
    }
    text
}

fn texts() -> String {
    let mut text = String::from(
        "\n## Texts\n\nThe texts that `[advice.texts]` can replace. `{name}` shows a value, and a line that names a \
         value which is not there is left out. `{?name}` keeps its line only where the value is there, `{!name}` \
         only where it is not; both show nothing.\n\n| text | for | values |\n|---|---|---|\n",
    );
    for template in TEMPLATES {
        let values: Vec<String> = template.values.iter().map(|&value| value.to_owned()).collect();
        _ = writeln!(text, "| `{}` | {} | {} |", template.name, template.audience, code(&values));
    }
    text
}

fn code(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
