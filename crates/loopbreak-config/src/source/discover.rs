//! Finds and reads configuration files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::DeTable;

use super::config_file_error::ConfigFileError;
use super::limited_file::refuse_endless_file;
use super::{ConfigFileLayout, ConfigSource, foreign_reason};

/// Size limit of a configuration file in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

const LOOPBREAK_TOML: &str = "loopbreak.toml";
const PYPROJECT_TOML: &str = "pyproject.toml";

/// Reads the configuration file at a path. A `pyproject.toml` must have options of Loopbreak.
pub fn read_config_file(path: &Path) -> Result<ConfigSource, ConfigFileError> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(ConfigFileError::IsDirectory { name });
    }
    let bytes = match read_bytes(path) {
        Ok(bytes) => bytes,
        Err(error) => return Err(ConfigFileError::Unreadable { name, error }),
    };
    let source = into_source(name, bytes)?;
    if source.layout == ConfigFileLayout::Pyproject && !has_loopbreak_tables(&source.text) {
        return Err(ConfigFileError::NoTables { name: source.name });
    }
    Ok(source)
}

/// Finds the configuration file for a folder: the nearest `loopbreak.toml`, or `pyproject.toml` with options of
/// Loopbreak, in the folder or its parents. Returns `None` if there is none.
pub fn find_config_file(folder: &Path) -> Result<Option<ConfigSource>, ConfigFileError> {
    let absolute =
        std::path::absolute(folder).map_err(|error| ConfigFileError::NoCurrentDirectory { error })?;
    let mut shown = if folder == Path::new(".") { PathBuf::new() } else { folder.to_owned() };
    for folder in absolute.ancestors() {
        let file = folder.join(LOOPBREAK_TOML);
        if file.is_file() {
            let name = shown.join(LOOPBREAK_TOML).display().to_string();
            return match read_bytes(&file) {
                Ok(bytes) => into_source(name, bytes).map(Some),
                Err(error) => Err(ConfigFileError::Unreadable { name, error }),
            };
        }
        if let Some(source) = read_pyproject(&folder.join(PYPROJECT_TOML), &shown.join(PYPROJECT_TOML))? {
            return Ok(Some(source));
        }
        shown.push("..");
    }
    Ok(None)
}

/// The configuration file that applies in a folder, and those that were passed over.
#[derive(Debug, Default)]
pub(crate) struct FoundFile {
    /// The absolute path of the file, and its text or the reason why it cannot be used.
    pub(crate) file: Option<(PathBuf, Result<ConfigSource, ConfigFileError>)>,
    /// Files of other users, which were not read, each with the reason.
    pub(crate) foreign: Vec<(PathBuf, &'static str)>,
}

/// Finds the configuration file for a folder as [`find_config_file`] does, but reads no file that another user may have
/// written.
pub(crate) fn find_guarding_file(folder: &Path) -> Result<FoundFile, ConfigFileError> {
    let absolute =
        std::path::absolute(folder).map_err(|error| ConfigFileError::NoCurrentDirectory { error })?;
    let mut found = FoundFile::default();
    for folder in absolute.ancestors() {
        let path = folder.join(LOOPBREAK_TOML);
        if path.is_file() {
            let Some(reason) = foreign_reason(&path) else {
                let source = read_config_file(&path);
                found.file = Some((path, source));
                return Ok(found);
            };
            found.foreign.push((path, reason));
        }
        let path = folder.join(PYPROJECT_TOML);
        // Nothing is said about a foreign one: nearly all of them have no options of Loopbreak.
        if path.is_file() && foreign_reason(&path).is_none() {
            match read_pyproject(&path, &path) {
                Ok(None) => {}
                Ok(Some(source)) => found.file = Some((path, Ok(source))),
                Err(error) => found.file = Some((path, Err(error))),
            }
            if found.file.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// Returns whether a `pyproject.toml` has options of Loopbreak, in either table.
pub fn has_loopbreak_tables(text: &str) -> bool {
    let (table, _) = DeTable::parse_recoverable(text);
    let tool = table.get_ref().get("tool").map(Spanned::get_ref);
    let own = tool.and_then(|tool| tool.get("loopbreak")).is_some();
    own || tool.and_then(|tool| tool.get("zorkgpt")?.get_ref().get("loop_break")).is_some()
}

/// Reads a `pyproject.toml` that was found. One without options of Loopbreak is ignored, even if it is unreadable.
fn read_pyproject(path: &Path, shown: &Path) -> Result<Option<ConfigSource>, ConfigFileError> {
    if !path.is_file() {
        return Ok(None);
    }
    let Ok(bytes) = read_bytes(path) else { return Ok(None) };
    let name = shown.display().to_string();
    if bytes.len() as u64 <= MAX_FILE_BYTES && std::str::from_utf8(&bytes).is_ok() {
        return into_source(name, bytes).map(|source| has_loopbreak_tables(&source.text).then_some(source));
    }
    let mentions = |words: &[u8]| bytes.windows(words.len()).any(|window| window == words);
    let relevant = mentions(b"tool.loopbreak") || mentions(b"tool.zorkgpt.loop_break");
    if relevant { into_source(name, bytes).map(Some) } else { Ok(None) }
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    refuse_endless_file(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn into_source(name: String, bytes: Vec<u8>) -> Result<ConfigSource, ConfigFileError> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ConfigFileError::TooLarge { name });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(ConfigSource::new(name, text)),
        Err(error) => Err(ConfigFileError::NotUtf8 { name, position: error.utf8_error().valid_up_to() + 1 }),
    }
}
