//! The template language: `{name}` inserts a value, and a line with a missing value is omitted. `{?name}`
//! inserts nothing and keeps the line only if the value is present. `{!name}` keeps it only if the value is
//! missing.
//!
//! This covers countdowns, objectives and suggestions without further syntax.
//!
//! Texts of somebody else are quoted before they get here. A template that has quotation marks or a code span around a
//! placeholder keeps its own marks.

/// Fills in a template. `value_of` returns the value with a name, if it is present.
pub(crate) fn fill<'v>(text: &str, value_of: &dyn Fn(&str) -> Option<&'v str>) -> String {
    if !text.contains('\n') {
        let line = fill_line(text, value_of).unwrap_or_default();
        // A heading without its list is omitted here too.
        return if line.ends_with(':') || line.trim().is_empty() { String::new() } else { line };
    }
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(line) = fill_line(line, value_of) {
            lines.push(line);
        }
    }
    // A heading without its list, and two blank lines in a row, would look broken.
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

fn fill_line<'v>(line: &str, value_of: &dyn Fn(&str) -> Option<&'v str>) -> Option<String> {
    let mut filled = String::with_capacity(2 * line.len());
    let mut rest = line;
    while let Some((before, name, after)) = next_name(rest) {
        filled.push_str(before);
        match (name.strip_prefix('?'), name.strip_prefix('!')) {
            (Some(name), _) => _ = value_of(name)?,
            (_, Some(name)) if value_of(name).is_some() => return None,
            (_, Some(_)) => {}
            _ => {
                let value = value_of(name)?;
                filled.push_str(without_own_marks(value, before, after));
            }
        }
        rest = after;
    }
    filled.push_str(rest);
    Some(filled)
}

/// Returns a value without its quotation marks if the template has marks around it. The content of a quotation contains neither
/// of the marks, so it cannot close those of the template either.
fn without_own_marks<'v>(value: &'v str, before: &str, after: &str) -> &'v str {
    let Some(content) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return value };
    let has_marks = |mark| before.ends_with(mark) && after.starts_with(mark);
    // The quotations of a list stay apart.
    let is_single = !content.contains('"');
    if has_marks('"') || has_marks('`') && is_single { content } else { value }
}

/// Returns the text before the next `{name}`, the name with its mark, and the text after it.
pub(super) fn next_name(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = memchr::memchr(b'{', &text.as_bytes()[from..]).map(|at| at + from) {
        let after = &text[open + 1..];
        let name = &after[..memchr::memchr(b'}', after.as_bytes()).unwrap_or(after.len())];
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

#[cfg(test)]
mod tests {
    use super::super::TemplateValues;

    fn fill(text: &str, values: &TemplateValues) -> String {
        super::fill(text, &|name| values.get(name))
    }

    #[test]
    fn a_line_with_a_missing_value_is_omitted_with_its_heading() {
        let mut values = TemplateValues::default();
        values.number("stuck", 20_u64);
        let text = "No progress for {stuck} turns.\nIt ends in {left} turns.\n\nGoals:\n{goals}\n\nTry:\n- something else";
        assert_eq!(fill(text, &values), "No progress for 20 turns.\n\nTry:\n- something else");
        values.number("left", 5_u64).quote_lines("goals", ["a", "b"]);
        assert_eq!(
            fill(text, &values),
            "No progress for 20 turns.\nIt ends in 5 turns.\n\nGoals:\n- \"a\"\n- \"b\"\n\nTry:\n- something else"
        );
    }

    #[test]
    fn a_condition_keeps_or_drops_its_line_and_shows_nothing() {
        let mut values = TemplateValues::default();
        let text = "{?goals}Work on them.\n{!goals}Find some.";
        assert_eq!(fill(text, &values), "Find some.");
        values.quote("goals", "x");
        assert_eq!(fill(text, &values), "Work on them.");
    }

    #[test]
    fn marks_of_the_template_take_the_place_of_those_of_the_value() {
        let mut values = TemplateValues::default();
        values.quote("one", "a `b\" c").quote_list("two", ["d", "e"], ", ");
        assert_eq!(fill(r#"{one}, "{one}", `{one}`"#, &values), r#""a 'b' c", "a 'b' c", `a 'b' c`"#);
        assert_eq!(fill(r#"{two}; "{two}"; `{two}`"#, &values), r#""d", "e"; "d", "e"; `"d", "e"`"#);
    }

    #[test]
    fn braces_that_name_no_value_are_unchanged() {
        assert_eq!(fill("fn main() { } {} {A} {", &TemplateValues::default()), "fn main() { } {} {A} {");
    }
}
