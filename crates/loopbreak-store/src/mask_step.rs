//! Masks the secrets in a step before it leaves this machine, and before the guard of the service sees it. The masked step is both
//! observed and stored, so that a guard that is restored from the store comes to the same verdicts.

use loopbreak::Step;
use loopbreak::text::{MASK, find_secrets, mask_secrets};
use serde_json::Value;

/// Deepest nesting that is looked into. Deeper values are removed.
const MAX_DEPTH: usize = 100;

/// Returns the step without secrets. `None` if it cannot be read again, which no step of a client causes.
pub fn mask_step(step: Step<'static>) -> Option<Step<'static>> {
    let mut value = serde_json::to_value(&step).ok()?;
    if !mask(&mut value, "", 0) {
        return Some(step);
    }
    let text = value.to_string();
    Step::from_json(&text).ok().map(Step::into_owned)
}

/// Masks the secrets of a value under a name. Returns whether it changed.
fn mask(value: &mut Value, name: &str, depth: usize) -> bool {
    match value {
        Value::String(text) => match mask_text(text, name) {
            Some(masked) => {
                *text = masked;
                true
            }
            None => false,
        },
        Value::Array(items) if depth < MAX_DEPTH => {
            let mut changed = mask_words(items);
            for item in items {
                changed |= mask(item, name, depth + 1);
            }
            changed
        }
        Value::Object(fields) if depth < MAX_DEPTH => {
            let mut changed = false;
            for (name, field) in fields {
                changed |= mask(field, name, depth + 1);
            }
            changed
        }
        Value::Array(_) | Value::Object(_) => {
            *value = Value::Null;
            true
        }
        Value::Number(number) if is_secret_of(name, &number.to_string()) => {
            *value = MASK.into();
            true
        }
        _ => false,
    }
}

/// Returns the text without its secrets, `None` if it has none.
fn mask_text(text: &str, name: &str) -> Option<String> {
    if is_secret_of(name, text) {
        return Some(MASK.to_owned());
    }
    match mask_secrets(text) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(masked) => Some(masked),
    }
}

/// Returns whether the name says that the text is a secret, as in `{"password": "…"}`.
fn is_secret_of(name: &str, text: &str) -> bool {
    // A long text is not a password. Looking for one in it would take long.
    if name.is_empty() || text.is_empty() || text.len() > 4096 {
        return false;
    }
    let line = format!("{name}={text}");
    find_secrets(&line).any(|secret| secret.range.start == name.len() + 1 && secret.range.end == line.len())
}

/// Masks words of a command that is given as a list, such as `["curl", "-u", "name:password"]`.
fn mask_words(items: &mut [Value]) -> bool {
    let mut line = String::new();
    let mut places = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Value::String(word) = item else { continue };
        if !line.is_empty() {
            line.push(' ');
        }
        places.push((at, line.len()..line.len() + word.len()));
        line.push_str(word);
    }
    if places.len() < 2 {
        return false;
    }
    let mut changed = false;
    for secret in find_secrets(&line) {
        for (at, place) in &places {
            // A secret that lies in one word is masked with the rest of that word kept.
            let is_whole = secret.range.start <= place.start && place.end <= secret.range.end;
            if is_whole && !place.is_empty() {
                items[*at] = MASK.into();
                changed = true;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn masked(step: &Value) -> String {
        let text = step.to_string();
        let step = mask_step(Step::from_json(&text).unwrap().into_owned()).unwrap();
        serde_json::to_string(&step).unwrap()
    }

    #[test]
    fn secrets_are_masked_wherever_a_step_has_texts() {
        let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        for step in [
            json!({"action": {"name": "bash", "args": {"command": format!("git push https://x:{key}@host")}}}),
            json!({"action": {"name": "bash", "args": {"argv": ["git", "clone", key]}}}),
            json!({"action": {"name": "login", "args": {"deep": [{"password": key}]}}}),
            json!({"action": {"name": "login", "args": {"api_key": "hunter22hunter"}}}),
            json!({"action": {"name": "bash", "args": ["login", "--password", "hunter22hunter"]}}),
            json!({"action": "x", "outcome": {"text": format!("token {key}")}}),
            json!({"say": key, "user": format!("use {key}")}),
            json!({"task": {"id": "t", "blockers": [key]}, "objectives": {"active": [key]}}),
        ] {
            let text = masked(&step);
            assert!(!text.contains("0123456789abc") && !text.contains("hunter22"), "{text}");
            assert!(text.contains(MASK), "{text}");
        }
    }

    #[test]
    fn a_step_without_secrets_stays_as_it_is() {
        for step in [
            json!({"action": {"args": {"b": 1.0, "a": [1, "two", null], "token_count": 7}, "name": "bash"}}),
            json!({"say": "the password is asked for", "score": 1.5, "usage": {"input_tokens": 12}}),
            json!({"action": {"args": {"path": "src/password.rs", "sort_key": "name"}, "name": "read"}}),
        ] {
            let text = masked(&step);
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), step);
        }
    }

    #[test]
    fn masking_twice_changes_nothing_more() {
        let step = json!({"action": {"name": "x", "args": {"password": "hunter22hunter", "n": [1]}}});
        let once = masked(&step);
        assert_eq!(masked(&serde_json::from_str(&once).unwrap()), once);
    }
}
