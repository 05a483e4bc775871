//! Environment variables that a guard does not use.

use crate::layers::{ConfigLayers, LoadedConfig};
use crate::problem::ConfigError;
use crate::source::ValueOrigin;

/// An environment variable that is not used, because it is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedVariable {
    /// Its name.
    pub name: String,
    /// The reason.
    pub reason: String,
}

impl UnusedVariable {
    pub(crate) fn new(name: impl Into<String>, reason: impl Into<String>) -> Self {
        UnusedVariable { name: name.into(), reason: reason.into() }
    }

    /// Loads the layers without the variables that are to blame if they cannot be loaded. They are removed from the layers and
    /// added to the list. The error has the problems of the other layers.
    pub(crate) fn leave_out(
        layers: &mut ConfigLayers,
        unused: &mut Vec<Self>,
    ) -> Result<LoadedConfig, ConfigError> {
        loop {
            let error = match layers.load() {
                Ok(loaded) => return Ok(loaded),
                Err(error) => error,
            };
            let blamed = blamed_variables(&error);
            let removed = layers.remove_variables(|name| blamed.iter().any(|variable| variable.name == name));
            // The problem is elsewhere.
            if removed == 0 {
                return Err(error);
            }
            unused.extend(blamed);
        }
    }
}

/// Returns the variables that the problems of a configuration name, each once.
fn blamed_variables(error: &ConfigError) -> Vec<UnusedVariable> {
    let mut blamed: Vec<UnusedVariable> = Vec::new();
    for problem in &error.problems {
        for label in &problem.labels {
            if let ValueOrigin::Environment { variable, .. } = &label.origin
                && !blamed.iter().any(|known| known.name == *variable)
            {
                blamed.push(UnusedVariable::new(variable, problem.message.as_str()));
            }
        }
    }
    blamed
}
