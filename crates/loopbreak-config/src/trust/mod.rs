//! The trust in configuration files that the guarded agent, or somebody else, may have written.

mod guarded_config;
mod guarded_load;
mod ignored_option;
mod project_rule;
mod restricted_file;
#[cfg(test)]
mod tests;
mod trusted_files;
mod unused_variable;

pub use guarded_config::{GuardedConfig, ProjectFile, UnusedFile};
pub(crate) use guarded_load::load_guarded;
pub use ignored_option::IgnoredOption;
pub(crate) use restricted_file::RestrictedFile;
pub use trusted_files::{TrustedFiles, TrustedFilesError};
pub use unused_variable::UnusedVariable;
