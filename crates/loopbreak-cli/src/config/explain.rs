//! `loopbreak config explain`: what an option is.

use std::fmt::Write as _;

use clap::Args;
use loopbreak::TEMPLATES;
use loopbreak::config::{
    Choice, DOCUMENTS_KEYS, Kind, Meaning, OptionInfo, find_option, nearest, options, tables,
};

use super::{describe, output};
use crate::error::UserError;
use crate::exit;

/// Explain an option, or list them all.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  loopbreak config explain\n  loopbreak config explain stagnation\n  \
loopbreak config explain stagnation.max_turns\n  loopbreak config explain max_turns_stuck\n  \
loopbreak config explain advice.texts")]
pub(crate) struct ExplainArgs {
    /// An option, a table, a documents' key or an environment variable; all options if absent
    key: Option<String>,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<u8, UserError> {
    let text = match args.key.as_deref().map(str::trim) {
        None => list(options().iter()),
        Some(key) => explain(key).ok_or_else(|| unknown(key))?,
    };
    output::show(&text)?;
    Ok(exit::DONE)
}

fn explain(key: &str) -> Option<String> {
    if let Some(option) = find_option(key) {
        return Some(one(option));
    }
    if let Some(table) = tables().iter().find(|table| table.path == key && !key.is_empty()) {
        let inside = format!("{key}.");
        let options = options().iter().filter(|option| option.path.starts_with(&inside));
        return Some(format!("[{key}]\n  {}\n\n{}", table.doc, list(options)));
    }
    if let Some(option) = options().iter().find(|option| option.variable() == key) {
        return Some(one(option));
    }
    if let Some(name) = key.strip_prefix("advice.texts.") {
        return TEMPLATES.iter().any(|template| template.name == name).then(|| one_text(name));
    }
    let known = DOCUMENTS_KEYS.iter().find(|known| known.name == key)?;
    let names = known.options.join(" and ");
    let meaning = match known.meaning {
        Meaning::Value => format!("{key} is the documents' name of {names}."),
        Meaning::Switch => {
            format!("{key} = false is the documents' way to set {names} to \"off\"; true leaves it be.")
        }
    };
    let parts = known.options.iter().filter_map(|path| find_option(path)).map(one);
    Some(std::iter::once(meaning + "\n").chain(parts).collect::<Vec<_>>().join("\n"))
}

fn list<'o>(options: impl Iterator<Item = &'o OptionInfo> + Clone) -> String {
    let widest = options.clone().map(|option| option.path.len()).max().unwrap_or(0);
    let mut text = String::new();
    for option in options {
        _ = writeln!(text, "{:widest$}  {}", option.path, option.doc);
    }
    text
}

fn one(option: &OptionInfo) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text =
        format!("{bold}{}{bold:#}\n{}\n\n", option.path, describe::wrapped(&option.doc, "  ", 100));
    let mut row = |name: &str, value: &str| {
        for (index, line) in value.lines().enumerate() {
            let name = if index == 0 { name } else { "" };
            text += format!("  {name:<14}  {line}").trim_end();
            text.push('\n');
        }
    };
    match &option.kind {
        Kind::Choice(choices) => row("values", &meanings(choices)),
        kind => row("value", &kind.to_string()),
    }
    if let Kind::Rules(keys) = &option.kind {
        row("keys", &meanings(keys));
    }
    let defaults = describe::defaults(option);
    match &option.kind {
        Kind::List => row("default", &describe::wrapped(&defaults, "", describe::LIST_WIDTH)),
        _ => row("default", &defaults),
    }
    row("in a file", &describe::example(option));
    row("variable", &(option.variable() + if option.kind == Kind::Texts { "__NAME" } else { "" }));
    if option.kind == Kind::List {
        let mut words = describe::words_in(option, loopbreak::Profile::default());
        words.truncate(2);
        row("flag", &format!("--set '{}={}'", option.path, describe::list(&words)));
    } else if !matches!(option.kind, Kind::Rules(_) | Kind::Texts) {
        let default = describe::default_in(option, loopbreak::Profile::default());
        row("flag", &format!("--set {}={}", option.path, default.trim_matches('"')));
    }
    row("documents' key", &describe::documents_keys(option).join(", "));
    if option.kind == Kind::Texts {
        text +=
            "\nTexts that can be replaced, for whom they are, and the values they can show as {name}:\n\n";
        text += "A line that names a value which is not there is left out. {?name} keeps its line only where the value\n\
                 is there, {!name} only where it is not; both show nothing.\n\n";
        for template in TEMPLATES {
            _ = writeln!(text, "  {} ({})", template.name, template.audience);
            _ = writeln!(text, "{}", describe::wrapped(&template.values.join(", "), "      ", 100));
        }
    }
    text
}

fn one_text(name: &str) -> String {
    let mut text = String::new();
    for template in TEMPLATES.iter().filter(|template| template.name == name) {
        let audience = template.audience;
        _ = writeln!(text, "advice.texts.{name}\n  A text for the {audience}.\n\n  values:");
        _ = writeln!(text, "{}\n\n  neutral:", describe::wrapped(&template.values.join(", "), "      ", 100));
        text += &describe::indented(template.neutral, "      ");
        if let Some(zork) = template.zork {
            text += "\n  zork:\n";
            text += &describe::indented(zork, "      ");
        }
    }
    text
}

fn meanings(choices: &[Choice]) -> String {
    let widest = choices.iter().map(|choice| choice.name.len()).max().unwrap_or(0);
    choices
        .iter()
        .map(|choice| format!("{:widest$}  {}", choice.name, choice.doc))
        .collect::<Vec<_>>()
        .join("\n")
}

fn unknown(key: &str) -> UserError {
    let names = options().iter().map(|option| option.path.as_str());
    let names = names.chain(tables().iter().map(|table| table.path.as_str()).filter(|path| !path.is_empty()));
    let names = names.chain(DOCUMENTS_KEYS.iter().map(|known| known.name));
    // Somebody who knows the option but not its table is helped best by the full path.
    let keys = options().iter().map(OptionInfo::key);
    let by_key = nearest(key, keys).and_then(|key| options().iter().find(|option| option.key() == key));
    let hint = nearest(key, names).or(by_key.map(|option| option.path.as_str())).map_or_else(
        || "`loopbreak config explain` lists all options".to_owned(),
        |name| format!("did you mean {name}?"),
    );
    UserError::usage(format!("there is no option {key:?}")).hint(hint)
}
