//! The kind of an action, from one table of names.

use std::borrow::Cow;

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::arguments::{fields, items, text, text_under};
use super::tool_name;
use super::word_index::{WordIndex, WordLists};
use crate::step::Action;
use crate::text::scan::end_of_string;

/// The kind of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ActionKind {
    Edit,
    Read,
    Run,
    Search,
    Wait,
    Page,
    Move,
    Say,
    Other,
}

impl ActionKind {
    /// Returns the name of the kind, as in `action.kind`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            ActionKind::Edit => "edit",
            ActionKind::Read => "read",
            ActionKind::Run => "run",
            ActionKind::Search => "search",
            ActionKind::Wait => "wait",
            ActionKind::Page => "page",
            ActionKind::Move => "move",
            ActionKind::Say => "say",
            ActionKind::Other => "other",
        }
    }
}

/// The classification of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionClass {
    pub(crate) kind: ActionKind,
    /// True if it runs a command. The output of a command is arbitrary text.
    pub(crate) runs: bool,
    /// True if every call has a side effect outside, such as a sent message.
    pub(crate) mutates: bool,
}

/// Tables of tool names and commands that classify actions if the log does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ActionSettings {
    /// Words in the name of a tool that changes something.
    pub edit: Vec<String>,
    /// Words in the name of a tool that reads something.
    pub read: Vec<String>,
    /// Words in the name of a tool that runs something.
    pub run: Vec<String>,
    /// Words in the name of a tool that searches for something.
    pub search: Vec<String>,
    /// Words in the name of a tool that waits for something.
    pub wait: Vec<String>,
    /// Words in the name of a tool that only scrolls, pages or presses a key.
    pub page: Vec<String>,
    /// Words in the name of a tool that manages background jobs.
    pub jobs: Vec<String>,
    /// Values of such a tool's `action`, `command` or similar argument that only check on a job. They count as waiting.
    pub job_checks: Vec<String>,
    /// Words in the name of a tool that only says something.
    pub say: Vec<String>,
    /// Shell commands that change something. `git-commit` stands for `git commit`.
    pub changing_commands: Vec<String>,
    /// Names of the arguments that identify the target of a tool, the most specific first.
    pub targets: Vec<String>,
    /// Words in the name of a tool whose every call has a side effect outside, such as a sent message.
    pub mutate: Vec<String>,
    /// Shell commands with such a side effect. `git-push` stands for `git push`.
    pub mutating_commands: Vec<String>,
}

/// Words in names of tools that create something outside, unless they are about a file.
const CREATING: &str = "create add insert book order register schedule open comment";
/// Words in names of tools that only look something up, send input to a program, talk to the person the agent works for, or
/// are about files. They win over all words for side effects.
const HARMLESS: &str = "get list read search find fetch show view check describe query lookup preview validate draft status wait poll \
    command commands key keys keypress input stdin signal text user file files folder directory todo todos";

/// Names of the argument that selects an operation of a tool.
const DEEDS: [&str; 6] = ["action", "command", "operation", "op", "subcommand", "method"];

fn words(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

impl Default for ActionSettings {
    fn default() -> Self {
        ActionSettings {
            edit: words(
                "edit multiedit write create insert replace patch append delete rename mkdir notebookedit fix commit",
            ),
            read: words("read view cat open list ls get show fetch visit inspect extract download head tail"),
            run: words("bash shell sh run exec execute terminal command python test cargo npm make"),
            search: words("search grep find glob rg query lookup locate"),
            wait: words("wait sleep poll noop status output bashoutput watch pause"),
            page: words("scroll page pagedown pageup press key keyboard"),
            jobs: words("process processes job jobs background session"),
            job_checks: words("log logs poll status wait output tail"),
            say: words("say respond reply message think thought note todowrite todo plan"),
            changing_commands: words(
                "mv cp rm mkdir touch tee patch git-commit git-add git-checkout git-apply git-mv git-rm git-stash git-reset pip npm-install apt-get apt cargo-add ln chmod",
            ),
            mutate: words(
                "send post pay purchase buy charge refund transfer publish tweet email sms notify submit invite deploy checkout",
            ),
            mutating_commands: words(
                "git-push git-commit gh-pr-create gh-pr-comment gh-issue-create gh-issue-comment gh-release-create npm-publish cargo-publish twine-upload sendmail",
            ),
            targets: words(
                "file_path filepath path filename file target_file notebook_path absolute_path relative_path url uri directory directory_path dir_path folder",
            ),
        }
    }
}

/// The tables, prepared for lookups at every step.
#[derive(Clone, Debug)]
pub(crate) struct ActionTable {
    pub(super) settings: ActionSettings,
    names: WordIndex,
    /// First words of the commands that change something, and of those with side effects outside.
    commands: WordIndex,
    view: Finder<'static>,
}

/// Bits of the lists of names in the index.
mod list {
    use super::super::word_index::WordLists;

    pub(super) const EDIT: WordLists = 1;
    pub(super) const READ: WordLists = 1 << 1;
    pub(super) const RUN: WordLists = 1 << 2;
    pub(super) const SEARCH: WordLists = 1 << 3;
    pub(super) const WAIT: WordLists = 1 << 4;
    pub(super) const PAGE: WordLists = 1 << 5;
    pub(super) const JOBS: WordLists = 1 << 6;
    pub(super) const SAY: WordLists = 1 << 7;
    pub(super) const MUTATE: WordLists = 1 << 8;
    pub(super) const CREATE: WordLists = 1 << 9;
    pub(super) const HARMLESS: WordLists = 1 << 10;
}

/// Bits of the lists of commands in the index.
mod command_list {
    use super::super::word_index::WordLists;

    pub(super) const CHANGING: WordLists = 1;
    pub(super) const MUTATING: WordLists = 1 << 1;
}

impl From<ActionSettings> for ActionTable {
    fn from(settings: ActionSettings) -> Self {
        let ActionSettings { edit, read, run, search, wait, page, jobs, say, mutate, .. } = &settings;
        let (create, harmless) = (words(CREATING), words(HARMLESS));
        // In the order of their bits.
        let names = WordIndex::from_lists(&[
            edit, read, run, search, wait, page, jobs, say, mutate, &create, &harmless,
        ]);
        let beginnings = settings.changing_commands.iter().flat_map(|command| {
            let dashes = command.match_indices('-').map(|(at, _)| at);
            dashes.chain([command.len()]).map(|end| command[..end].to_owned())
        });
        let changing: Vec<_> = beginnings.collect();
        let first_words = settings.mutating_commands.iter().filter_map(|command| command.split('-').next());
        let mutating: Vec<_> = first_words.map(str::to_owned).collect();
        // In the order of their bits.
        let commands = WordIndex::from_lists(&[&changing, &mutating]);
        ActionTable { settings, names, commands, view: Finder::new("\"view\"") }
    }
}

impl ActionTable {
    /// Returns the kind of an action: as the log gives it, or from its name.
    pub(crate) fn kind(&self, action: &Action<'_>) -> ActionKind {
        self.classify(action).kind
    }

    /// Classifies an action: its kind, as the log gives it or from its name, and whether it has side effects outside.
    pub(crate) fn classify(&self, action: &Action<'_>) -> ActionClass {
        let args = action.args.as_ref().map_or("", |args| args.json());
        let lists = self.lists_of(action);
        let runs = lists & list::RUN != 0;
        let (kind, mutates) = if runs { self.class_of_command(args) } else { (ActionKind::Run, false) };
        let named = || self.mutates_by_name(action, lists);
        ActionClass {
            kind: self.kind_in(action, args, lists, kind),
            runs,
            mutates: mutates || !runs && named(),
        }
    }

    /// Returns the kind of an action whose name is in these lists. `command` is the kind of its command, if it runs one.
    fn kind_in(&self, action: &Action<'_>, args: &str, lists: WordLists, command: ActionKind) -> ActionKind {
        if let Some(kind) = action.kind.as_deref() {
            return match kind {
                "edit" => ActionKind::Edit,
                "read" => ActionKind::Read,
                "run" => ActionKind::Run,
                "search" => ActionKind::Search,
                "wait" => ActionKind::Wait,
                "move" => ActionKind::Move,
                "say" => ActionKind::Say,
                _ => ActionKind::Other,
            };
        }
        // The arguments of an editor tool show that it only views a file.
        let named = |list: WordLists| lists & list != 0;
        if named(list::WAIT) || (named(list::JOBS) && self.only_checks(args)) {
            ActionKind::Wait
        } else if named(list::PAGE) {
            ActionKind::Page
        } else if named(list::EDIT) {
            if self.view.find(args.as_bytes()).is_some() { ActionKind::Read } else { ActionKind::Edit }
        } else if named(list::RUN) {
            command
        } else if named(list::SEARCH) {
            ActionKind::Search
        } else if named(list::READ) {
            ActionKind::Read
        } else if named(list::SAY) {
            ActionKind::Say
        } else {
            ActionKind::Other
        }
    }

    /// Returns whether an action runs a command. The output of a command is arbitrary text.
    pub(crate) fn runs(&self, action: &Action<'_>) -> bool {
        self.lists_of(action) & list::RUN != 0
    }

    /// Returns the shell command or code of an action that runs one.
    pub(crate) fn command<'a>(&self, action: &'a Action<'_>) -> Option<Cow<'a, str>> {
        if !self.runs(action) {
            return None;
        }
        match &action.args {
            None => Some(Cow::Borrowed(&action.name)),
            Some(args) => command_in(args.json()),
        }
    }

    /// Returns the lists that contain any word of a tool's name.
    fn lists_of(&self, action: &Action<'_>) -> WordLists {
        words_of(tool_name(action)).fold(0, |lists, word| lists | self.names.lists_with(word))
    }

    /// Returns whether a call of a job tool only checks on a job.
    fn only_checks(&self, args: &str) -> bool {
        let deed = text_under(args, &DEEDS);
        deed.is_some_and(|deed| {
            self.settings.job_checks.iter().any(|known| known.eq_ignore_ascii_case(deed.trim()))
        })
    }

    /// Returns the kind of a shell command (edit, wait or run), and whether it has side effects outside.
    fn class_of_command(&self, args: &str) -> (ActionKind, bool) {
        let (mut kind, mut mutates) = (ActionKind::Run, false);
        let mut is_own_wait = false;
        for part in parts_of(raw_command(args)) {
            let mut parts = part.split_ascii_whitespace();
            let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            // What follows is the condition that it waits for.
            is_own_wait |= second == "wait" && (first == "loopbreak" || first.ends_with("/loopbreak"));
            if (first == "sleep" || is_own_wait) && kind == ActionKind::Run {
                kind = ActionKind::Wait;
            }
            // Most commands are in no list.
            let lists = if first.is_empty() { 0 } else { self.commands.lists_with(first) };
            let changes = lists & command_list::CHANGING != 0 && self.changes(first, second);
            let redirects = || {
                memchr::memchr(b'>', part.as_bytes()).is_some()
                    && !part.trim_end().ends_with("2>")
                    && !part.contains("/dev/null")
            };
            let edits = || changes || redirects() || (first == "sed" && second.starts_with("-i"));
            if !is_own_wait && edits() {
                kind = ActionKind::Edit;
            }
            mutates |= lists & command_list::MUTATING != 0 && self.mutates(part);
        }
        (kind, mutates)
    }

    /// Returns whether a command has side effects outside.
    fn mutates(&self, part: &str) -> bool {
        self.settings.mutating_commands.iter().any(|known| {
            let mut words = part.split_whitespace();
            known.split('-').all(|word| words.next() == Some(word))
        })
    }

    /// Returns whether the name of a tool says that its calls have side effects outside.
    fn mutates_by_name(&self, action: &Action<'_>, lists: WordLists) -> bool {
        let harmless = lists & list::HARMLESS != 0 || action.args.is_none();
        if lists & (list::MUTATE | list::CREATE) == 0 || harmless {
            return false;
        }
        lists & list::MUTATE != 0 || action.is_structured() && self.path_of(action).is_none()
    }

    /// Returns the path that a call is about.
    pub(crate) fn path_of<'a>(&self, action: &'a Action<'_>) -> Option<Cow<'a, str>> {
        text_under(action.args.as_ref()?.json(), &self.settings.targets)
    }

    /// Returns whether a command that begins with these two words changes something.
    fn changes(&self, first: &str, second: &str) -> bool {
        let begins_alike = |known: &&String| known.as_bytes().first() == first.as_bytes().first();
        // `git-commit` in the table is the command `git commit`.
        self.settings.changing_commands.iter().filter(begins_alike).any(|known| {
            let rest = known.strip_prefix(first);
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-') == Some(second))
        })
    }
}

/// Returns the first six words of a name, split at punctuation and at changes of case.
pub(crate) fn words_of(name: &str) -> impl Iterator<Item = &str> {
    let bytes = name.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        let start = at;
        while at < bytes.len()
            && bytes[at].is_ascii_alphanumeric()
            && !(at > start && bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase())
        {
            at += 1;
        }
        (at > start).then(|| name.get(start..at)).flatten()
    })
    .take(6)
}

/// Returns the commands of a shell line.
fn parts_of(command: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(command);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr3(b'&', b';', b'|', text.as_bytes());
        rest = end.map(|end| &text[end + 1..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
}

/// Names of the argument that holds a shell command or code.
const COMMANDS: [&str; 6] = ["command", "cmd", "script", "code", "commands", "input"];

/// Returns the command in the arguments of a tool that runs one: a text, a named argument, or the first text of a list
/// or an object.
fn command_in(args: &str) -> Option<Cow<'_, str>> {
    // The command of a shell tool is nearly always its first argument.
    if let Some(rest) = args.strip_prefix("{\"command\":\"") {
        let start = args.len() - rest.len();
        let end = end_of_string(args.as_bytes(), start);
        return text(args.get(start - 1..=end)?);
    }
    match args.as_bytes().first()? {
        b'"' => text(args),
        b'[' => items(args).find_map(text),
        b'{' => text_under(args, &COMMANDS)
            .or_else(|| listed_command(args))
            .or_else(|| fields(args).find_map(|(_, value)| text(value))),
        _ => None,
    }
}

/// Returns the command in the arguments with its escapes, which do not matter to its kind.
fn raw_command(args: &str) -> &str {
    if let Some(text) = args.strip_prefix('"') {
        return text.strip_suffix('"').unwrap_or(text);
    }
    if let Some(rest) = args.strip_prefix("{\"command\":\"") {
        return &rest[..end_of_string(rest.as_bytes(), 0).min(rest.len())];
    }
    let is_command = |name: &str| COMMANDS.iter().any(|known| name.eq_ignore_ascii_case(known));
    let named = fields(args).find(|(name, value)| value.starts_with('"') && is_command(name));
    let first = || fields(args).find(|(_, value)| value.starts_with('"'));
    let list = || {
        items(args)
            .chain(fields(args).flat_map(|(_, value)| items(value)))
            .filter(|item| item.starts_with('"'))
    };
    let found = named.or_else(first).map(|(_, value)| value).or_else(|| list().last());
    found.map_or("", |value| value.trim_matches('"'))
}

/// Returns the command in a list of words, such as `["bash", "-lc", "make"]`: its last word is the whole line.
fn listed_command(args: &str) -> Option<Cow<'_, str>> {
    let (_, list) =
        fields(args).find(|(name, _)| COMMANDS.iter().any(|known| name.eq_ignore_ascii_case(known)))?;
    items(list).filter_map(text).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(json: &str) -> Action<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn actions_are_classified_by_tool_name_and_command() {
        let table = ActionTable::from(ActionSettings::default());
        for (json, kind) in [
            (r#"{"name":"Edit","args":{"file_path":"a.rs"}}"#, ActionKind::Edit),
            (r#"{"name":"str_replace_editor","args":{"command":"view","path":"a"}}"#, ActionKind::Read),
            (r#"{"name":"str_replace","args":{"command":"view","path":"a"}}"#, ActionKind::Read),
            (r#"{"name":"write_file"}"#, ActionKind::Edit),
            (r#"{"name":"MultiEdit"}"#, ActionKind::Edit),
            (r#"{"name":"read_file"}"#, ActionKind::Read),
            (r#"{"name":"ReadFile"}"#, ActionKind::Read),
            (r#"{"name":"Grep"}"#, ActionKind::Search),
            (r#"{"name":"web_search"}"#, ActionKind::Search),
            (r#"{"name":"BashOutput"}"#, ActionKind::Wait),
            (r#"{"name":"bash_output"}"#, ActionKind::Wait),
            (r#"{"name":"process","args":{"action":"log","sessionId":"calm-reef"}}"#, ActionKind::Wait),
            (r#"{"name":"process","args":{"sessionId":"calm-reef","action":"poll"}}"#, ActionKind::Wait),
            (r#"{"name":"manage_job","args":{"command":"Status","id":3}}"#, ActionKind::Wait),
            (r#"{"name":"process","args":{"action":"kill","sessionId":"log"}}"#, ActionKind::Other),
            (r#"{"name":"bash","args":{"command":"status"}}"#, ActionKind::Run),
            (r#"{"name":"execute_bash","args":{"command":"cargo test"}}"#, ActionKind::Run),
            (r#"{"name":"Bash","args":{"command":"sleep 30"}}"#, ActionKind::Wait),
            (r#"{"name":"Bash","args":{"command":"cd a && sed -i s/a/b/ c"}}"#, ActionKind::Edit),
            (r#"{"name":"Bash","args":{"command":"git commit -m x"}}"#, ActionKind::Edit),
            (r#"{"name":"Bash","args":{"command":"git status"}}"#, ActionKind::Run),
            (r#"{"name":"Bash","args":{"command":"cargo test 2>&1 | tail"}}"#, ActionKind::Run),
            (r#"{"name":"Bash","args":{"command":"echo a > b"}}"#, ActionKind::Edit),
            (r#"{"name":"north"}"#, ActionKind::Other),
            (r#"{"name":"page_down"}"#, ActionKind::Page),
            (r#""scroll(0, 300)""#, ActionKind::Page),
            (r#""fill('130', 'search for shoes')""#, ActionKind::Other),
            (r#"{"name":"x","kind":"wait"}"#, ActionKind::Wait),
        ] {
            assert_eq!(table.kind(&action(json)), kind, "{json}");
        }
    }
}
