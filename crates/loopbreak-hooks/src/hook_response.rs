//! What a hook answers, whatever the agent's way of putting it.

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookResponse {
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

impl HookResponse {
    /// The name in the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            HookResponse::Nothing => "nothing",
            HookResponse::Advise { .. } => "advise",
            HookResponse::Deny(_) => "deny",
            HookResponse::Ask(_) => "ask",
            HookResponse::Continue(_) => "continue",
            HookResponse::Stop(_) => "stop",
        }
    }

    /// All that it says.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            HookResponse::Nothing => None,
            HookResponse::Advise { agent, user } => {
                Some([agent, user].into_iter().flatten().cloned().collect::<Vec<_>>().join("\n"))
            }
            HookResponse::Deny(text)
            | HookResponse::Ask(text)
            | HookResponse::Continue(text)
            | HookResponse::Stop(text) => Some(text.clone()),
        }
    }

    /// Whether the agent itself is told something that it can go on with.
    pub(crate) fn advises(&self) -> bool {
        matches!(self, HookResponse::Advise { agent: Some(_), .. })
    }

    /// This answer, after another one that was due before it. Of two that decide, the graver one; advice is joined.
    pub(crate) fn after(self, earlier: HookResponse) -> HookResponse {
        let join = |first: Option<String>, second: Option<String>| match (first, second) {
            (Some(first), Some(second)) => Some(format!("{first}\n\n{second}")),
            (first, second) => first.or(second),
        };
        match (earlier, self) {
            (HookResponse::Nothing, answer) | (answer, HookResponse::Nothing) => answer,
            (HookResponse::Advise { agent, user }, HookResponse::Advise { agent: also, user: too }) => {
                HookResponse::Advise { agent: join(agent, also), user: join(user, too) }
            }
            (stop @ HookResponse::Stop(_), _) => stop,
            (_, answer) => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_joined_and_gives_way_to_a_decision() {
        let advice = |agent: &str| HookResponse::Advise { agent: Some(agent.to_owned()), user: None };
        assert_eq!(advice("b").after(advice("a")), advice("a\n\nb"));
        assert_eq!(advice("b").after(HookResponse::Nothing), advice("b"));
        assert_eq!(HookResponse::Nothing.after(advice("a")), advice("a"));
        assert_eq!(HookResponse::Deny("no".into()).after(advice("a")), HookResponse::Deny("no".into()));
        assert_eq!(advice("a").after(HookResponse::Stop("end".into())), HookResponse::Stop("end".into()));
    }
}
