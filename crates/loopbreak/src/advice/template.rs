//! The small language of templates: `{name}` shows a value, and a line that names a value which is not there is left
//! out. `{?name}` shows nothing, but keeps the line only where the value is there; `{!name}` only where it is not.
//!
//! That covers countdowns, objectives and suggestions without any further syntax.

use super::templates::{Template, template};
use super::values::TemplateValues;
use crate::settings::{AdviceSettings, SettingsChecks};

/// Fills in a template.
pub(crate) fn fill(text: &str, values: &TemplateValues) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(line) = fill_line(line, values) {
            lines.push(line);
        }
    }
    // A heading whose list was left out, and blank lines that thereby meet, would look broken.
    let mut shown: Vec<&str> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let blank = line.trim().is_empty();
        let heading = line.ends_with(':') && lines.get(index + 1).is_none_or(|next| next.trim().is_empty());
        if heading || (blank && shown.last().is_none_or(|last| last.is_empty())) {
            continue;
        }
        shown.push(if blank { "" } else { line });
    }
    while shown.last().is_some_and(|last| last.is_empty()) {
        shown.pop();
    }
    shown.join("\n")
}

fn fill_line(line: &str, values: &TemplateValues) -> Option<String> {
    let mut filled = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, name, after)) = next_name(rest) {
        filled.push_str(before);
        match (name.strip_prefix('?'), name.strip_prefix('!')) {
            (Some(name), _) => _ = values.get(name)?,
            (_, Some(name)) if values.get(name).is_some() => return None,
            (_, Some(_)) => {}
            _ => filled.push_str(values.get(name)?),
        }
        rest = after;
    }
    filled.push_str(rest);
    Some(filled)
}

/// The text before the next `{name}`, the name with its mark, and the text after it.
fn next_name(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| at + from) {
        let name = text[open + 1..].split('}').next().unwrap_or_default();
        let close = open + 1 + name.len();
        let bare = name.trim_start_matches(['?', '!']);
        if close < text.len()
            && !bare.is_empty()
            && bare.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            return Some((&text[..open], name, &text[close + 1..]));
        }
        from = open + 1;
    }
    None
}

/// SettingsChecks the user's own texts: each replaces a template that exists, and names values that exist.
pub(crate) fn check(settings: &AdviceSettings, checks: &mut SettingsChecks) {
    for (name, text) in &settings.texts {
        let option = format!("texts.{name}");
        let Some(Template { values, .. }) = template(name) else {
            checks.that(false, &option, || {
                let known: Vec<&str> = super::TEMPLATES.iter().map(|template| template.name).collect();
                (format!("there is no text named {name:?}"), format!("the texts are: {}", known.join(", ")))
            });
            continue;
        };
        let mut rest = text.as_str();
        while let Some((_, value, after)) = next_name(rest) {
            let value = value.trim_start_matches(['?', '!']);
            checks.that(values.contains(&value), &option, || {
                (
                    format!("the text {name:?} has no value {{{value}}}"),
                    format!("its values are: {}", values.join(", ")),
                )
            });
            rest = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_whose_value_is_missing_is_left_out_with_its_heading() {
        let mut values = TemplateValues::default();
        values.set("stuck", 20);
        let text = "No progress for {stuck} turns.\nIt ends in {left} turns.\n\nGoals:\n{goals}\n\nTry:\n- something else";
        assert_eq!(fill(text, &values), "No progress for 20 turns.\n\nTry:\n- something else");
        values.set("left", 5).list("goals", ["a", "b"].into_iter());
        assert_eq!(
            fill(text, &values),
            "No progress for 20 turns.\nIt ends in 5 turns.\n\nGoals:\n- a\n- b\n\nTry:\n- something else"
        );
    }

    #[test]
    fn a_condition_keeps_or_drops_its_line_and_shows_nothing() {
        let mut values = TemplateValues::default();
        let text = "{?goals}Work on them.\n{!goals}Find some.";
        assert_eq!(fill(text, &values), "Find some.");
        values.set("goals", "x");
        assert_eq!(fill(text, &values), "Work on them.");
    }

    #[test]
    fn braces_that_name_no_value_stay_as_they_are() {
        assert_eq!(fill("fn main() { } {} {A} {", &TemplateValues::default()), "fn main() { } {} {A} {");
    }
}
