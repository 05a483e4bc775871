//! A human is called: the report, and the question on a terminal.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use loopbreak::{Audience, Verdict};

use super::ending::Call;
use super::interrupt::Interrupts;

/// What the human chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The agent is to go on in another way; with what else the human has to say.
    Continue(String),
    Review,
    Cancel,
}

/// The report: the engine's own where it has one, otherwise one of the same form.
pub(super) fn report(call: &Call, verdict: &Verdict, history: &[String]) -> String {
    let own = verdict
        .advice
        .iter()
        .find(|advice| advice.audience == Audience::User && advice.detector == call.act.detector);
    own.map_or_else(
        || {
            let history = history.join("\n- ");
            format!(
                "Loop detected: {}\n\nThe last iterations:\n- {history}\n\nOptions:\n\
                 1. Continue with another approach: the agent is told to try a new strategy.\n\
                 2. Review: look why the same thing keeps failing.\n\
                 3. Cancel: stop the task.",
                call.act.reason
            )
        },
        |advice| advice.text.clone(),
    )
}

/// Asks, where there is somebody to ask. Nothing where there is not, or on an interrupt.
pub(super) fn ask(interrupts: &Interrupts) -> Option<Choice> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return None;
    }
    loop {
        anstream::eprint!("1, 2 or 3? (after 1, words for the agent may follow) ");
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line);
            let _ = sender.send(read.ok().filter(|count| *count > 0).map(|_| line));
        });
        let line = loop {
            match lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => break line?,
                Err(RecvTimeoutError::Timeout) if !interrupts.any() => {}
                Err(_) => return None,
            }
        };
        if let Some(choice) = choice(&line) {
            return Some(choice);
        }
    }
}

fn choice(line: &str) -> Option<Choice> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.trim_end_matches(['.', ':']) {
        "1" => Some(Choice::Continue(rest.trim().to_owned())),
        "2" => Some(Choice::Review),
        "3" => Some(Choice::Cancel),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_number_and_words_for_the_agent() {
        assert_eq!(choice("1\n"), Some(Choice::Continue(String::new())));
        assert_eq!(choice("1. use the cache\n"), Some(Choice::Continue("use the cache".to_owned())));
        assert_eq!(choice(" 2 "), Some(Choice::Review));
        assert_eq!(choice("3"), Some(Choice::Cancel));
        assert_eq!(choice("yes"), None);
    }
}
