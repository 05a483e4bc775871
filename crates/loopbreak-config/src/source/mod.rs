//! Configuration files and locations in them.

mod config_file_error;
mod config_source;
mod discover;
mod limited_file;
mod line_positions;
mod value_origin;

pub use config_file_error::ConfigFileError;
pub use config_source::{ConfigFileLayout, ConfigSource};
pub use discover::{find_config_file, has_loopbreak_tables, read_config_file};
pub use limited_file::read_limited_file;
pub(crate) use line_positions::LinePositions;
pub use value_origin::{SourceLocation, ValueOrigin};
