//! `cargo xtask dist`: release archives, and the files that are published beside them.
//!
//! Archives and checksums are made by the system's `tar` and `sha256sum`, not by crates: this program is compiled on every fresh
//! machine before its first test, and releases are made on few machines, all of which have both. Names, order, times, owners
//! and modes are fixed, so two builds of one commit can be compared by their checksums.

mod bill_of_materials;
mod dist_options;
mod dist_target;
mod program_packages;
mod release_archive;
mod release_files;
mod smoke_test;
mod source_date;
mod third_party_licences;

use std::path::PathBuf;

use crate::chore_failure::ChoreFailure;
use crate::process::root;
use dist_options::DistOptions;

/// All packages of the workspace have one version, this one's too.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Builds the archive for a platform, or writes the files that a release has once.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    match DistOptions::parse(arguments)? {
        DistOptions::Archive(target) => {
            release_archive::build(target.as_ref())?;
            release_files::write_sums()
        }
        DistOptions::Finish { releases_url, tag } => release_files::finish(&releases_url, tag.as_deref()),
    }
}

/// Returns the folder of everything that is published.
fn dist_folder() -> PathBuf {
    root().join("dist")
}
