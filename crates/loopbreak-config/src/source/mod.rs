//! Configuration files and locations in them.

mod config_file_error;
mod config_source;
mod discover;
mod file_owner;
mod limited_file;
mod line_positions;
mod user_folder;
mod value_origin;

pub use config_file_error::ConfigFileError;
pub use config_source::{ConfigFileLayout, ConfigSource};
pub(crate) use discover::{FoundFile, find_guarding_file};
pub use discover::{find_config_file, has_loopbreak_tables, read_config_file};
pub(crate) use file_owner::foreign_reason;
pub use limited_file::read_limited_file;
pub(crate) use line_positions::LinePositions;
pub use user_folder::user_config_path;
pub use value_origin::{SourceLocation, ValueOrigin};
