//! The commands that do not just end with exit code 0.

/// The way in which a command is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandRule {
    /// It ends with exit code 0.
    Succeeds,
    /// It ends with another exit code.
    ExitsWith(i32),
    /// It ends with exit code 0 when it is given this text.
    Reads(&'static str),
    /// It ends with exit code 0 once this script was run. The numbers in its output may differ from those of the page.
    After { script: &'static str, varies: bool },
    /// It ends with exit code 0, and the numbers in its output differ from those of the page.
    Varies,
    /// It runs until Ctrl-C. Once it has printed the first text, the script is run; after the second text it is ended.
    Runs { ready: &'static str, script: &'static str, until: &'static str },
    /// This test of another module runs it.
    TestedBy { module: &'static str, test: &'static str },
}

use CommandRule::{After, ExitsWith, Reads, Runs, TestedBy, Varies};

/// A process that is waiting for a choice of agents gets none.
const NO_AGENT_CHOSEN: i32 = 2;

/// Identical outputs of an agent end a run.
const LOOP: i32 = 10;

const WATCHED: CommandRule = Runs { ready: "watching ", script: "sh grow.sh", until: "escalate fix-auth" };

/// The rules: page, command, rule.
const RULES: &[(&str, &str, CommandRule)] = &[
    ("README.md", "loopbreak hook install", ExitsWith(NO_AGENT_CHOSEN)),
    ("docs/coming-from/loopguard.md", "loopbreak hook install", ExitsWith(NO_AGENT_CHOSEN)),
    ("docs/guide/claude-code.md", "loopbreak hook install", ExitsWith(NO_AGENT_CHOSEN)),
    ("docs/guide/install.md", "loopbreak hook install", ExitsWith(NO_AGENT_CHOSEN)),
    (
        "docs/coming-from/loopguard.md",
        "loopbreak watch --notify desktop",
        Runs { ready: "watching ", script: "true", until: "watching " },
    ),
    ("docs/guide/watch.md", "loopbreak watch logs/", WATCHED),
    ("docs/guide/watch.md", "loopbreak watch logs/ --exec './stop-agent.sh --now'", WATCHED),
    ("docs/guide/watch.md", "loopbreak watch logs/ --exec 'sh -c \"kill $(cat agent.pid)\"'", WATCHED),
    // The agent of that session is not known, so nothing is signalled.
    (
        "docs/guide/watch.md",
        "loopbreak pause 5f2c --reason \"let me look first\"",
        TestedBy { module: "pause", test: "an_agent_with_hooks_is_paused_shown_and_resumed" },
    ),
    (
        "docs/guide/watch.md",
        "loopbreak resume 5f2c",
        TestedBy { module: "pause", test: "an_agent_with_hooks_is_paused_shown_and_resumed" },
    ),
    // A task of the plan needs a human.
    ("docs/guide/autopilot.md", "loopbreak run --roadmap tasks.toml --idle 0 -- sh agent.sh", ExitsWith(13)),
    (
        "docs/guide/autopilot.md",
        "loopbreak run --roadmap tasks.toml --idle 0 --resume -- sh agent.sh",
        ExitsWith(13),
    ),
    ("docs/guide/claude-code.md", "loopbreak status", After { script: "sh session.sh", varies: true }),
    (
        "docs/guide/configuration.md",
        "loopbreak config check",
        After { script: "cp example.toml loopbreak.toml", varies: false },
    ),
    (
        "docs/guide/configuration.md",
        "loopbreak config trust",
        TestedBy { module: "trust", test: "the_user_trusts_a_file_with_its_present_content" },
    ),
    (
        "docs/guide/configuration.md",
        "loopbreak config untrust",
        TestedBy { module: "trust", test: "the_user_trusts_a_file_with_its_present_content" },
    ),
    (
        "docs/guide/eval.md",
        "loopbreak eval logs/ --labels labels.jsonl --positive 'labels.stuck>=2' --baseline openhands-rule",
        TestedBy { module: "eval", test: "the_guide_shows_what_eval_prints" },
    ),
    (
        "docs/guide/eval.md",
        "loopbreak eval logs/ --set policy.holdout=0.5",
        TestedBy { module: "holdout", test: "the_guide_shows_the_table_of_held_out_runs" },
    ),
    // The game ends at its turn limit.
    ("docs/guide/game-agent.md", "loopbreak play --player oscillator --mode off", ExitsWith(11)),
    ("docs/guide/game-agent.md", "loopbreak play --player you", Reads("look\nquit\n")),
    (
        "docs/guide/run.md",
        "loopbreak run --prompt-file PROMPT.md --advisor 'gemini -p' -- claude -p",
        ExitsWith(LOOP),
    ),
    (
        "docs/guide/run.md",
        "loopbreak run --prompt-file PROMPT.md --resume --max-iterations 30 -- ./agent.sh",
        ExitsWith(LOOP),
    ),
    (
        "docs/guide/wait.md",
        "loopbreak wait --until 'curl -sf localhost:8080/health' --every 2s --timeout 5m",
        Varies,
    ),
];

/// Returns the rule for a command of a page.
pub(super) fn rule_for(page: &str, command: &str) -> CommandRule {
    let rule = RULES.iter().find(|(of, text, _)| *of == page && *text == command);
    rule.map_or(CommandRule::Succeeds, |(.., rule)| *rule)
}

#[test]
fn every_rule_is_about_a_documented_command() {
    for (page, text, rule) in RULES {
        let commands = super::doc_page::commands_of(page);
        assert!(commands.iter().any(|command| command.text == *text), "{page} has no command {text}");
        if let TestedBy { module, test } = rule {
            let path = crate::support::root().join(format!("crates/loopbreak-cli/tests/cli/{module}.rs"));
            let source = std::fs::read_to_string(path).unwrap();
            assert!(source.contains(&format!("fn {test}()")), "{module}.rs has no test {test}");
        }
    }
}
