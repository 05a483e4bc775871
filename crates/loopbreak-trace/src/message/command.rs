//! Commands that are written as one text.

use loopbreak::Action;

/// Parses a command line: the first word is the tool, the rest are its arguments.
pub(crate) fn command(line: &str) -> Action<'static> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let mut action = Action::new(name.to_owned());
    if !rest.trim().is_empty() {
        action = action.with_args(&serde_json::Value::from(rest.trim_start()));
    }
    action
}
