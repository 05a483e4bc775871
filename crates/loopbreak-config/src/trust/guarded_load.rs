//! Loads the configuration of a guard whose agent can write files.

use std::fs;
use std::path::{Path, PathBuf};

use super::{GuardedConfig, ProjectFile, TrustedFiles, UnusedFile, UnusedVariable};
use crate::layers::{ConfigLayers, LoadedConfig};
use crate::load::LoadError;
use crate::source::{
    ConfigSource, FoundFile, ValueOrigin, find_guarding_file, foreign_reason, read_config_file,
};

/// Loads the configuration for a folder. Only a problem with flags is an error: whatever is in the files and in the environment,
/// there is a guard.
pub(crate) fn load_guarded(
    layers: &ConfigLayers,
    is_customized: bool,
    folder: &Path,
    user_file: Option<&Path>,
) -> Result<GuardedConfig, LoadError> {
    let mut unused = Vec::new();
    let user = user_file.and_then(|path| read_user_file(path, &mut unused));
    let FoundFile { file, foreign } = find_guarding_file(folder)?;
    unused.extend(foreign.into_iter().map(|(path, reason)| not_used(path, reason)));
    let is_users = |path: &Path| {
        user_file.is_some_and(|user| fs::canonicalize(user).ok() == fs::canonicalize(path).ok())
    };
    let file = file.filter(|(path, _)| !is_users(path));
    if user.is_none() && file.is_none() && !is_customized {
        return Ok(GuardedConfig { unused, ..GuardedConfig::default() });
    }
    let mut layers = layers.clone();
    let mut unused_variables = Vec::new();
    let mut loaded = match user {
        None => without_user_file(&mut layers, &mut unused_variables)?,
        Some((path, source)) => {
            let mut with_user = layers.clone().user_file(source);
            match UnusedVariable::leave_out(&mut with_user, &mut unused_variables) {
                Ok(loaded) => {
                    layers = with_user;
                    loaded
                }
                Err(error) => {
                    unused_variables.clear();
                    // If the problem is elsewhere, it is reported as such.
                    let loaded = without_user_file(&mut layers, &mut unused_variables)?;
                    let reason = error.problems.first().map_or_else(String::new, ToString::to_string);
                    unused.push(not_used(path, reason));
                    loaded
                }
            }
        }
    };
    let mut project_file = None;
    match file {
        Some((path, Ok(source))) => {
            let list = user_file.map(TrustedFiles::path_beside);
            let is_trusted = list.is_some_and(|list| match TrustedFiles::load(&list) {
                Ok(trusted) => trusted.is_trusted(&path, &source),
                Err(error) => {
                    unused.push(not_used(list, error.to_string()));
                    false
                }
            });
            let with_file = layers.file(source);
            let result = if is_trusted { with_file.load() } else { with_file.load_untrusted() };
            match result {
                Ok(with_file) => {
                    loaded = with_file;
                    let ignored = std::mem::take(&mut loaded.ignored);
                    project_file = Some(ProjectFile { path, is_trusted, ignored });
                }
                Err(error) => {
                    let reason = error.problems.first().map_or_else(String::new, ToString::to_string);
                    unused.push(not_used(path, reason));
                }
            }
        }
        Some((path, Err(error))) => unused.push(not_used(path, error.to_string())),
        None => {}
    }
    let mode_origin = Some(loaded.origin("mode")).filter(ValueOrigin::is_set);
    let settings = (*loaded.config).clone();
    Ok(GuardedConfig { settings, mode_origin, project_file, unused, unused_variables })
}

fn without_user_file(
    layers: &mut ConfigLayers,
    unused: &mut Vec<UnusedVariable>,
) -> Result<LoadedConfig, LoadError> {
    UnusedVariable::leave_out(layers, unused).map_err(|error| LoadError::Invalid {
        source_file: None,
        user_file: None,
        error,
    })
}

/// Reads the user's own file, if there is one.
fn read_user_file(path: &Path, unused: &mut Vec<UnusedFile>) -> Option<(PathBuf, ConfigSource)> {
    if !path.is_file() {
        return None;
    }
    if let Some(reason) = foreign_reason(path) {
        unused.push(not_used(path.to_owned(), reason));
        return None;
    }
    match read_config_file(path) {
        Ok(source) => Some((path.to_owned(), source)),
        Err(error) => {
            unused.push(not_used(path.to_owned(), error.to_string()));
            None
        }
    }
}

fn not_used(path: PathBuf, reason: impl Into<String>) -> UnusedFile {
    UnusedFile { path, reason: reason.into() }
}
