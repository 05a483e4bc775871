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
    /// The agent was about to end its turn, and is told why it may not want to.
    Continue(String),
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
            Answer::Continue(_) => "continue",
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
            Answer::Deny(text) | Answer::Ask(text) | Answer::Continue(text) | Answer::Stop(text) => {
                Some(text.clone())
            }
        }
    }

    /// Whether the agent itself is told something that it can go on with.
    pub(crate) fn advises(&self) -> bool {
        matches!(self, Answer::Advise { agent: Some(_), .. })
    }

    /// This answer, after another one that was due before it. Of two that decide, the graver one; advice is joined.
    pub(crate) fn after(self, earlier: Answer) -> Answer {
        let join = |first: Option<String>, second: Option<String>| match (first, second) {
            (Some(first), Some(second)) => Some(format!("{first}\n\n{second}")),
            (first, second) => first.or(second),
        };
        match (earlier, self) {
            (Answer::Nothing, answer) | (answer, Answer::Nothing) => answer,
            (Answer::Advise { agent, user }, Answer::Advise { agent: also, user: too }) => {
                Answer::Advise { agent: join(agent, also), user: join(user, too) }
            }
            (stop @ Answer::Stop(_), _) => stop,
            (_, answer) => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_joined_and_gives_way_to_a_decision() {
        let advice = |agent: &str| Answer::Advise { agent: Some(agent.to_owned()), user: None };
        assert_eq!(advice("b").after(advice("a")), advice("a\n\nb"));
        assert_eq!(advice("b").after(Answer::Nothing), advice("b"));
        assert_eq!(Answer::Nothing.after(advice("a")), advice("a"));
        assert_eq!(Answer::Deny("no".into()).after(advice("a")), Answer::Deny("no".into()));
        assert_eq!(advice("a").after(Answer::Stop("end".into())), Answer::Stop("end".into()));
    }
}
