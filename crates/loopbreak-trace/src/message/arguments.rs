//! Arguments of tool calls, in the two ways in which services write them: as JSON, or as a string that contains JSON.

use loopbreak::step::ActionArgs;
use serde_json::value::RawValue;

/// Returns the arguments. A string that contains neither an object nor a list stays a string.
pub(crate) fn arguments(json: &RawValue) -> Option<ActionArgs<'static>> {
    let written = json.get().trim();
    if written == "null" {
        return None;
    }
    if written.starts_with('"')
        && let Ok(text) = serde_json::from_str::<String>(written)
        && text.trim_start().starts_with(['{', '['])
        && let Ok(inner) = RawValue::from_string(text.trim().to_owned())
    {
        // JSON is never wrapped in a string twice.
        return arguments(&inner);
    }
    if written.contains('\n')
        && let Ok(compact) = RawValue::from_string(compact(written))
    {
        return Some(compact.into());
    }
    Some(json.to_owned().into())
}

/// Removes the whitespace between the tokens of JSON, so that it fits on one line.
fn compact(json: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    json.chars()
        .filter(|letter| {
            if inside {
                match letter {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    '"' => inside = false,
                    _ => {}
                }
                return true;
            }
            inside = *letter == '"';
            !letter.is_ascii_whitespace()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwraps_json_in_a_string() {
        let json = |text: &str| {
            let raw = RawValue::from_string(text.to_owned()).unwrap();
            arguments(&raw).map(|args| args.json().to_owned())
        };
        assert_eq!(json(r#"{"a":1}"#).unwrap(), r#"{"a":1}"#);
        assert_eq!(json(r#""{\"a\":1}""#).unwrap(), r#"{"a":1}"#);
        assert_eq!(json(r#""{\"a\":""#).unwrap(), r#""{\"a\":""#, "truncated");
        assert_eq!(json(r#""ls -l""#).unwrap(), r#""ls -l""#);
        assert_eq!(json("null"), None);
        assert_eq!(
            json("{\n  \"a b\": [1,\n 2],\n \"c\": \" \\\" \"}").unwrap(),
            r#"{"a b":[1,2],"c":" \" "}"#
        );
    }
}
