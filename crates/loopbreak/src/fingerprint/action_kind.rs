//! What kind of doing an action is: one table of names, not code spread over detectors.

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::arguments::text_under;
use super::tool_name;
use super::word_index::{WordIndex, WordLists};
use crate::step::Action;

/// What kind of doing an action is.
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

/// The table of tool names and commands by which actions are understood where the log does not say it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ActionSettings {
    /// Words in the name of a tool that changes something.
    pub edit: Vec<String>,
    /// Words in the name of a tool that looks at something.
    pub read: Vec<String>,
    /// Words in the name of a tool that runs something.
    pub run: Vec<String>,
    /// Words in the name of a tool that looks for something.
    pub search: Vec<String>,
    /// Words in the name of a tool that waits for something.
    pub wait: Vec<String>,
    /// Words in the name of a tool that only turns a page or presses a key.
    pub page: Vec<String>,
    /// Words in the name of a tool that handles running jobs.
    pub jobs: Vec<String>,
    /// What such a tool is told (as `action`, `command`, …) to only look how a job is doing: that is waiting.
    pub job_checks: Vec<String>,
    /// Words in the name of a tool that only speaks.
    pub say: Vec<String>,
    /// Shell commands that change something; `git-commit` stands for `git commit`.
    pub changing_commands: Vec<String>,
    /// Names of the arguments that say what a tool is applied to, the most telling first.
    pub targets: Vec<String>,
}

/// Names of the argument that says which of its deeds a tool is to do.
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
            targets: words(
                "file_path filepath path filename file target_file notebook_path absolute_path relative_path url uri directory directory_path dir_path folder",
            ),
        }
    }
}

/// The same table, made ready to be asked at every step.
#[derive(Clone, Debug)]
pub(crate) struct ActionTable {
    pub(super) settings: ActionSettings,
    names: WordIndex,
    /// The first words of the commands that change something.
    commands: WordIndex,
    view: Finder<'static>,
}

/// The lists of names, by their bits in the index.
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
}

impl From<ActionSettings> for ActionTable {
    fn from(settings: ActionSettings) -> Self {
        let ActionSettings { edit, read, run, search, wait, page, jobs, say, .. } = &settings;
        // In the order of their bits.
        let names = WordIndex::from_lists(&[edit, read, run, search, wait, page, jobs, say]);
        let beginnings = settings.changing_commands.iter().flat_map(|command| {
            let dashes = command.match_indices('-').map(|(at, _)| at);
            dashes.chain([command.len()]).map(|end| command[..end].to_owned())
        });
        let commands = WordIndex::from_lists(&[&beginnings.collect::<Vec<_>>()]);
        ActionTable { settings, names, commands, view: Finder::new("\"view\"") }
    }
}

impl ActionTable {
    /// The kind of an action: what the log says, or what the table makes of its name.
    pub(crate) fn kind(&self, action: &Action<'_>) -> ActionKind {
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
        // An editor tool that only looks says so in its arguments.
        let args = action.args.as_ref().map_or("", |args| args.json());
        let lists = self.lists_of(action);
        let named = |list: WordLists| lists & list != 0;
        if named(list::WAIT) || (named(list::JOBS) && self.only_checks(args)) {
            ActionKind::Wait
        } else if named(list::PAGE) {
            ActionKind::Page
        } else if named(list::EDIT) {
            if self.view.find(args.as_bytes()).is_some() { ActionKind::Read } else { ActionKind::Edit }
        } else if named(list::RUN) {
            self.kind_of_command(args)
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

    /// Whether an action runs a command, whose output can say anything.
    pub(crate) fn runs(&self, action: &Action<'_>) -> bool {
        self.lists_of(action) & list::RUN != 0
    }

    /// The lists that any word of a tool's name stands in.
    fn lists_of(&self, action: &Action<'_>) -> WordLists {
        words_of(tool_name(action)).fold(0, |lists, word| lists | self.names.lists_with(word))
    }

    /// Whether a tool that handles jobs is only asked how one of them is doing.
    fn only_checks(&self, args: &str) -> bool {
        let deed = text_under(args, &DEEDS);
        deed.is_some_and(|deed| {
            self.settings.job_checks.iter().any(|known| known.eq_ignore_ascii_case(deed.trim()))
        })
    }

    /// A shell command can change something, wait, or only run.
    fn kind_of_command(&self, args: &str) -> ActionKind {
        let command = first_text(args);
        let mut kind = ActionKind::Run;
        for part in parts_of(command) {
            let mut parts = part.split_whitespace();
            let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            if first == "sleep" && kind == ActionKind::Run {
                kind = ActionKind::Wait;
            }
            let changes = self.changes(first, second);
            let redirects =
                part.contains('>') && !part.trim_end().ends_with("2>") && !part.contains("/dev/null");
            if changes || redirects || (first == "sed" && second.starts_with("-i")) {
                return ActionKind::Edit;
            }
        }
        kind
    }

    /// Whether a command that begins with these two words changes something.
    fn changes(&self, first: &str, second: &str) -> bool {
        // Nearly every command is none of these.
        if first.is_empty() || self.commands.lists_with(first) == 0 {
            return false;
        }
        // `git-commit` in the table is the command `git commit`.
        self.settings.changing_commands.iter().any(|known| {
            let rest = known.strip_prefix(first);
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-') == Some(second))
        })
    }
}

/// The words of a name: between marks, and between changes of case. More than a few are not looked at.
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

/// The commands of a shell line.
fn parts_of(command: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(command);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr3(b'&', b';', b'|', text.as_bytes());
        rest = end.map(|end| &text[end + 1..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
}

/// The text of a string argument, or of the first string in an object.
fn first_text(args: &str) -> &str {
    if let Some(text) = args.strip_prefix('"') {
        return text.strip_suffix('"').unwrap_or(text);
    }
    args.split_once(':').map_or(args, |(_, value)| value.trim_start().trim_start_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(json: &str) -> Action<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn names_of_tools_are_understood() {
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
