//! The project and the prompt of a run, by which people recognize it.

use serde::Serialize;

/// The project and the prompt of a run, by which people recognize it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunAbout {
    /// The folder of the project that the agent worked in, if the log names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The first words of the prompt, without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl RunAbout {
    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.project.is_none() && self.prompt.is_none()
    }
}
