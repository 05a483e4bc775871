//! The agent ends its turn: too early, or again and again because something does not let it.

use loopbreak::{Action, Outcome, Step, Verdict};
use loopbreak_store::{RunEvent, TurnEndEvent, redact_and_truncate};

use crate::hook_response::HookResponse;
use crate::hook_transaction::{HookTransaction, summary};

/// The words with which agents announce what they do next.
const ANNOUNCEMENTS: [&str; 12] = [
    "let me ",
    "let's ",
    "i'll ",
    "i will ",
    "i am going to ",
    "i'm going to ",
    "now i ",
    "now let me ",
    "now let's ",
    "next, i ",
    "next i ",
    "first, i ",
];
/// A shorter message says nothing by which it could be known again.
const WORDY: usize = 48;

impl HookTransaction<'_> {
    /// Takes in that the agent ends its turn.
    pub(crate) fn rests(&mut self) -> HookResponse {
        let event = self.session.event;
        let (words, held) = (event.last_words().unwrap_or_default(), event.stop_hook_active == Some(true));
        let mut step = self.session.step(None);
        if held && words.len() < WORDY {
            // A word as short as "done" is no message that could repeat; to end the turn in the same way again is.
            step.action = Some(Action::new("end the turn"));
            step.outcome = Some(Outcome { text: Some(words.into()), error: false });
        } else if !words.is_empty() {
            step.say = Some(words.into());
        }
        let verdict = if step.say.is_some() || step.action.is_some() {
            self.observe(&step)
        } else {
            Verdict { turn: self.guard.turn(), ..Verdict::default() }
        };
        let answer = self.on_rest(&verdict, words, held);
        self.write(RunEvent::Stop(TurnEndEvent {
            event: event.hook_event_name.as_deref().map(str::to_owned),
            held,
            said: (!words.is_empty()).then(|| redact_and_truncate(words)),
            verdict: summary(&verdict, &answer),
        }));
        answer
    }

    fn on_rest(&mut self, verdict: &Verdict, words: &str, held: bool) -> HookResponse {
        let grave = verdict.decisions.iter().find(|act| act.enforced && act.intervention.ends_run());
        if let Some(act) = grave.filter(|_| held) {
            // Whoever holds it goes on doing so: only an end in earnest ends it.
            return HookResponse::Stop(format!(
                "Loop guard: the agent wants to stop, is not let, and does nothing new: {}",
                act.reason
            ));
        }
        match crate::hook_transaction::answer(verdict) {
            stop @ HookResponse::Stop(_) => return stop,
            // To tell the agent now would make it go on.
            HookResponse::Advise { agent, user } => {
                return HookResponse::Advise { agent: None, user: user.or(agent) };
            }
            _ => {}
        }
        let policy = &self.session.config.policy.ladder;
        let enforced = self.session.config.mode == loopbreak::Mode::Enforce;
        let nudge = !held && !self.state.hook.nudged && enforced && policy.hint;
        match announcement(words).filter(|_| nudge && !self.session.event.waits_for_tasks()) {
            Some(last) => {
                self.state.hook.nudged = true;
                HookResponse::Continue(format!(
                    "Loop guard: the turn ended with the announcement \"{}\", and no call followed it.",
                    redact_and_truncate(last)
                ))
            }
            None => HookResponse::Nothing,
        }
    }

    /// Shows a step to the guard, and takes note of what is found.
    pub(crate) fn observe(&mut self, step: &Step<'_>) -> Verdict {
        let verdict = self.guard.observe(step);
        self.state.guard.note_findings(&verdict, self.session.now);
        self.records.add_verdict(&verdict, self.session.now);
        verdict
    }
}

/// The last line of a message that announces a call and breaks off: it begins with what the agent is about to do, and
/// ends with a colon or an ellipsis.
fn announcement(words: &str) -> Option<&str> {
    let last = words.trim_end().lines().next_back()?.trim();
    let breaks_off = last.ends_with([':', '…']) || last.ends_with("...");
    let sentence = last.rsplit_once(". ").map_or(last, |(_, sentence)| sentence);
    let begins = |text: &str| {
        let text = text.trim_start().to_lowercase().replace('\u{2019}', "'");
        ANNOUNCEMENTS.iter().any(|start| text.starts_with(start))
    };
    (breaks_off && begins(sentence)).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_message_that_breaks_off_before_a_call_is_an_announcement() {
        for (words, expected) in [
            ("Let me run the tests:", true),
            ("The parser is wrong.\n\nNow I'll fix it. Let me look at the file:", true),
            ("I\u{2019}ll check the log…", true),
            ("I will write the file now...", true),
            ("All tests pass.", false),
            ("Let me know if you want more.", false),
            ("Here is what I found:\n- one\n- two", false),
            ("The steps are as follows:", false),
            ("Should I go on?", false),
            ("", false),
        ] {
            assert_eq!(announcement(words).is_some(), expected, "{words}");
        }
    }
}
