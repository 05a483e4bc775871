//! The texts about refused calls.

use crate::text::quoted;

/// The facts about a refused call, from which its texts are made.
#[derive(Clone, Debug)]
pub struct RefusalText<'f> {
    /// The call on one line, without secrets.
    pub action: &'f str,
    /// The reason, as the end of a sentence that begins with the call.
    pub reason: &'f str,
    /// The last result of the call.
    pub result: Option<&'f str>,
    /// The measures so far.
    pub measures: Option<String>,
}

impl RefusalText<'_> {
    /// Returns the text for the agent in place of the result of the call.
    pub fn refusal(&self) -> String {
        let facts = self.facts();
        format!(
            "Loop guard: refused: {facts}\nOther calls are allowed. This call is unblocked after an effective edit or a message \
             from the user."
        )
    }

    /// Returns the text about an agent that insists on the call.
    pub fn insistence(&self) -> String {
        format!("Loop guard: the agent insists on a refused call: {}", self.facts())
    }

    fn facts(&self) -> String {
        let mut facts = vec![quoted(self.action), format!("This call {}.", self.reason)];
        facts.extend(self.result.map(|result| format!("The tool answered: {}", quoted(result))));
        facts.extend(self.measures.as_ref().map(|measures| format!("Measures so far: {measures}.")));
        facts.join("\n")
    }
}

/// Describes the measures against a loop so far, such as `advice at turn 3, one refusal`.
pub fn describe_measures(advised: &[u64], refusals: u32) -> Option<String> {
    let turns: Vec<String> = advised.iter().map(u64::to_string).collect();
    let advice = match turns.as_slice() {
        [] => None,
        [turn] => Some(format!("advice at turn {turn}")),
        turns => Some(format!("advice at turns {}", turns.join(", "))),
    };
    let refused = match refusals {
        0 => None,
        1 => Some("one refusal".to_owned()),
        count => Some(format!("{count} refusals")),
    };
    let measures: Vec<String> = [advice, refused].into_iter().flatten().collect();
    (!measures.is_empty()).then(|| measures.join(", "))
}
