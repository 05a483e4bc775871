//! Decides whether a human spoke, or the harness sent the agent on.
//!
//! A step with `harness` is never a human's word. Neither is an automatic prompt: an empty one, or a repeated
//! "continue". A human's denial of a call is a word.

use crate::memory::{HashKey, key_of_lower, snapshot_type};
use crate::settings::Profile;
use crate::step::{Denial, HarnessEvent, Step};

/// Messages that only send the agent on, in lower case without punctuation.
const CONTINUE: [&str; 12] = [
    "continue",
    "please continue",
    "continue please",
    "go on",
    "keep going",
    "carry on",
    "proceed",
    "please proceed",
    "continue working",
    "keep working",
    "continue with the task",
    "continue until done",
];

snapshot_type! {
    /// The last message in the role of the user.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct UserWords {
        last: HashKey,
        /// Number of times in a row.
        count: u32,
    }
}

/// The origin of a step that the agent did not cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PromptOrigin {
    /// A human spoke.
    pub(crate) user: bool,
    /// The harness acted.
    pub(crate) harness: Option<HarnessEvent>,
}

impl UserWords {
    /// Returns the origin of a step.
    pub(crate) fn read(&mut self, step: &Step<'_>, profile: Profile) -> PromptOrigin {
        // The documents take every message in the role of the user for a human's.
        if profile == Profile::Documents {
            return PromptOrigin { user: step.user.is_some(), harness: step.harness };
        }
        let denied = step.outcome.as_ref().is_some_and(|outcome| outcome.denied == Some(Denial::User));
        if step.harness.is_some() {
            return PromptOrigin { user: denied, harness: step.harness };
        }
        let Some(text) = step.user.as_deref() else {
            return PromptOrigin { user: denied, harness: None };
        };
        let text = text.trim();
        let key = key_of_lower(text);
        self.count = if self.last == key { self.count.saturating_add(1) } else { 1 };
        self.last = key;
        let automatic = text.is_empty() || self.count > 1 && CONTINUE.contains(&&*plain(text));
        if automatic {
            PromptOrigin { user: denied, harness: Some(HarnessEvent::Continuation) }
        } else {
            PromptOrigin { user: true, harness: None }
        }
    }
}

/// Returns a message in lower case without punctuation at its end.
fn plain(text: &str) -> String {
    text.trim_end_matches(['.', '!', '…']).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users(messages: &[&str]) -> Vec<bool> {
        let mut words = UserWords::default();
        let read = |message: &&str| words.read(&Step::from_json(message).unwrap(), Profile::Auto).user;
        messages.iter().map(read).collect()
    }

    #[test]
    fn a_human_may_say_the_same_again_and_an_injected_continue_does_not_count() {
        let ask = r#"{"user":"try it again with the other file"}"#;
        assert_eq!(users(&[ask, ask, ask]), [true, true, true]);
        let go_on = r#"{"user":"Continue."}"#;
        assert_eq!(users(&[go_on, go_on, ask, go_on]), [true, false, true, true]);
        assert_eq!(users(&[r#"{"user":""}"#, r#"{"user":"stop","harness":"continuation"}"#]), [false, false]);
    }

    #[test]
    fn a_denial_by_a_human_is_a_word() {
        let line = r#"{"action":"x","outcome":{"text":"no","denied":"user"}}"#;
        assert_eq!(users(&[line, r#"{"action":"x","outcome":{"denied":"policy"}}"#]), [true, false]);
    }
}
