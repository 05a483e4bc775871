//! All parts.

use loopbreak_hooks::scripted_model::ScriptedDeed;

use super::part_script::SUBAGENT_MARK;
use super::project_files::run_script;
use super::session_part::{PartMove, PartTurn, PartVariant, SessionPart};

/// The rounds of a loop whose model never gives in. The refusal comes at the eighth; two more show what happens then.
const LOOP_ROUNDS: usize = 10;
/// The rounds of a model that insists for ever.
const INSISTING_ROUNDS: usize = 24;

const PLAIN: PartVariant = PartVariant::PLAIN;

/// The parts, in the order in which they are played.
pub(super) const PARTS: [SessionPart; 22] = [
    SessionPart::new("failing-call", "the same failing command, again and again", failing_call),
    SessionPart::new("same-call", "the same successful command, again and again", same_call),
    SessionPart::new("a-b", "two successful commands in turn", a_b),
    SessionPart::with_results("same-read", "the same file is read again and again", same_read),
    SessionPart::new("red-test", "the same failing test, and no edit in between", red_test),
    SessionPart::with_results("bad-edit", "an edit that does not apply, again and again", bad_edit),
    SessionPart::with_results("unknown-tool", "a tool that does not exist, again and again", unknown_tool),
    SessionPart::with_results(
        "wrong-arguments",
        "a call without its arguments, again and again",
        wrong_arguments,
    ),
    SessionPart::new("parallel", "two equal calls side by side, again and again", parallel),
    SessionPart::with_results("heeds", "repeats a call until it is advised, then does something else", heeds),
    SessionPart::new("insists", "repeats a refused call, then tries another one", insists),
    SessionPart::with_results("healthy", "11 calls with two failing tests and two edits", healthy),
    SessionPart::new("polling", "the same command with a new answer each time", polling),
    SessionPart::new("background", "waits for a background job with a sleep before each look", background),
    SessionPart {
        subagent: Some(failing_call),
        // pi has no subagents.
        agents: &["claude", "cline", "codex", "codex-code", "copilot", "gemini", "opencode", "qwen"],
        ..SessionPart::new(
            "subagent",
            "a subagent that loops; then the main agent makes the same call",
            subagent,
        )
    },
    SessionPart {
        variant: PartVariant { compaction: true, ..PLAIN },
        // Gemini CLI and pi compact only between prompts of the user.
        agents: &["claude", "codex", "codex-code", "opencode", "qwen"],
        ..SessionPart::new(
            "compaction",
            "the same command, and a compaction after the second call",
            compaction,
        )
    },
    SessionPart {
        variant: PartVariant { other_hook: true, ..PLAIN },
        agents: &["claude", "codex", "codex-code", "gemini", "qwen"],
        ..SessionPart::new("other-hook", "the hook of somebody else never lets the agent stop", only_words)
    },
    SessionPart {
        variant: PartVariant { config: "[policy]\non_loop = \"stop\"\n", ..PLAIN },
        ..SessionPart::new("on-loop-stop", "the same failing command with on_loop = \"stop\"", insists)
    },
    SessionPart {
        variant: PartVariant { config: "[budget]\nmax_iterations = 5\n", ..PLAIN },
        ..SessionPart::new("budget", "different failing commands with max_iterations = 5", budget)
    },
    SessionPart {
        variant: PartVariant { two_installations: true, ..PLAIN },
        ..SessionPart::new("two-installations", "hooks for the user and for the project", failing_call)
    },
    SessionPart {
        variant: PartVariant { plugin: true, ..PLAIN },
        agents: &["claude", "codex", "codex-code", "gemini"],
        ..SessionPart::new("plugin", "the same failing command, guarded by the plugin", failing_call)
    },
    SessionPart {
        variant: PartVariant { own_guard: true, ..PLAIN },
        agents: &["gemini", "qwen", "openhands"],
        ..SessionPart::new(
            "own-guard",
            "the same failing command, with the guard of the agent on",
            failing_call,
        )
    },
];

/// Makes a call in each of a number of rounds, then ends.
fn repeat(turn: &PartTurn<'_>, rounds: usize, deed: impl FnOnce() -> ScriptedDeed) -> PartMove {
    if turn.round < rounds { PartMove::Call(vec![deed()]) } else { PartMove::End }
}

fn failing_call(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, LOOP_ROUNDS, || run_script("build.sh"))
}

fn same_call(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, LOOP_ROUNDS, || run_script("list.sh"))
}

fn a_b(turn: &PartTurn<'_>) -> PartMove {
    let script = if turn.round.is_multiple_of(2) { "list.sh" } else { "show.sh" };
    repeat(turn, 2 * LOOP_ROUNDS, || run_script(script))
}

fn same_read(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, LOOP_ROUNDS, || turn.files.read("notes.txt"))
}

fn red_test(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, LOOP_ROUNDS, || run_script("run_tests.sh"))
}

/// The file is read first: some agents edit nothing that they have not read.
fn bad_edit(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, LOOP_ROUNDS + 1, || match turn.round {
        0 => turn.files.read("notes.txt"),
        _ => turn.files.edit("notes.txt", "This line is not in the file.", "Nor is this one."),
    })
}

fn unknown_tool(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, LOOP_ROUNDS, || ScriptedDeed::UnknownTool)
}

fn wrong_arguments(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, LOOP_ROUNDS, || ScriptedDeed::WrongArguments)
}

fn parallel(turn: &PartTurn<'_>) -> PartMove {
    match turn.round {
        round if round < LOOP_ROUNDS => PartMove::Call(vec![run_script("list.sh"), run_script("list.sh")]),
        _ => PartMove::End,
    }
}

/// The rounds after the advice are all different.
fn heeds(turn: &PartTurn<'_>) -> PartMove {
    match turn.round {
        _ if !turn.told => repeat(turn, LOOP_ROUNDS, || run_script("build.sh")),
        round if round > 8 => PartMove::End,
        round => PartMove::Call(vec![match round % 5 {
            0 => turn.files.read("settings.txt"),
            1 => run_script("show.sh"),
            2 => turn.files.read("README.md"),
            3 => run_script("list.sh"),
            _ => run_script("count.sh"),
        }]),
    }
}

/// The last rounds make another call. It must not be carried out if the session should be over.
fn insists(turn: &PartTurn<'_>) -> PartMove {
    let script = if turn.round < INSISTING_ROUNDS - 4 { "build.sh" } else { "list.sh" };
    repeat(turn, INSISTING_ROUNDS, || run_script(script))
}

fn healthy(turn: &PartTurn<'_>) -> PartMove {
    let files = turn.files;
    repeat(turn, 11, || match turn.round {
        0 => run_script("list.sh"),
        1 => files.read("README.md"),
        2 | 8 => files.read("settings.txt"),
        3 | 5 | 9 => run_script("run_tests.sh"),
        4 => files.edit("settings.txt", "value = 1", "value = 2"),
        6 => files.read("notes.txt"),
        7 => files.edit("settings.txt", "value = 2", "value = 3"),
        _ => run_script("count.sh"),
    })
}

fn polling(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, 12, || run_script("progress.sh"))
}

fn background(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, 7, || match turn.round {
        0 => ScriptedDeed::Shell { command: "sh job.sh".to_owned(), background: true },
        _ => ScriptedDeed::shell("sleep 1; sh job_status.sh"),
    })
}

fn subagent(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, 4, || match turn.round {
        0 => ScriptedDeed::Subagent { prompt: format!("Build the project. {SUBAGENT_MARK}") },
        1 => ScriptedDeed::AwaitSubagent,
        _ => run_script("build.sh"),
    })
}

fn compaction(turn: &PartTurn<'_>) -> PartMove {
    match turn.round {
        1 => PartMove::CallAndCompact(vec![run_script("list.sh")]),
        _ => same_call(turn),
    }
}

fn only_words(_: &PartTurn<'_>) -> PartMove {
    PartMove::End
}

fn budget(turn: &PartTurn<'_>) -> PartMove {
    repeat(turn, 12, || ScriptedDeed::shell(format!("sh build.sh target-{}", turn.round)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_name_of_its_own() {
        let mut names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PARTS.len());
    }
}
