//! The texts for the agent, the critic and the user.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::name_enum::name_enum;

name_enum! {
    /// A set of texts.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "set of texts" pub enum TemplateSet {
        /// Plain English for any agent.
        #[default]
        Neutral = "neutral",
        /// Texts for an agent that plays Zork.
        Zork = "zork",
    }
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
