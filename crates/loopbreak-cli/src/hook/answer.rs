//! What a hook answers, whatever the agent's way of putting it.

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Nothing: the agent goes on as if nobody had asked.
    Nothing,
    /// A word to the agent, a word to the user.
    Advise { agent: Option<String>, user: Option<String> },
    /// This call is refused; the agent is told why.
    Deny(String),
    /// A human is to decide about this call, and is told why.
    Ask(String),
    /// The agent is stopped; the user is told why.
    Stop(String),
}

impl Answer {
    /// The name in the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Answer::Nothing => "nothing",
            Answer::Advise { .. } => "advise",
            Answer::Deny(_) => "deny",
            Answer::Ask(_) => "ask",
            Answer::Stop(_) => "stop",
        }
    }

    /// All that it says.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Answer::Nothing => None,
            Answer::Advise { agent, user } => {
                Some([agent, user].into_iter().flatten().cloned().collect::<Vec<_>>().join("\n"))
            }
            Answer::Deny(text) | Answer::Ask(text) | Answer::Stop(text) => Some(text.clone()),
        }
    }
}
