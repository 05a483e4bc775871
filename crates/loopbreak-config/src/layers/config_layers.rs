//! The input of a configuration.

use loopbreak::Config;

use super::{LayerMerge, LoadedConfig};
use crate::problem::{ConfigError, ConfigProblem};
use crate::read::ConfigFile;
use crate::source::{ConfigSource, ValueOrigin};
use crate::trust::RestrictedFile;

/// Everything that settings can come from. Does no IO: the caller provides the texts.
#[derive(Clone, Debug, Default)]
pub struct ConfigLayers {
    pub(super) user: Option<ConfigSource>,
    pub(super) source: Option<ConfigSource>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) profile: Option<String>,
    pub(super) assignments: Vec<String>,
}

impl ConfigLayers {
    /// Adds the text of the user's own configuration file, which is below that of a project.
    #[must_use]
    pub fn user_file(mut self, source: ConfigSource) -> Self {
        self.user = Some(source);
        self
    }

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

    /// Removes environment variables, and returns their number.
    pub(crate) fn remove_variables(&mut self, is_removed: impl Fn(&str) -> bool) -> usize {
        let before = self.variables.len();
        self.variables.retain(|(name, _)| !is_removed(name));
        before - self.variables.len()
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
        self.merge(&read(self.user.as_ref()), &read(self.source.as_ref()))
    }

    /// Merges the layers for a guard whose agent, or another user, may have written the file. Options of the file that
    /// would loosen the guard are left out and listed in [`LoadedConfig::ignored`], and so are its problems. The error has
    /// the problems of the other layers.
    pub fn load_untrusted(&self) -> Result<LoadedConfig, ConfigError> {
        let user = read(self.user.as_ref());
        let baseline = self.merge(&user, &ConfigFile::default())?;
        let Some(source) = &self.source else { return Ok(baseline) };
        let mut restricted = RestrictedFile::new(source, &baseline);
        let mut loaded = loop {
            match self.merge(&user, restricted.options()) {
                Ok(loaded) => break loaded,
                Err(error) if restricted.leave_out(&error) => {}
                Err(_) => break baseline,
            }
        };
        loaded.source = Some(source.clone());
        loaded.ignored = restricted.into_ignored();
        Ok(loaded)
    }

    /// Merges the content of the two files with the other layers, and checks the result.
    fn merge(&self, user: &ConfigFile, file: &ConfigFile) -> Result<LoadedConfig, ConfigError> {
        let mut merge = LayerMerge::new([self.source.as_ref(), self.user.as_ref()]);
        let profile = merge.add_layers(user, file, self);
        let (table, settings) = merge.apply(profile);
        if let Some(settings) = settings {
            merge.check(&settings, &table, user.incomplete || file.incomplete);
            if merge.problems.is_empty() {
                match Config::new(settings) {
                    Ok(config) => {
                        let (source, user_source) = (self.source.clone(), self.user.clone());
                        let (origins, ignored) = (merge.origins, Vec::new());
                        return Ok(LoadedConfig {
                            config,
                            source,
                            user_source,
                            ignored,
                            profile,
                            table,
                            origins,
                        });
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

fn read(source: Option<&ConfigSource>) -> ConfigFile {
    source.map(ConfigFile::read).unwrap_or_default()
}
