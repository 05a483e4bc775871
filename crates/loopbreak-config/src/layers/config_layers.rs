//! The input of a configuration.

use loopbreak::Config;

use super::{LayerMerge, LoadedConfig};
use crate::problem::{ConfigError, ConfigProblem};
use crate::read::ConfigFile;
use crate::source::{ConfigSource, ValueOrigin};

/// Everything that settings can come from. Does no IO: the caller provides the texts.
#[derive(Clone, Debug, Default)]
pub struct ConfigLayers {
    pub(super) source: Option<ConfigSource>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) profile: Option<String>,
    pub(super) assignments: Vec<String>,
}

impl ConfigLayers {
    /// Adds the text of a configuration file.
    #[must_use]
    pub fn file(mut self, source: ConfigSource) -> Self {
        self.source = Some(source);
        self
    }

    /// Adds environment variables. Variables that do not belong to Loopbreak are ignored.
    #[must_use]
    pub fn environment<N: Into<String>, V: Into<String>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.variables.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Selects a profile, as `--profile NAME` does. Overrides the file and the environment.
    #[must_use]
    pub fn profile(mut self, name: impl Into<String>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// Sets one option from `key=value`, as `--set` does. The last assignment of an option wins.
    #[must_use]
    pub fn set(mut self, assignment: impl Into<String>) -> Self {
        self.assignments.push(assignment.into());
        self
    }

    /// Merges the layers and checks the result. The error has all problems.
    pub fn load(&self) -> Result<LoadedConfig, ConfigError> {
        let file = self.source.as_ref().map(ConfigFile::read).unwrap_or_default();
        let mut merge = LayerMerge::new(self.source.as_ref());
        let profile = merge.add_layers(&file, self);
        let (table, settings) = merge.apply(profile);
        if let Some(settings) = settings {
            merge.check(&settings, &table, file.incomplete);
            if merge.problems.is_empty() {
                match Config::new(settings) {
                    Ok(config) => {
                        let source = self.source.clone();
                        return Ok(LoadedConfig { config, source, profile, table, origins: merge.origins });
                    }
                    // Not reached: `check` reports every problem of the settings.
                    Err(problems) => merge.problems.extend(problems.0.into_iter().map(|problem| {
                        ConfigProblem::new(problem.message, problem.hint, ValueOrigin::Profile(profile))
                            .with_option(&problem.path)
                    })),
                }
            }
        }
        Err(ConfigError::new(merge.problems))
    }
}
