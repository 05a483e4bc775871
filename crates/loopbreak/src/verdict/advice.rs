//! Texts for the agent, the critic and the user.

use serde::{Deserialize, Serialize};

use crate::detectors::DetectorName;
use crate::name_enum::name_enum;

name_enum! {
    /// The reader that a text is for.
    "audience" pub enum Audience {
        /// The agent. The text goes into its next context.
        Agent = "agent",
        /// The critic that scores proposals.
        Critic = "critic",
        /// The human who runs the agent.
        User = "user",
    }
}

/// A text about a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// The reader that it is for.
    pub audience: Audience,
    /// The detector whose finding it is about.
    pub detector: DetectorName,
    /// The text.
    pub text: String,
}
