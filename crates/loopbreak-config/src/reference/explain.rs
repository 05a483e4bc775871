//! Explains options on a terminal.

use std::fmt::Write as _;

use loopbreak::Profile;
use loopbreak::advice::TEMPLATES;

use super::describe::{
    LIST_WIDTH, default_in, default_strings, defaults, example, format_list, indent, legacy_key_names, wrap,
};
use crate::legacy_key::{LEGACY_KEYS, LegacyMeaning};
use crate::nearest::nearest_name;
use crate::options::{OptionChoice, OptionInfo, OptionType, find_option, options, tables};

/// Width of the descriptions.
const WIDTH: usize = 100;

/// Lists all options, one per line with its description.
pub fn option_list() -> String {
    render_option_list(options().iter())
}

/// Returns the option, table or legacy key that a mistyped key was probably meant to be.
pub fn nearest_key(key: &str) -> Option<&'static str> {
    let names = options().iter().map(|option| option.path.as_str());
    let names = names.chain(tables().iter().map(|table| table.path.as_str()).filter(|path| !path.is_empty()));
    let names = names.chain(LEGACY_KEYS.iter().map(|known| known.name));
    // The user may know the key but not its table: then the result has the full path.
    let keys = options().iter().map(OptionInfo::key);
    let by_key = nearest_name(key, keys).and_then(|key| options().iter().find(|option| option.key() == key));
    nearest_name(key, names).or(by_key.map(|option| option.path.as_str()))
}

/// Explains an option, a table, a legacy key, an environment variable or a text of the advice. Returns `None` for any
/// other key.
pub fn explain(key: &str) -> Option<String> {
    if let Some(option) = find_option(key) {
        return Some(explain_option(option));
    }
    if let Some(table) = tables().iter().find(|table| table.path == key && !key.is_empty()) {
        let inside = format!("{key}.");
        let options = options().iter().filter(|option| option.path.starts_with(&inside));
        return Some(format!("[{key}]\n  {}\n\n{}", table.description, render_option_list(options)));
    }
    if let Some(option) = options().iter().find(|option| option.variable() == key) {
        return Some(explain_option(option));
    }
    if let Some(name) = key.strip_prefix("advice.texts.") {
        return TEMPLATES.iter().any(|template| template.name == name).then(|| explain_text(name));
    }
    let known = LEGACY_KEYS.iter().find(|known| known.name == key)?;
    let names = known.options.join(" and ");
    let meaning = match known.meaning {
        LegacyMeaning::Switch => {
            format!("{key} = false is the legacy way to set {names} to \"off\"; true changes nothing.")
        }
        _ => format!("{key} is the legacy name of {names}."),
    };
    let parts = known.options.iter().filter_map(|path| find_option(path)).map(explain_option);
    Some(std::iter::once(meaning + "\n").chain(parts).collect::<Vec<_>>().join("\n"))
}

fn render_option_list<'o>(options: impl Iterator<Item = &'o OptionInfo> + Clone) -> String {
    let widest = options.clone().map(|option| option.path.len()).max().unwrap_or(0);
    let mut text = String::new();
    for option in options {
        _ = writeln!(text, "{:widest$}  {}", option.path, option.description);
    }
    text
}

fn explain_option(option: &OptionInfo) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}\n{}\n\n", option.path, wrap(&option.description, "  ", WIDTH));
    let mut row = |name: &str, value: &str| {
        for (index, line) in value.lines().enumerate() {
            let name = if index == 0 { name } else { "" };
            text += format!("  {name:<14}  {line}").trim_end();
            text.push('\n');
        }
    };
    match &option.option_type {
        OptionType::Choice(choices) => row("values", &render_choices(choices)),
        option_type => row("value", &option_type.to_string()),
    }
    if let OptionType::TableList(keys) | OptionType::NumberTables(keys) = &option.option_type {
        row("keys", &render_choices(keys));
    }
    match &option.option_type {
        OptionType::StringList => row("default", &wrap(&defaults(option), "", LIST_WIDTH)),
        _ => row("default", &defaults(option)),
    }
    row("in a file", &example(option));
    let is_table = option.option_type == OptionType::StringTable;
    row("variable", &(option.variable() + if is_table { "__NAME" } else { "" }));
    if option.option_type == OptionType::StringList {
        let mut strings = default_strings(option, Profile::default());
        strings.truncate(2);
        row("flag", &format!("--set '{}={}'", option.path, format_list(&strings)));
    } else if !matches!(
        option.option_type,
        OptionType::TableList(_) | OptionType::StringTable | OptionType::NumberTables(_)
    ) {
        let default = default_in(option, Profile::default());
        row("flag", &format!("--set {}={}", option.path, default.trim_matches('"')));
    }
    row("legacy key", &legacy_key_names(option).join(", "));
    if is_table {
        text += "\nTexts that can be replaced, their audience, and the values they can show as {name}.\n\n";
        text += "A line with a value that is absent is left out. {?name} keeps its line only if the value is\n\
                 present, {!name} only if it is absent; neither inserts anything.\n\n";
        for template in TEMPLATES {
            _ = writeln!(text, "  {} ({})", template.name, template.audience);
            _ = writeln!(text, "{}", wrap(&template.values.join(", "), "      ", WIDTH));
        }
    }
    text
}

fn explain_text(name: &str) -> String {
    let mut text = String::new();
    for template in TEMPLATES.iter().filter(|template| template.name == name) {
        let audience = template.audience;
        _ = writeln!(text, "advice.texts.{name}\n  Text for the {audience}.\n\n  values:");
        _ = writeln!(text, "{}\n\n  neutral:", wrap(&template.values.join(", "), "      ", WIDTH));
        text += &indent(template.neutral, "      ");
        if let Some(zork) = template.zork {
            text += "\n  zork:\n";
            text += &indent(zork, "      ");
        }
    }
    text
}

fn render_choices(choices: &[OptionChoice]) -> String {
    let widest = choices.iter().map(|choice| choice.name.len()).max().unwrap_or(0);
    choices
        .iter()
        .map(|choice| format!("{:widest$}  {}", choice.name, choice.description))
        .collect::<Vec<_>>()
        .join("\n")
}
