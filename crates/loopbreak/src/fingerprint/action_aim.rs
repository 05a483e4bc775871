//! What an action is done to, and how it is done.

use super::arguments::text_under;
use super::{ActionKind, ActionTable};
use crate::memory::{Key, key_of};
use crate::place::movement_direction;
use crate::step::Action;
use crate::text::clip::clip;
use crate::text::normalize::normalize_whitespace_case;

/// How something is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum ActionManner {
    /// Looked at: nothing was to change.
    Look,
    /// Run, in a world that edits change.
    Run,
    /// Done to.
    Do,
}

/// What an action aims at.
#[derive(Debug)]
pub(crate) struct ActionAim {
    /// The target; for a shell command, every word that could be one.
    pub(crate) targets: Vec<ActionTarget>,
    pub(crate) manner: ActionManner,
    /// The tool, or the program of a shell command.
    pub(crate) tool: Key,
    /// A command in words, as in a game: its reply tells a failure in words.
    pub(crate) spoken: bool,
    /// Only the target that the failure names has failed.
    pub(crate) to_be_named: bool,
}

/// One thing that an action can be done to.
#[derive(Debug)]
pub(crate) struct ActionTarget {
    pub(crate) key: Key,
    pub(crate) text: String,
}

/// A longer text is no command in words.
const LONGEST_COMMAND: usize = 80;
/// How much of a shell command is looked at, and how many of its words.
const SHELL_BYTES: usize = 1000;
const SHELL_WORDS: usize = 8;

/// Names of the argument that holds a shell command.
const COMMANDS: [&str; 4] = ["command", "cmd", "script", "code"];

/// Verbs that only look: what they show is neither a failure nor a success at the thing.
const LOOKING: [&str; 9] = ["x", "l", "look", "examine", "inspect", "check", "study", "observe", "describe"];
/// Words before what a thing is done with, which is not what it is done to.
const MEANS: [&str; 2] = ["with", "using"];
/// More words do not name one thing.
const LONGEST_OBJECT: usize = 5;
/// Words between a verb and its object, or behind the object.
const LINKS: [&str; 24] = [
    "with", "using", "in", "into", "inside", "on", "onto", "off", "to", "from", "at", "under", "behind",
    "up", "down", "out", "about", "for", "over", "through", "against", "of", "around", "and",
];
/// Words that say nothing about which thing it is.
const ARTICLES: [&str; 9] = ["the", "a", "an", "my", "your", "some", "this", "that", "these"];
/// Words that stand for something else, and so for something else every time.
const PRONOUNS: [&str; 10] =
    ["it", "them", "all", "everything", "me", "self", "myself", "him", "her", "again"];

impl ActionTable {
    /// What an action aims at: what the log says, or what the table of argument names, the words of a shell command or
    /// the object of a command in words say. Nothing for waiting, talking and searching, whose failures say nothing
    /// about a thing.
    pub(crate) fn aim(&self, action: &Action<'_>, kind: ActionKind) -> Option<ActionAim> {
        let json = action.args.as_ref().map_or("", |args| args.json());
        let line = if action.is_structured() { None } else { Some(action.line()) };
        let spoken = line.as_deref().filter(|line| line.len() <= LONGEST_COMMAND && !line.contains('\n'));
        let spoken = spoken.filter(|_| !self.runs(action));
        // In a whole command, a word is not yet a kind of tool: `put note in box` says nothing.
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
            let command = text_under(json, &COMMANDS);
            let command = command.or(line)?;
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

/// Whether doings of a kind have nothing that they are done to.
fn is_aimless(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::Wait | ActionKind::Say | ActionKind::Search | ActionKind::Move)
}

/// A path or address in one spelling.
fn tidy(path: &str) -> &str {
    let path = path.trim();
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.len() > 1 { path.trim_end_matches('/') } else { path }
}

/// The verb of a command in words, and its object: `pry the grating with bar` is `pry` and `grating`. What is pointed at
/// a door is another thing than what is pointed at the floor.
fn object(command: &str) -> Option<(&str, String)> {
    let mut words = command.split(' ').map(|word| word.trim_matches(['.', ',', '!', '"', '\'']));
    let verb = words.next().filter(|verb| verb.chars().all(char::is_alphabetic))?;
    let (mut object, mut count) = (String::new(), 0);
    for word in words.filter(|word| !word.is_empty() && !ARTICLES.contains(word)) {
        // `look at grating`, `turn on lamp`: the object is yet to come.
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

/// The program that a shell command runs: not the `cd` before it.
fn program(command: &str) -> &str {
    let parts = command.split(['&', ';', '|', '\n']).filter_map(|part| part.split_whitespace().next());
    parts.into_iter().find(|word| *word != "cd").unwrap_or_default()
}

/// The words of a shell command that could be files or addresses.
fn words_of_shell(command: &str) -> Vec<ActionTarget> {
    let lines = command.trim().contains('\n');
    let words = command.split(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ';' | '|' | '&' | '=' | ',')
    });
    let named = words.map(tidy).filter(|word| {
        let is_path = word.contains('/') && word.chars().any(char::is_alphanumeric);
        // Among many lines of code, `a.b` is more often a name in the code than a file.
        word.len() > 2 && !word.starts_with('-') && (is_path || (!lines && is_file_name(word)))
    });
    named.take(SHELL_WORDS).map(|word| ActionTarget { key: key_of(word), text: word.to_owned() }).collect()
}

/// `report.json`: a name, a dot, and a short ending with a letter in it.
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
    fn a_command_in_words_is_done_to_its_object() {
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
    fn commands_without_a_thing_aim_at_nothing() {
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
    fn a_tool_call_is_done_to_the_file_or_address_among_its_arguments() {
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
    fn a_shell_command_can_be_done_to_any_of_its_files() {
        let json = r#"{"name":"bash","args":{"timeout":3,"command":"cd src && python -m x.y run 'data/a.csv' out.json -v 1.5"}}"#;
        assert_eq!(targets(json), ["x.y", "data/a.csv", "out.json"]);
        assert!(aim(json).is_some_and(|aim| aim.to_be_named && aim.tool == key_of("python")));
        assert!(targets(r#""cargo test""#).is_empty());
        let code = r#"{"name":"python","args":"import os.path\nopen('d/a.csv')\nnp.sum(x)"}"#;
        assert_eq!(targets(code), ["d/a.csv"]);
    }
}
