//! The response to an event, before it is rendered for an agent.

use loopbreak::{Intervention, Verdict, verdict::Audience};
use loopbreak_store::{CallDecision, VerdictSummary};

/// The response to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookResponse {
    /// The agent continues.
    Nothing,
    /// The agent continues, with a text for the agent, for the user, or for both.
    Advise { agent: Option<String>, user: Option<String> },
    /// The call is refused, with a reason for the agent.
    Deny(String),
    /// A human decides about the call, with a reason for the human.
    Ask(String),
    /// The agent does not end its turn, with a reason for the agent.
    Continue(String),
    /// The agent is stopped, with a reason for the user.
    Stop(String),
    /// The user gets a message beside another response.
    Noted { response: Box<HookResponse>, notice: String },
}

impl HookResponse {
    /// Returns the name in the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            HookResponse::Nothing => "nothing",
            HookResponse::Advise { .. } => "advise",
            HookResponse::Deny(_) => "deny",
            HookResponse::Ask(_) => "ask",
            HookResponse::Continue(_) => "continue",
            HookResponse::Stop(_) => "stop",
            HookResponse::Noted { response, .. } => response.name(),
        }
    }

    /// Returns all texts of the response.
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
            HookResponse::Noted { response, .. } => response.text(),
        }
    }

    /// Returns whether the agent gets advice.
    pub(crate) fn is_advice(&self) -> bool {
        matches!(self, HookResponse::Advise { agent: Some(_), .. })
    }

    /// Adds a message for the user, if there is one.
    pub(crate) fn with_notice(self, notice: Option<&str>) -> HookResponse {
        match notice {
            Some(notice) => HookResponse::Noted { response: Box::new(self), notice: notice.to_owned() },
            None => self,
        }
    }

    /// Takes the message for the user apart.
    pub(crate) fn split_notice(self) -> (HookResponse, Option<String>) {
        match self {
            HookResponse::Noted { response, notice } => (*response, Some(notice)),
            response => (response, None),
        }
    }

    /// Combines this response with one to an earlier step of the same event. Advice is joined, and a decision replaces
    /// advice.
    pub(crate) fn after(self, earlier: HookResponse) -> HookResponse {
        let join = |first: Option<String>, second: Option<String>| match (first, second) {
            (Some(first), Some(second)) => Some(format!("{first}\n\n{second}")),
            (first, second) => first.or(second),
        };
        match (earlier, self) {
            (HookResponse::Nothing, response) | (response, HookResponse::Nothing) => response,
            (earlier, HookResponse::Noted { response, notice }) => {
                response.after(earlier).with_notice(Some(&notice))
            }
            (
                HookResponse::Advise { agent: earlier_agent, user: earlier_user },
                HookResponse::Advise { agent, user },
            ) => HookResponse::Advise { agent: join(earlier_agent, agent), user: join(earlier_user, user) },
            (stop @ HookResponse::Stop(_), _) => stop,
            (_, response) => response,
        }
    }

    /// Summarizes a verdict and this response to it for the log.
    pub(crate) fn summarize(&self, verdict: &Verdict) -> VerdictSummary {
        let summary = VerdictSummary::from(verdict);
        match self.text() {
            Some(text) => summary.with_answer(self.name(), text),
            None => summary,
        }
    }
}

impl From<&CallDecision> for HookResponse {
    fn from(decision: &CallDecision) -> Self {
        let text = decision.text.clone();
        match decision.answer.as_str() {
            "ask" => HookResponse::Ask(text),
            "stop" => HookResponse::Stop(text),
            _ => HookResponse::Deny(text),
        }
    }
}

impl From<&Verdict> for HookResponse {
    fn from(verdict: &Verdict) -> Self {
        if let Some(stop) = &verdict.stop {
            let reason = reasons(verdict, Intervention::Stop).unwrap_or_else(|| stop.reason.to_string());
            return HookResponse::Stop(format!("Loop guard: stopped: {reason}"));
        }
        let escalation = || {
            let reasons = reasons(verdict, Intervention::Escalate)?;
            Some(format!("Loop guard: a human is needed: {reasons}"))
        };
        let agent = advice(verdict, Audience::Agent);
        let user = advice(verdict, Audience::User).or_else(escalation);
        if agent.is_none() && user.is_none() {
            return HookResponse::Nothing;
        }
        HookResponse::Advise { agent, user }
    }
}

fn advice(verdict: &Verdict, audience: Audience) -> Option<String> {
    let advice = verdict.advice.iter().filter(|advice| advice.audience == audience);
    let texts: Vec<&str> = advice.map(|advice| advice.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Returns the reasons of the enforced decisions for an intervention.
fn reasons(verdict: &Verdict, intervention: Intervention) -> Option<String> {
    let decisions = verdict.decisions.iter();
    let enforced = decisions.filter(|decision| decision.enforced && decision.intervention == intervention);
    let reasons: Vec<&str> = enforced.map(|decision| decision.reason.as_str()).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_joined_and_replaced_by_a_decision() {
        let advice = |agent: &str| HookResponse::Advise { agent: Some(agent.to_owned()), user: None };
        assert_eq!(advice("b").after(advice("a")), advice("a\n\nb"));
        assert_eq!(advice("b").after(HookResponse::Nothing), advice("b"));
        assert_eq!(HookResponse::Nothing.after(advice("a")), advice("a"));
        assert_eq!(HookResponse::Deny("no".into()).after(advice("a")), HookResponse::Deny("no".into()));
        assert_eq!(advice("a").after(HookResponse::Stop("end".into())), HookResponse::Stop("end".into()));
    }
}
