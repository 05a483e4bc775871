//! Proposals: actions that are not yet carried out.

use serde::{Deserialize, Serialize};

use crate::step::{Action, Place, PlaceRef, StepText};

/// An action that is not yet carried out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proposal<'a> {
    /// The action: a tool call, or a command as a text.
    #[serde(borrow)]
    pub action: Action<'a>,
    /// The critic's score, from 0 to 1. A proposal without a score starts at the highest score. It is refused if it
    /// would continue a loop with a hard finding, but not a loop that only led to a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The agent that proposes it; the main agent if absent.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<StepText<'a>>,
    /// The place of the agent; the last one that the guard saw if absent.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place<'a>>,
    /// The place that the action leads to, if the caller's map has it. It takes precedence over the destinations in
    /// `place.exits` and over those that the guard learned. If it is absent and the guard knows no destination either, the
    /// place detectors do not change the score.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<PlaceRef<'a>>,
}

impl<'a> Proposal<'a> {
    /// Creates a proposal of the main agent, with the critic's score.
    pub fn new(action: impl Into<StepText<'a>>, score: f64) -> Self {
        Proposal { action: Action::new(action), score: Some(score), ..Proposal::default() }
    }

    /// Sets the place that the action leads to.
    #[must_use]
    pub fn leading_to(mut self, destination: PlaceRef<'a>) -> Self {
        self.destination = Some(destination);
        self
    }

    /// Parses a proposal from a JSON object, with the keys of the fields.
    pub fn from_json(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Converts the proposal into one that owns its texts.
    pub fn into_owned(self) -> Proposal<'static> {
        Proposal {
            action: self.action.into_owned(),
            score: self.score,
            agent: self.agent.map(StepText::into_owned),
            place: self.place.map(Place::into_owned),
            destination: self.destination.map(PlaceRef::into_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_is_read_from_json_and_written_back() {
        let json = r#"{"action":{"name":"bash","args":{"command":"ls"}},"score":0.5,"agent":"a","place":{"id":3},"destination":4}"#;
        let proposal = Proposal::from_json(json).unwrap().into_owned();
        assert_eq!(serde_json::to_string(&proposal).unwrap(), json);
        assert_eq!(Proposal::from_json(r#"{"action":"north"}"#).unwrap().action.line(), "north");
        assert!(Proposal::from_json("{}").is_err(), "the action is missing");
    }
}
