//! The expectations about all parts: one table for all agents, and what is different with some of them.

use super::expectation::{RoundRange, SessionExpectation};
use super::observation::SessionEnding;

/// A loop of identical calls: advice at the third or fourth call, refusal by the eighth, and the part plays on.
const LOOP: SessionExpectation = SessionExpectation {
    told: RoundRange::Within(3, 4),
    refused: RoundRange::Within(5, 8),
    ran: (4, 7),
    endings: &[SessionEnding::Finished],
    requests: 11,
    compacts: false,
};

/// Work that is not a loop: the guard says nothing, and every call is carried out.
const UNTOUCHED: SessionExpectation = SessionExpectation {
    told: RoundRange::Never,
    refused: RoundRange::Never,
    ran: (0, usize::MAX),
    endings: &[SessionEnding::Finished],
    requests: usize::MAX,
    compacts: false,
};

/// A loop that no hook can refuse, because the agent program rejects the calls itself: advice in time, and it may end.
const REJECTED: SessionExpectation = SessionExpectation {
    refused: RoundRange::Any,
    ran: (0, usize::MAX),
    endings: &[SessionEnding::Finished, SessionEnding::Stopped],
    requests: usize::MAX,
    ..LOOP
};

/// The agent program reports nothing about the calls to any hook.
const UNSEEN: SessionExpectation = SessionExpectation { told: RoundRange::Any, ..REJECTED };

/// Returns what is expected of a part that is played with an agent.
pub(super) fn expectation(part: &str, agent: &str) -> SessionExpectation {
    let expected = own_expectation(part, agent);
    if agent == "openhands" {
        return with_advice_in_place_of_a_call(expected);
    }
    // Qwen Code and Cline CLI end a run at the fifth identical call, whatever their settings say.
    match part {
        "healthy" | "heeds" | "budget" | "other-hook" | "a-b" | "subagent" => expected,
        _ if matches!(agent, "cline" | "qwen") => SessionExpectation {
            refused: RoundRange::Any,
            ran: (expected.ran.0.min(3), expected.ran.1),
            endings: &[SessionEnding::Finished, SessionEnding::Stopped],
            ..expected
        },
        _ => expected,
    }
}

/// OpenHands takes advice in place of a call: the refusal comes a call later, and the advice looks like a result.
fn with_advice_in_place_of_a_call(expected: SessionExpectation) -> SessionExpectation {
    match expected.refused {
        RoundRange::Within(first, last) => SessionExpectation {
            refused: RoundRange::Within(first, last + 1),
            ran: (expected.ran.0, expected.ran.1.saturating_add(1)),
            ..expected
        },
        _ => expected,
    }
}

fn own_expectation(part: &str, agent: &str) -> SessionExpectation {
    // The way in which the model calls tools makes no difference.
    let agent = if agent == "codex-code" { "codex" } else { agent };
    // Hooks cannot end a turn of these agents: every further call is refused until the model gives up.
    let end: &[SessionEnding] = match agent {
        "codex" | "copilot" | "openhands" => &[SessionEnding::Finished],
        _ => &[SessionEnding::Stopped],
    };
    match (part, agent) {
        // The cycle is counted from the start again after the advice, because a call of it was not made.
        ("a-b", "openhands") => SessionExpectation {
            told: RoundRange::Within(3, 8),
            refused: RoundRange::Within(7, 18),
            ran: (6, 18),
            requests: 21,
            ..LOOP
        },
        // Rounds of two calls: the second round is a repeat, the fifth is refused.
        ("a-b", _) => SessionExpectation {
            told: RoundRange::Within(3, 8),
            refused: RoundRange::Within(7, 12),
            ran: (6, 19),
            requests: 21,
            ..LOOP
        },
        // The file is read first. Claude Code rejects the edits by itself, so that no hook can refuse them: the refusal stands
        // beside the results, and an agent that insists is stopped.
        ("bad-edit", "claude") => SessionExpectation {
            told: RoundRange::Within(4, 5),
            refused: RoundRange::Within(6, 9),
            ..REJECTED
        },
        ("bad-edit", _) => SessionExpectation {
            told: RoundRange::Within(4, 5),
            refused: RoundRange::Within(6, 9),
            ran: (5, 8),
            endings: &[SessionEnding::Finished, SessionEnding::Stopped],
            requests: 12,
            ..LOOP
        },
        // A subagent of OpenHands has hooks of its own, and those of the project are not among them.
        ("unknown-tool" | "wrong-arguments", "codex" | "gemini" | "openhands")
        | ("subagent", "openhands") => UNSEEN,
        ("unknown-tool" | "wrong-arguments", _) => REJECTED,
        // Every round has two identical calls. Those of the first round count twice, because nothing has shown yet that the
        // agent reports when a message has ended.
        ("parallel", _) => SessionExpectation {
            told: RoundRange::Within(2, 4),
            refused: RoundRange::Within(4, 8),
            ran: (6, 15),
            endings: &[SessionEnding::Finished, SessionEnding::Stopped],
            ..LOOP
        },
        ("heeds", _) => {
            SessionExpectation { told: RoundRange::Within(3, 4), ran: (9, 9), requests: 10, ..UNTOUCHED }
        }
        // Nothing is carried out after the refusals, not even another call.
        ("insists" | "on-loop-stop", "codex" | "copilot" | "openhands") => {
            SessionExpectation { requests: 25, ..LOOP }
        }
        ("insists", _) => SessionExpectation { endings: end, requests: 14, ..LOOP },
        // The session may end in place of the first refusal, so that the model hears of none.
        ("on-loop-stop", _) => {
            SessionExpectation { refused: RoundRange::Any, endings: end, requests: 10, ..LOOP }
        }
        ("healthy", _) => SessionExpectation { ran: (11, 11), requests: 12, ..UNTOUCHED },
        ("polling", _) => SessionExpectation { ran: (12, 12), requests: 13, ..UNTOUCHED },
        ("background", _) => SessionExpectation { ran: (7, 7), ..UNTOUCHED },
        // The two calls of the main agent are carried out. Gemini CLI does not say which agent makes a call.
        ("subagent", "gemini") => SessionExpectation { ran: (4, 9), requests: 17, ..LOOP },
        ("subagent", "cline" | "qwen") => {
            SessionExpectation { refused: RoundRange::Any, ran: (6, 9), requests: 17, ..LOOP }
        }
        ("subagent", _) => SessionExpectation { ran: (6, 9), requests: 17, ..LOOP },
        ("compaction", _) => SessionExpectation { compacts: true, ..LOOP },
        ("other-hook", _) => {
            SessionExpectation { requests: 12, endings: &[SessionEnding::Finished], ..UNSEEN }
        }
        ("budget", _) => SessionExpectation {
            told: RoundRange::Any,
            refused: RoundRange::Any,
            ran: (4, 5),
            endings: end,
            requests: 13,
            ..LOOP
        },
        ("two-installations", _) => {
            SessionExpectation { refused: RoundRange::Within(7, 8), ran: (6, 7), ..LOOP }
        }
        // The guard of the agent may be faster.
        ("own-guard", _) => SessionExpectation {
            refused: RoundRange::Any,
            endings: &[SessionEnding::Finished, SessionEnding::Stopped],
            ..LOOP
        },
        _ => LOOP,
    }
}
