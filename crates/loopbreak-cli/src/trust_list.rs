//! The user's list of trusted configuration files.

use std::path::{Path, PathBuf};

use loopbreak_config::{ConfigSource, TrustedFiles, TrustedFilesError, read_config_file};
use loopbreak_store::{create_parent_folder, write_private_file_atomically};

use crate::args::ConfigOptions;
use crate::config_loading;
use crate::error::UserError;

/// The list, and its path.
pub(crate) struct TrustList {
    path: PathBuf,
    pub(crate) files: TrustedFiles,
}

impl TrustList {
    /// Loads the list.
    pub(crate) fn load() -> Result<Self, UserError> {
        let user = config_loading::user_config().ok_or_else(|| {
            UserError::failed("no folder found for your configuration").hint("set XDG_CONFIG_HOME or HOME")
        })?;
        let path = TrustedFiles::path_beside(&user);
        let files = TrustedFiles::load(&path)?;
        Ok(TrustList { path, files })
    }

    /// Trusts a file with this content.
    pub(crate) fn trust(mut self, path: &Path, source: &ConfigSource) -> Result<(), UserError> {
        self.files.trust(path, source)?;
        self.save()
    }

    /// Writes the list, so that only the user can read it.
    pub(crate) fn save(&self) -> Result<(), UserError> {
        create_parent_folder(&self.path)?;
        write_private_file_atomically(&self.path, self.files.to_json().as_bytes())
            .map_err(|error| UserError::failed(format!("cannot write {}: {error}", self.path.display())))
    }
}

/// Returns whether all of the file that applies in a folder is used to guard agents.
pub(crate) fn is_fully_used(folder: &Path) -> bool {
    config_loading::load_guarded(&ConfigOptions::default(), folder)
        .is_ok_and(|guarded| guarded.uses_everything())
}

/// Trusts a file as it is now, after the user has changed it with a command.
pub(crate) fn trust_present_content(path: &Path) -> Result<(), UserError> {
    TrustList::load()?.trust(path, &read_config_file(path)?)
}

impl From<TrustedFilesError> for UserError {
    fn from(error: TrustedFilesError) -> Self {
        UserError { hint: error.hint().map(str::to_owned), ..UserError::failed(error.to_string()) }
    }
}
