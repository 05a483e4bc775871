//! Directions of movement: recognizes actions that are moves, and maps words to directions.

use std::borrow::Cow;

use serde_json::Value;

use crate::step::Action;
use crate::text::normalize::normalize_whitespace_case;
use crate::text::scan::trimmed;

/// Length limit of a movement command, in bytes.
const LONGEST: usize = 60;

/// Verbs that only mean "move". The direction follows.
const GOING: &[&str] = &["go", "walk", "run", "head", "move", "travel", "proceed", "goto"];

/// Verbs of movement whose object is part of the direction.
const PASSING: &[&str] = &["enter", "exit", "leave", "climb", "cross", "board", "descend", "ascend"];

/// Returns the direction of a command. `n`, `north`, `go north` and `walk to the north` are all `north`; `enter window`
/// is a direction of its own. Returns `None` if the command is not a movement.
pub(crate) fn movement_direction(command: &str) -> Option<Cow<'_, str>> {
    if command.len() > LONGEST {
        return None;
    }
    let command = normalize_whitespace_case(command);
    if let Some(direction) = direction(&command) {
        return Some(Cow::Borrowed(direction));
    }
    let (verb, rest) = command.split_once(' ')?;
    if GOING.contains(&verb) {
        let rest = strip_words(rest, &["to", "towards", "the"]);
        return Some(direction(rest).map_or_else(|| Cow::Owned(rest.to_owned()), Cow::Borrowed));
    }
    if PASSING.contains(&verb) {
        let rest = strip_words(rest, &["the"]);
        if verb == "climb"
            && let Some(direction) = direction(rest)
        {
            return Some(Cow::Borrowed(direction));
        }
        return Some(Cow::Owned(format!("{verb} {rest}")));
    }
    None
}

/// Returns the direction of an exit. An exit whose name is not a movement is a direction of its own.
pub(crate) fn exit_direction(name: &str) -> Cow<'_, str> {
    movement_direction(name).unwrap_or_else(|| normalize_whitespace_case(name))
}

/// Returns the direction of an action that was logged as a command, as verb and argument, or as kind and target.
pub(crate) fn action_direction<'a>(action: &'a Action<'_>) -> Option<Cow<'a, str>> {
    if action.kind.as_deref() == Some("move")
        && let Some(target) = action.target.as_deref()
    {
        return Some(exit_direction(target));
    }
    let Some(args) = action.args.as_ref().map(|args| args.as_text()).filter(|args| !args.is_empty()) else {
        return movement_direction(&action.name);
    };
    if action.name.len() + args.len() > LONGEST {
        return None;
    }
    let name = trimmed(&action.name);
    let name = GOING.iter().chain(PASSING).find(|verb| verb.eq_ignore_ascii_case(name))?;
    // {"direction": "north"}: one string argument with any key.
    let object = match serde_json::from_str::<Value>(&args) {
        Ok(Value::Object(object)) if object.len() == 1 => object.into_values().next(),
        _ => None,
    };
    let argument = object.as_ref().and_then(Value::as_str).unwrap_or(&args);
    movement_direction(&format!("{name} {argument}")).map(|way| Cow::Owned(way.into_owned()))
}

fn strip_words<'t>(mut text: &'t str, words: &[&str]) -> &'t str {
    for word in words {
        if let Some(rest) = text.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')) {
            text = rest;
        }
    }
    text
}

fn direction(word: &str) -> Option<&'static str> {
    Some(match word {
        "n" | "north" => "north",
        "s" | "south" => "south",
        "e" | "east" => "east",
        "w" | "west" => "west",
        "ne" | "northeast" | "north-east" => "northeast",
        "nw" | "northwest" | "north-west" => "northwest",
        "se" | "southeast" | "south-east" => "southeast",
        "sw" | "southwest" | "south-west" => "southwest",
        "u" | "up" | "upstairs" => "up",
        "d" | "down" | "downstairs" => "down",
        "in" | "inside" | "enter" => "in",
        "out" | "outside" | "exit" | "leave" => "out",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_same_direction_are_equivalent() {
        for command in ["n", "north", "go north", "walk north", "North ", "GO  TO THE NORTH", "head n"] {
            assert_eq!(movement_direction(command).as_deref(), Some("north"), "{command}");
        }
        assert_eq!(movement_direction("climb up").as_deref(), Some("up"));
        assert_eq!(
            movement_direction("enter the window").as_deref(),
            movement_direction("enter window").as_deref()
        );
        assert_eq!(movement_direction("exit").as_deref(), Some("out"));
    }

    #[test]
    fn other_commands_have_no_direction() {
        for command in ["examine lamp", "take wrench", "look", "", "no", "northern lights", "open north door"]
        {
            assert_eq!(movement_direction(command), None, "{command}");
        }
    }

    #[test]
    fn verb_and_argument_are_read_together() {
        let read = |json: &str| {
            let action: Action<'_> = serde_json::from_str(json).unwrap();
            action_direction(&action).map(Cow::into_owned)
        };
        assert_eq!(read(r#"{"name":"go","args":"north"}"#).as_deref(), Some("north"));
        assert_eq!(read(r#"{"name":" Enter","args":"window"}"#).as_deref(), Some("enter window"));
        assert_eq!(read(r#"{"name":"gone","args":"north"}"#), None);
        assert_eq!(read(r#"{"name":"go","args":{"direction":"n"}}"#).as_deref(), Some("north"));
        assert_eq!(read(r#"{"name":"walker","kind":"move","target":"North"}"#).as_deref(), Some("north"));
        assert_eq!(read(r#"{"name":"bash","args":{"command":"go north"}}"#), None);
        assert_eq!(read(r#"{"name":"north","args":""}"#).as_deref(), Some("north"));
    }
}
