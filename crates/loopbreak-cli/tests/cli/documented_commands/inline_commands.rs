//! Commands in sentences and tables, such as "`loopbreak status` shows it", are ones that the program accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::doc_page::pages;
use super::prepared_project::PreparedProject;
use crate::support::root;

/// Texts in code that begin with the name of the program and are no commands for people.
const NO_COMMANDS: [&str; 2] = [
    // The name under which it calls a human in a game.
    "loopbreak to the user",
    // The name of a process in the list of processes.
    "loopbreak run-guardian",
];

/// Returns the commands in the sentences and tables of a page. Blocks of code are left out: they are run.
fn inline_commands(text: &str) -> Vec<String> {
    let mut prose = String::new();
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            // A command may be broken between two lines of a sentence.
            prose.push_str(line);
            prose.push(if line.trim().is_empty() || line.starts_with('|') { '\n' } else { ' ' });
        }
    }
    let parts = prose.split('\n').flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2));
    let commands = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    commands
        .filter(|command| command.starts_with("loopbreak ") && !NO_COMMANDS.contains(&command.as_str()))
        .collect()
}

/// Returns the command with `--help`, which shows whether it is accepted, and runs nothing.
fn with_help(command: &str) -> String {
    // What follows two dashes is the command of an agent.
    let own = command.split(" -- ").next().unwrap();
    format!("{own} --help")
}

/// Returns why the program does not accept a command, if it does not.
fn problem(project: &PreparedProject, command: &str) -> Option<String> {
    let help = project.run(&with_help(command), "");
    // The agent of these commands is looked up later. Its name is also a command.
    let words: Vec<&str> = command.split(' ').collect();
    let agent = match words[..] {
        ["loopbreak", "hook", "install" | "uninstall" | "doctor", name, ..] => Some(name),
        _ => None,
    };
    let agent = agent.filter(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()));
    let agent = agent.map(|name| project.run(&format!("loopbreak hook {name} --help"), ""));
    if let Some(unknown) = agent.filter(|help| help.code != Some(0)) {
        return Some(unknown.err);
    }
    if let ["loopbreak", "config", "explain", key] = words[..]
        && key.starts_with(|letter: char| letter.is_ascii_lowercase())
    {
        let explained = project.run(command, "");
        return (explained.code != Some(0)).then_some(explained.err);
    }
    if help.code == Some(0) {
        return None;
    }
    // A sentence may name an option without its value, as in "`loopbreak run --roadmap` works through a plan".
    let (rest, last) = command.rsplit_once(' ').unwrap();
    let is_option = last.starts_with("--") && last.len() > 2;
    let names_option = |out: &str| {
        out.split(|letter: char| !letter.is_alphanumeric() && letter != '-').any(|word| word == last)
    };
    let without = is_option.then(|| project.run(&with_help(rest), ""));
    match without {
        Some(help) if help.code == Some(0) && names_option(&help.out) => None,
        _ => Some(help.err),
    }
}

#[test]
fn the_commands_in_sentences_and_tables_are_accepted() {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for page in pages() {
        for command in inline_commands(&fs::read_to_string(root().join(&page)).unwrap()) {
            found.entry(command).or_default().insert(page.clone());
        }
    }
    assert!(found.len() > 80, "only {} commands were found", found.len());
    let project = PreparedProject::for_page("inline commands");
    let wrong: Vec<String> = found
        .iter()
        .filter_map(|(command, pages)| Some(format!("{pages:?}: {command}\n{}", problem(&project, command)?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The page asks its reader to run them.
#[test]
fn the_commands_of_the_troubleshooting_page_run() {
    let page = fs::read_to_string(root().join("docs/guide/troubleshooting.md")).unwrap();
    let project = PreparedProject::for_page("docs/guide/troubleshooting.md");
    let mut count = 0;
    for command in inline_commands(&page) {
        let is_shorthand = command.ends_with(" --scratchpad");
        // They need hooks or a session with hooks, which other tests have, or would change the project.
        let is_elsewhere = ["loopbreak log last", "loopbreak hook doctor"].contains(&command.as_str());
        if is_shorthand || is_elsewhere || command.starts_with("loopbreak hook install") {
            continue;
        }
        let done = project.run(&command.replace("LOG", "logs/ep-7.jsonl"), "");
        assert_eq!(done.code, Some(0), "{command}\n{}", done.err);
        count += 1;
    }
    assert!(count > 8, "only {count} commands were found");
}

#[test]
fn unknown_commands_options_and_values_are_found() {
    let text = "Run `loopbreak status`, or `loopbreak\nlog last`.\n\n| `loopbreak tasks` |\n| `--all` |\n\n```console\n$ loopbreak x\n```\n";
    assert_eq!(inline_commands(text), ["loopbreak status", "loopbreak log last", "loopbreak tasks"]);
    let project = PreparedProject::for_page("inline commands");
    for good in ["loopbreak status --all", "loopbreak run --roadmap", "loopbreak run --idle 0 -- claude --x"]
    {
        assert_eq!(problem(&project, good), None, "{good}");
    }
    for wrong in [
        "loopbreak stats",
        "loopbreak status --al",
        "loopbreak run --road",
        "loopbreak hook install cursed",
        "loopbreak explain-step LOG --turn twelve",
        "loopbreak config explain no.such.key",
    ] {
        assert!(problem(&project, wrong).is_some(), "{wrong}");
    }
}
