//! The target of an action, and the manner in which it is tried.

use super::arguments::text_under;
use super::{ActionKind, ActionTable};
use crate::memory::{HashKey, key_of, snapshot_type};
use crate::place::movement_direction;
use crate::step::Action;
use crate::text::clip::clip;
use crate::text::normalize::normalize_whitespace_case;

snapshot_type! {
    /// Manner in which an action treats its target.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum ActionManner {
        /// The target is only read.
        Look,
        /// The target is run. After an edit, the result may differ.
        Run,
        /// The target is acted on.
        Do,
    }
}

/// The possible targets of an action.
#[derive(Debug)]
pub(crate) struct ActionAim {
    /// The target. For a shell command, every word that could be one.
    pub(crate) targets: Vec<ActionTarget>,
    pub(crate) manner: ActionManner,
    /// Name of the tool, or of the program of a shell command.
    pub(crate) tool: HashKey,
    /// True for a command in natural language, as in a game. Its reply also reports failures in natural
    /// language.
    pub(crate) spoken: bool,
    /// True if only the target that the failure names counts as failed.
    pub(crate) to_be_named: bool,
}

/// One possible target.
#[derive(Debug)]
pub(crate) struct ActionTarget {
    pub(crate) key: HashKey,
    pub(crate) text: String,
}

/// Length limit of a command in natural language, in bytes.
const LONGEST_COMMAND: usize = 80;
/// Number of bytes, and of words, that are read of a shell command.
const SHELL_BYTES: usize = 1000;
const SHELL_WORDS: usize = 8;

/// Verbs that only look at a thing. Their reply is neither a success nor a failure.
const LOOKING: [&str; 9] = ["x", "l", "look", "examine", "inspect", "check", "study", "observe", "describe"];
/// Words that precede the instrument, which is not the target.
const MEANS: [&str; 2] = ["with", "using"];
/// Maximum number of words of an object.
const LONGEST_OBJECT: usize = 5;
/// Words between a verb and its object, or behind the object.
const LINKS: [&str; 24] = [
    "with", "using", "in", "into", "inside", "on", "onto", "off", "to", "from", "at", "under", "behind",
    "up", "down", "out", "about", "for", "over", "through", "against", "of", "around", "and",
];
/// Words that do not identify the object.
const ARTICLES: [&str; 9] = ["the", "a", "an", "my", "your", "some", "this", "that", "these"];
/// Words that refer to another thing each time.
const PRONOUNS: [&str; 10] =
    ["it", "them", "all", "everything", "me", "self", "myself", "him", "her", "again"];

impl ActionTable {
    /// Returns the targets of an action: from the log, a known argument, the words of a shell command, or the
    /// object of a command in natural language. Returns `None` for waiting, talking and searching, because
    /// their failures do not concern a target.
    pub(crate) fn aim(&self, action: &Action<'_>, kind: ActionKind) -> Option<ActionAim> {
        let json = action.args.as_ref().map_or("", |args| args.json());
        let line = if action.is_structured() { None } else { Some(action.line()) };
        let spoken = line.as_deref().filter(|line| line.len() <= LONGEST_COMMAND && !line.contains('\n'));
        let spoken = spoken.filter(|_| !self.runs(action));
        // The words of a whole command are not tool names: in `put note in box`, `note` does not mean "say".
        let bare = spoken.is_some_and(|line| line.len() == action.name.len()) && action.kind.is_none();
        if kind == ActionKind::Wait || (!bare && is_aimless(kind)) {
            return None;
        }
        let manner = match kind {
            ActionKind::Read => ActionManner::Look,
            ActionKind::Run => ActionManner::Run,
            _ => ActionManner::Do,
        };
        let tool = key_of(&action.name);
        let one = |text: &str, manner| ActionAim {
            targets: vec![ActionTarget { key: key_of(text), text: text.to_owned() }],
            manner,
            tool,
            spoken: spoken.is_some(),
            to_be_named: false,
        };
        if let Some(target) = action.target.as_deref().map(str::trim).filter(|target| !target.is_empty()) {
            return Some(one(&normalize_whitespace_case(target), manner));
        }
        if let Some(path) = text_under(json, &self.settings.targets) {
            return Some(one(tidy(&path), manner)).filter(|aim| !aim.targets[0].text.is_empty());
        }
        if self.runs(action) {
            let command = self.command(action)?;
            let command = clip(&command, SHELL_BYTES);
            let targets = words_of_shell(command);
            let tool = key_of(program(command));
            return Some(ActionAim {
                targets,
                manner: ActionManner::Run,
                tool,
                spoken: false,
                to_be_named: true,
            });
        }
        let command = normalize_whitespace_case(spoken?);
        let (verb, object) = object(&command)?;
        let manner = if LOOKING.contains(&verb) { ActionManner::Look } else { ActionManner::Do };
        Some(ActionAim { tool: key_of(verb), ..one(&object, manner) })
    }
}

/// Returns whether actions of a kind have no target.
fn is_aimless(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::Wait | ActionKind::Say | ActionKind::Search | ActionKind::Move)
}

/// Returns a path or address in its normal form.
fn tidy(path: &str) -> &str {
    let path = path.trim();
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.len() > 1 { path.trim_end_matches('/') } else { path }
}

/// Returns the verb and the object of a command in natural language. For `pry the grating with bar` these are
/// `pry` and `grating`. A second object is part of the target: pointing at a door differs from pointing at
/// the floor.
fn object(command: &str) -> Option<(&str, String)> {
    let mut words = command.split(' ').map(|word| word.trim_matches(['.', ',', '!', '"', '\'']));
    let verb = words.next().filter(|verb| verb.chars().all(char::is_alphabetic))?;
    let (mut object, mut count) = (String::new(), 0);
    for word in words.filter(|word| !word.is_empty() && !ARTICLES.contains(word)) {
        // `look at grating`, `turn on lamp`: the object follows.
        if object.is_empty() && LINKS.contains(&word) {
            continue;
        }
        if MEANS.contains(&word) {
            break;
        }
        if !word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '\'')) {
            return None;
        }
        if !object.is_empty() {
            object.push(' ');
        }
        object.push_str(word);
        count += 1;
    }
    // `turn lamp on` is `turn on lamp`.
    while let Some((rest, _)) = object.rsplit_once(' ').filter(|(_, last)| LINKS.contains(last)) {
        object.truncate(rest.len());
    }
    let names_a_thing = (1..=LONGEST_OBJECT).contains(&count)
        && object.len() > 1
        && !PRONOUNS.contains(&object.as_str())
        && movement_direction(&object).is_none();
    names_a_thing.then_some((verb, object))
}

/// Returns the program that a shell command runs, skipping `cd`.
fn program(command: &str) -> &str {
    let parts = command.split(['&', ';', '|', '\n']).filter_map(|part| part.split_whitespace().next());
    parts.into_iter().find(|word| *word != "cd").unwrap_or_default()
}

/// Returns the words of a shell command that could be files or addresses.
fn words_of_shell(command: &str) -> Vec<ActionTarget> {
    let lines = command.trim().contains('\n');
    let words = command.split(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ';' | '|' | '&' | '=' | ',')
    });
    let named = words.map(tidy).filter(|word| {
        let is_path = word.contains('/') && word.chars().any(char::is_alphanumeric);
        // In code of several lines, `a.b` is usually a name in the code and not a file.
        word.len() > 2 && !word.starts_with('-') && (is_path || (!lines && is_file_name(word)))
    });
    named.take(SHELL_WORDS).map(|word| ActionTarget { key: key_of(word), text: word.to_owned() }).collect()
}

/// Returns whether a word looks like `report.json`: a name, a dot, and a short extension that has a letter.
fn is_file_name(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aim(json: &str) -> Option<ActionAim> {
        let table = ActionTable::from(crate::settings::ActionSettings::default());
        let action: Action<'_> = serde_json::from_str(json).unwrap();
        table.aim(&action, table.kind(&action))
    }

    fn targets(json: &str) -> Vec<String> {
        aim(json).map_or_else(Vec::new, |aim| aim.targets.into_iter().map(|target| target.text).collect())
    }

    #[test]
    fn the_target_of_a_command_in_words_is_its_object() {
        for (command, object) in [
            ("open grating", "grating"),
            ("Pry the  grating with the crowbar", "grating"),
            ("look at grating", "grating"),
            ("turn on lamp", "lamp"),
            ("turn lamp on", "lamp"),
            ("push red button", "red button"),
            ("get lamp", "lamp"),
            ("put note in box", "note in box"),
            ("search desk", "desk"),
            ("climb tree", "tree"),
            ("point crystal at the door", "crystal at door"),
        ] {
            assert_eq!(targets(&format!("{command:?}")), [object], "{command}");
            assert!(aim(&format!("{command:?}")).is_some_and(|aim| aim.spoken));
        }
        assert_eq!(targets(r#"{"name":"open","args":"grating"}"#), ["grating"]);
        assert_eq!(aim(r#""open grating""#).map(|aim| aim.manner), Some(ActionManner::Do));
        assert_eq!(aim(r#""examine grating""#).map(|aim| aim.manner), Some(ActionManner::Look));
    }

    #[test]
    fn commands_without_an_object_have_no_target() {
        for command in [
            "look",
            "north",
            "go north",
            "take all",
            "open it",
            "wait",
            "",
            "inventory",
            "z",
            "ic_sql select a",
            "f count(*) x",
        ] {
            assert!(targets(&format!("{command:?}")).is_empty(), "{command}");
        }
    }

    #[test]
    fn the_target_of_a_tool_call_is_the_file_or_address_in_its_arguments() {
        for (json, target, manner) in [
            (r#"{"name":"write_to_file","args":{"content":"x","path":"./a.ts"}}"#, "a.ts", ActionManner::Do),
            (r#"{"name":"list_directory","args":{"path":"/home/me/"}}"#, "/home/me", ActionManner::Look),
            (
                r#"{"name":"fetch","args":{"url":"https://a.example/b"}}"#,
                "https://a.example/b",
                ActionManner::Look,
            ),
            (r#"{"name":"x","target":"Tests","kind":"run"}"#, "tests", ActionManner::Run),
        ] {
            assert_eq!(targets(json), [target], "{json}");
            assert_eq!(aim(json).map(|aim| aim.manner), Some(manner), "{json}");
        }
        for json in [
            r#"{"name":"grep","args":{"pattern":"a","path":"src"}}"#,
            r#"{"name":"note","args":{"path":"x"}}"#,
            r#"{"name":"get_user","args":{"user_id":"mia"}}"#,
            r#"{"name":"bash_output","args":{"path":"x"}}"#,
            r#"{"name":"Search","args":"Ed Oxenbould"}"#,
        ] {
            assert!(targets(json).is_empty(), "{json}");
        }
    }

    #[test]
    fn every_file_of_a_shell_command_is_a_possible_target() {
        let json = r#"{"name":"bash","args":{"timeout":3,"command":"cd src && python -m x.y run 'data/a.csv' out.json -v 1.5"}}"#;
        assert_eq!(targets(json), ["x.y", "data/a.csv", "out.json"]);
        assert!(aim(json).is_some_and(|aim| aim.to_be_named && aim.tool == key_of("python")));
        assert!(targets(r#""cargo test""#).is_empty());
        let code = r#"{"name":"python","args":"import os.path\nopen('d/a.csv')\nnp.sum(x)"}"#;
        assert_eq!(targets(code), ["d/a.csv"]);
    }
}
