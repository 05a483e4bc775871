//! Reads one layer each: the file, environment variables, flags.

mod assignment;
mod config_file;
mod environment;
mod flags;
mod table_reader;
mod unknown_key;

pub(crate) use config_file::ConfigFile;
pub(crate) use environment::{VARIABLE_PREFIX, read_environment};
pub(crate) use flags::read_flags;
pub(crate) use table_reader::{LayerReading, OptionEntry, TableReader};
