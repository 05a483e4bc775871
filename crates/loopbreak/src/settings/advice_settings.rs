//! The texts for the agent, the critic and the user.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A set of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TemplateSet {
    /// Plain English for any agent.
    #[default]
    Neutral,
    /// Texts for an agent that plays Zork.
    Zork,
}

/// The texts for the agent, the critic and the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AdviceSettings {
    /// The set of texts.
    pub templates: TemplateSet,
    /// Your own texts, by the name of the template that they replace. `loopbreak config explain advice.texts`
    /// lists the names and the values that each text can show.
    pub texts: BTreeMap<String, String>,
}
