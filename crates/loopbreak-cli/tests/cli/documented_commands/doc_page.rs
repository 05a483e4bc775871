//! Finds the commands of a page.

use std::fs;
use std::path::Path;

use crate::support::root;

/// A command of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DocCommand {
    pub(super) page: String,
    pub(super) line: usize,
    /// The command without the comment behind it.
    pub(super) text: String,
    /// The output that the page shows: the lines below it, or a block of text behind the one of the command.
    pub(super) shown: Vec<String>,
}

/// Returns the pages with commands for people, relative to the root.
pub(super) fn pages() -> Vec<String> {
    let mut pages: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "fuzz/README.md"].map(str::to_owned).into();
    let mut folders = vec!["docs".to_owned(), "integrations".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = format!("{folder}/{name}");
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// Returns the commands of a page.
pub(super) fn commands_of(page: &str) -> Vec<DocCommand> {
    commands_in(page, &fs::read_to_string(root().join(page)).unwrap())
}

/// Finds the commands in blocks of type `console`, where they begin with `$`. Blocks of type `sh` and `bash` are scripts.
fn commands_in(page: &str, text: &str) -> Vec<DocCommand> {
    let mut lines = text.lines().map(str::trim_end).enumerate().peekable();
    let mut commands: Vec<DocCommand> = Vec::new();
    while let Some((_, line)) = lines.next() {
        if line.trim_start() != "```console" {
            continue;
        }
        let first = commands.len();
        let mut continues = false;
        for (number, line) in lines.by_ref().take_while(|(_, line)| line.trim_start() != "```") {
            if continues {
                let last = commands.last_mut().unwrap();
                last.text = format!("{} {}", last.text.trim_end_matches('\\').trim_end(), line.trim());
            } else if let Some(command) = line.trim_start().strip_prefix("$ ") {
                let (page, text) = (page.to_owned(), without_comment(command).to_owned());
                commands.push(DocCommand { page, line: number + 1, text, shown: Vec::new() });
            } else {
                let command = commands[first..].last_mut();
                command
                    .unwrap_or_else(|| panic!("{page}:{}: output without a command", number + 1))
                    .shown
                    .push(line.to_owned());
            }
            continues = line.ends_with('\\');
        }
        assert!(commands.len() > first, "{page}: a block of type console without a command");
        while lines.next_if(|(_, line)| line.is_empty()).is_some() {}
        let last = commands.last_mut().unwrap();
        if last.shown.is_empty() && lines.next_if(|(_, line)| *line == "```text").is_some() {
            let block = lines.by_ref().take_while(|(_, line)| *line != "```");
            last.shown.extend(block.map(|(_, line)| line.to_owned()));
        }
    }
    for command in &mut commands {
        while command.shown.last().is_some_and(String::is_empty) {
            command.shown.pop();
        }
    }
    commands
}

/// Returns a command without the comment behind it. A `#` in quotes begins no comment.
fn without_comment(command: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in command.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter == '#' && before == ' ' => return command[..at].trim_end(),
            _ => {}
        }
        before = letter;
    }
    command.trim_end()
}

#[test]
fn commands_and_what_is_shown_below_them_are_found() {
    let page = "# A\n\n```console\n$ a 'x # y' b    # c\nout\n\n$ d \\\n    --e\n```\n\n```text\nmore\n```\n\n```sh\nnot one\n```\n";
    let found: Vec<_> =
        commands_in("p.md", page).into_iter().map(|it| (it.line, it.text, it.shown)).collect();
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        found,
        [(4, "a 'x # y' b".to_owned(), lines(&["out"])), (7, "d --e".to_owned(), lines(&["more"]))]
    );
}

#[test]
fn every_page_has_its_commands_in_blocks_that_are_read() {
    for page in pages() {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        let prompts = text.lines().filter(|line| line.trim_start().starts_with("$ ")).count();
        assert_eq!(
            prompts,
            commands_of(&page).len(),
            "{page}: a command is outside of blocks of type console"
        );
    }
}

/// Kinds of blocks without commands for people. Tests look at each kind where that is possible.
const OTHER_BLOCKS: [&str; 9] =
    ["text", "python", "rust", "rust,no_run", "toml", "json", "yaml", "markdown", "ts"];

/// Scripts in pages, and the test or the script of a test that takes them from the page and runs them.
const SCRIPTS: [(&str, &str, &str); 2] = [
    ("docs/guide/autopilot.md", "sh", "tests/fixtures/documented-commands/pages/docs-guide-autopilot.sh"),
    ("docs/guide/guard.md", "bash", "tests/cli/guard.rs"),
];

/// A block of another type would hide its commands.
#[test]
fn every_block_is_of_a_kind_that_is_looked_at() {
    let mut scripts = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        assert!(!text.contains("\n~~~"), "{page}: blocks begin with three backquotes");
        let fences = text.lines().filter_map(|line| line.trim_start().strip_prefix("```"));
        for kind in fences.step_by(2) {
            if SCRIPTS.iter().any(|(of, script, _)| *of == page && *script == kind) {
                scripts.push((page.clone(), kind.to_owned()));
            } else {
                let is_known = kind == "console" || OTHER_BLOCKS.contains(&kind);
                assert!(
                    is_known,
                    "{page}: a block of type {kind:?}: commands stand in blocks of type console"
                );
            }
        }
    }
    for (page, kind, runner) in SCRIPTS {
        let is_there = |found: &(String, String)| found.0 == page && found.1 == kind;
        assert_eq!(
            scripts.iter().filter(|found| is_there(found)).count(),
            1,
            "{page}: blocks of type {kind}"
        );
        let source = fs::read_to_string(root().join("crates/loopbreak-cli").join(runner)).unwrap();
        assert!(source.contains(page) && source.contains(kind), "{runner} does not read {page}");
    }
}

/// A block of text is what a program printed. A command in it would not be run.
#[test]
fn no_command_hides_in_a_block_of_text() {
    // The reference is generated: what it shows is the usage of each command.
    for page in pages().into_iter().filter(|page| !page.starts_with("docs/reference/")) {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        let blocks = text.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        for line in blocks.flat_map(str::lines) {
            let is_command = ["loopbreak ", "cargo ", "sh ", "curl ", "pip ", "npm ", "brew ", "docker "]
                .iter()
                .any(|name| {
                    let rest = line.strip_prefix(name);
                    rest.is_some_and(|rest| {
                        rest.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '-')
                    })
                });
            assert!(!is_command, "{page}: {line}");
        }
    }
}
