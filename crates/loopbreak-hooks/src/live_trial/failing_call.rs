//! The script of a trial: the same failing command, or two of them in turn, again and again until one is refused.

use std::thread;
use std::time::Duration;

use crate::guard_text::{GuardText, guard_texts_in};
use crate::scripted_model::{
    ModelAnswer, ModelExchange, ModelRequest, ModelScript, ScriptedDeed, ToolDialect,
};

/// Stands in the prompt, and so in every request of the conversation. Agents also ask for titles.
const MARK: &str = "[job: doctor]";
/// The calls after which the model gives up.
const MAX_CALLS: usize = 12;
/// Time that the model takes for an answer. Calls that come at once are taken for those of one message.
const THINKING: Duration = Duration::from_millis(600);

/// The files that the commands run. Each fails in the same way each time.
pub(super) const SCRIPTS: [(&str, &str); 2] = [
    ("build.sh", "echo \"error: cannot find module 'left-pad'\" >&2\nexit 2\n"),
    ("check.sh", "echo \"error: line 7: expected a name\" >&2\nexit 3\n"),
];

/// A model that makes failing calls until one is refused.
pub(super) struct FailingCallScript {
    dialect: ToolDialect,
    /// The number of commands that are run in turn.
    commands: usize,
    calls: usize,
}

/// The calls after which the guard spoke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GuardedCalls {
    /// The calls that the model made.
    pub(super) made: usize,
    /// The call after which advice first reached the model.
    pub(super) told: Option<usize>,
    /// The first call that was refused.
    pub(super) refused: Option<usize>,
}

impl FailingCallScript {
    pub(super) fn new(dialect: ToolDialect, alternates: bool) -> Self {
        FailingCallScript { dialect, commands: if alternates { SCRIPTS.len() } else { 1 }, calls: 0 }
    }
}

/// Returns the prompt of the session.
pub(super) fn prompt() -> String {
    format!("Please build the project in this folder. {MARK}")
}

fn is_about_the_job(request: &ModelRequest) -> bool {
    request.conversation.offers_tools() && request.conversation.messages().any(|text| text.contains(MARK))
}

fn has_refusal(request: &ModelRequest) -> bool {
    guard_texts_in(&request.body).into_iter().any(GuardText::is_refusal)
}

impl ModelScript for FailingCallScript {
    fn answer(&mut self, request: &ModelRequest) -> ModelAnswer {
        if !is_about_the_job(request) {
            return ModelAnswer::say("Build the project");
        }
        if self.calls >= MAX_CALLS || has_refusal(request) {
            return ModelAnswer::say("I cannot build the project.");
        }
        thread::sleep(THINKING);
        let (script, _) = SCRIPTS[self.calls % self.commands];
        self.calls += 1;
        ModelAnswer::call([self.dialect.call(&ScriptedDeed::shell(format!("sh {script}")))])
    }
}

impl GuardedCalls {
    /// Reads from the requests what reached the model.
    pub(super) fn count(exchanges: &[ModelExchange]) -> Self {
        let mut seen = GuardedCalls::default();
        for ModelExchange { request, answer } in exchanges {
            if !is_about_the_job(request) {
                continue;
            }
            if seen.told.is_none() && guard_texts_in(&request.body).contains(&GuardText::Advice) {
                seen.told = Some(seen.made);
            }
            if seen.refused.is_none() && has_refusal(request) {
                seen.refused = Some(seen.made);
            }
            seen.made += answer.calls.len();
        }
        seen
    }
}
