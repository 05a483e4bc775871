//! One form for a call, however the log spells it.
//!
//! `click('a51')`, the name `click` with the text `'a51'`, and the name `click` with the list `["a51"]` are one call.
//! So are an object, its JSON as text, and keyword arguments. Commands in natural language stay as they are.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::argument_list::parse_arguments;
use crate::step::Action;

/// Returns the call in its canonical form, or `None` if the action is already in that form.
pub(crate) fn canonical_action<'a>(action: &'a Action<'_>) -> Option<Action<'a>> {
    let (name, args) = match &action.args {
        None => inline_call(&action.name)?,
        Some(args) => match args.json().as_bytes() {
            [b'"', ..] => (&*action.name, listed_arguments(&args.as_text())?),
            _ => return None,
        },
    };
    let args = match args {
        CallArguments::Parsed(Value::Array(list)) if list.is_empty() => None,
        CallArguments::Parsed(value) => Some(to_raw_value(&value).ok()?),
        CallArguments::Json(json) => Some(RawValue::from_string(json).ok()?),
    };
    Some(Action {
        name: name.into(),
        args: args.map(Into::into),
        kind: action.kind.as_deref().map(Into::into),
        target: action.target.as_deref().map(Into::into),
        annotations: action.annotations,
    })
}

/// Number of digits of a number that is copied as it is.
const SMALL_DIGITS: usize = 9;

/// Arguments that were read from text.
enum CallArguments {
    Parsed(Value),
    /// Text that is JSON already.
    Json(String),
}

/// Splits `click('a51')`, `click [51]` and `Search[a name]` into name and arguments.
fn inline_call(text: &str) -> Option<(&str, CallArguments)> {
    let text = text.trim();
    if !text.ends_with([')', ']']) {
        return None;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let end = text.bytes().take_while(|byte| is_name(byte)).count();
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    if let Some(inner) = rest.strip_prefix('(') {
        let inner = inner.strip_suffix(')')?;
        if let Some(json) = plain_list(inner) {
            return Some((name, CallArguments::Json(json)));
        }
        return Some((name, CallArguments::Parsed(parse_arguments(inner, true)?)));
    }
    let pieces = bracketed(rest.strip_prefix(' ').unwrap_or(rest))?;
    Some((name, CallArguments::Parsed(Value::Array(pieces))))
}

/// Returns the pieces of `[51] [two words] [1]`. Words between the brackets make it something else.
fn bracketed(text: &str) -> Option<Vec<Value>> {
    let (mut rest, mut pieces) = (text, Vec::new());
    while let Some(inner) = rest.strip_prefix('[') {
        // The last piece may contain brackets itself.
        let end = inner.find("] [").unwrap_or_else(|| inner.len().saturating_sub(1));
        if !inner[end..].starts_with(']') {
            return None;
        }
        pieces.push(Value::String(inner[..end].to_owned()));
        rest = inner[end + 1..].trim_start();
    }
    (rest.is_empty() && !pieces.is_empty()).then_some(pieces)
}

/// Returns a list of plain texts in quotes and of small numbers as JSON, without building it up from values: by far the most
/// common arguments of a call in one text. Returns `None` for anything else.
fn plain_list(inner: &str) -> Option<String> {
    let mut json = String::with_capacity(inner.len() + 2);
    let (mut rest, mut open) = (inner, '[');
    loop {
        json.push(open);
        let after = match rest.as_bytes().first()? {
            quote @ (b'\'' | b'"') => {
                let end = 1 + memchr::memchr(*quote, &rest.as_bytes()[1..])?;
                let text = &rest[1..end];
                if text.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
                    return None;
                }
                json.push('"');
                json.push_str(text);
                json.push('"');
                &rest[end + 1..]
            }
            b'0'..=b'9' => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                // A leading zero is not JSON, and a large number is an id.
                if digits > SMALL_DIGITS || digits > 1 && rest.starts_with('0') {
                    return None;
                }
                json.push_str(&rest[..digits]);
                &rest[digits..]
            }
            _ => return None,
        };
        if after.is_empty() {
            json.push(']');
            return Some(json);
        }
        (rest, open) = (after.strip_prefix(',')?.trim_start(), ',');
    }
}

/// Returns the arguments in a text: JSON, or a list as in a call.
fn listed_arguments(text: &str) -> Option<CallArguments> {
    let text = text.trim();
    if text.starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(text).is_ok() {
        return Some(CallArguments::Json(text.to_owned()));
    }
    parse_arguments(text, false).map(CallArguments::Parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> Option<(String, String)> {
        let action: Action<'_> = serde_json::from_str(json).unwrap();
        let action = canonical_action(&action)?;
        Some((action.name.to_string(), action.args.map_or_else(String::new, |args| args.json().to_owned())))
    }

    #[test]
    fn one_call_has_one_form() {
        for (json, name, args) in [
            (r#""click('a51')""#, "click", r#"["a51"]"#),
            (r#"{"name":"click","args":"'a51'"}"#, "click", r#"["a51"]"#),
            (r#""click [51]""#, "click", r#"["51"]"#),
            (r#""type [51] [usb hub] [1]""#, "type", r#"["51","usb hub","1"]"#),
            (r#""Search[Ed Oxenbould]""#, "Search", r#"["Ed Oxenbould"]"#),
            (r#""noop()""#, "noop", ""),
            (r#""scroll(0, 500)""#, "scroll", "[0,500]"),
            (r#""bash(command='ls', n=2)""#, "bash", r#"{"command":"ls","n":2}"#),
            (r#"{"name":"bash","args":"{\"command\":\"ls\"}"}"#, "bash", r#"{"command":"ls"}"#),
        ] {
            assert_eq!(canonical(json), Some((name.into(), args.into())), "{json}");
        }
    }

    #[test]
    fn other_actions_stay_as_they_are() {
        for json in [
            r#""open grating""#,
            r#""cargo test""#,
            r#""test -f a (b)""#,
            r#""print(1)\nprint(2)""#,
            r#""[ -f x ]""#,
            r#"{"name":"open","args":"grating"}"#,
            r#"{"name":"bash","args":{"command":"ls"}}"#,
            r#"{"name":"click","args":["a51"]}"#,
        ] {
            assert_eq!(canonical(json), None, "{json}");
        }
    }
}
