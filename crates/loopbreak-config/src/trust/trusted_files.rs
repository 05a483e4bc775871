//! The configuration files that the user has trusted.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use loopbreak::text::printable;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::layers::ConfigLayers;
use crate::problem::ConfigError;
use crate::source::{ConfigFileLayout, ConfigSource, foreign_reason, read_config_file};

/// Size limit of the list in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The configuration files that the user has trusted, each with its content: a changed file is untrusted again.
///
/// The content is kept whole and not as a checksum, so that nobody can make another file that passes for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedFiles {
    #[serde(default)]
    files: Vec<TrustedFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TrustedFile {
    path: String,
    content: String,
}

/// The reason why a list of trusted files cannot be used or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustedFilesError {
    /// The list cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// Path of the list.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The list is not one that this program wrote.
    #[error("{} is not a list of trusted files: {reason}", path.display())]
    Invalid {
        /// Path of the list.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The path of a file cannot be kept.
    #[error("the path {} is not Unicode", path.display())]
    NotUnicode {
        /// The path.
        path: PathBuf,
    },
    /// The file may have been written by another user.
    #[error("{} cannot be trusted: {reason}", path.display())]
    Foreign {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
}

impl TrustedFilesError {
    /// Returns a hint for the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            TrustedFilesError::Foreign { .. } => {
                Some("make it yours (chown, chmod o-w), or put the options into your own file")
            }
            TrustedFilesError::Invalid { .. } => Some("remove the list; files have to be trusted again"),
            _ => None,
        }
    }
}

impl TrustedFiles {
    /// Returns the path of the list, which is beside the user's configuration file.
    pub fn path_beside(user_config: &Path) -> PathBuf {
        user_config.with_file_name("trusted.json")
    }

    /// Reads the list. A list that does not exist is empty.
    pub fn load(path: &Path) -> Result<Self, TrustedFilesError> {
        let unreadable = |error| TrustedFilesError::Unreadable { path: path.to_owned(), error };
        let invalid = |reason: String| TrustedFilesError::Invalid { path: path.to_owned(), reason };
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => return Err(invalid("it is not a file".to_owned())),
            Ok(metadata) if metadata.len() > MAX_BYTES => return Err(invalid("it is too long".to_owned())),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(TrustedFiles::default()),
            Err(error) => return Err(unreadable(error)),
        }
        if let Some(reason) = foreign_reason(path) {
            return Err(TrustedFilesError::Foreign { path: path.to_owned(), reason });
        }
        let text = fs::read_to_string(path).map_err(unreadable)?;
        serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))
    }

    /// Returns whether a file is trusted with this content.
    pub fn is_trusted(&self, path: &Path, source: &ConfigSource) -> bool {
        let Ok(real) = fs::canonicalize(path) else { return false };
        let Some(file) = self.files.iter().find(|file| Path::new(&file.path) == real) else { return false };
        file.content == trusted_content(source)
    }

    /// Trusts a file with this content.
    pub fn trust(&mut self, path: &Path, source: &ConfigSource) -> Result<(), TrustedFilesError> {
        let foreign = |reason| TrustedFilesError::Foreign { path: path.to_owned(), reason };
        let real = fs::canonicalize(path)
            .map_err(|error| TrustedFilesError::Unreadable { path: path.to_owned(), error })?;
        if let Some(reason) = foreign_reason(path) {
            return Err(foreign(reason));
        }
        let Some(real) = real.to_str() else {
            return Err(TrustedFilesError::NotUnicode { path: real });
        };
        self.files.retain(|file| file.path != real);
        self.files.push(TrustedFile { path: real.to_owned(), content: trusted_content(source) });
        Ok(())
    }

    /// Takes the trust in a file back. Returns whether it was trusted. The file need not exist any more.
    pub fn untrust(&mut self, path: &Path) -> bool {
        let real = fs::canonicalize(path).or_else(|_| std::path::absolute(path));
        let before = self.files.len();
        self.files.retain(|file| !real.as_ref().is_ok_and(|real| Path::new(&file.path) == real));
        self.files.len() < before
    }

    /// Returns the paths of the files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| Path::new(&file.path))
    }

    /// Describes what a file says that only the user may decide. The error has the problems of the file.
    pub fn describe(source: &ConfigSource) -> Result<String, ConfigError> {
        let name = printable(&source.name);
        let layers = ConfigLayers::default().file(source.clone());
        layers.load()?;
        let ignored = layers.load_untrusted()?.ignored;
        if ignored.is_empty() {
            return Ok(format!("{name} only tightens or tunes the guard: it applies without trust too\n"));
        }
        let lines = ignored.iter().map(|ignored| format!("  {}\n", printable(&ignored.to_string())));
        Ok(format!("{name} says what only you may decide:\n{}", lines.collect::<String>()))
    }

    /// Renders the files, and whether they are still trusted.
    pub fn render(&self) -> String {
        let line = |path: &Path| {
            let state = match read_config_file(path) {
                Ok(source) if self.is_trusted(path, &source) => "",
                Ok(_) => " (changed since, so it is not trusted)",
                Err(_) => " (cannot be read)",
            };
            format!("{}{state}\n", printable(&path.display().to_string()))
        };
        let lines: String = self.paths().map(line).collect();
        if lines.is_empty() { "no files are trusted\n".to_owned() } else { lines }
    }

    /// Returns the text of the list.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Returns the part of a file that trust is about. Of a `pyproject.toml` these are the tables of Loopbreak, so that a new
/// dependency does not make the file untrusted.
fn trusted_content(source: &ConfigSource) -> String {
    let table = || -> Option<Table> {
        let file: Table = source.text.parse().ok()?;
        let tool = file.get("tool")?;
        let mut tables = Table::new();
        if let Some(own) = tool.get("loopbreak") {
            tables.insert("loopbreak".to_owned(), own.clone());
        }
        if let Some(legacy) = tool.get("zorkgpt").and_then(|zorkgpt| zorkgpt.get("loop_break")) {
            tables.insert("loop_break".to_owned(), legacy.clone());
        }
        Some(tables)
    };
    match source.layout {
        ConfigFileLayout::TopLevel => source.text.clone(),
        // Values are compared and not their spelling. Without valid tables, the whole text counts.
        ConfigFileLayout::Pyproject => table()
            .and_then(|table| serde_json::to_string(&Value::Table(table)).ok())
            .unwrap_or_else(|| source.text.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_trusted_by_its_path_and_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loopbreak.toml");
        let copy = folder.path().join("copy.toml");
        let source = |text: &str| ConfigSource::new("loopbreak.toml", text);
        fs::write(&path, "mode = \"off\"\n").unwrap();
        fs::write(&copy, "mode = \"off\"\n").unwrap();
        let mut files = TrustedFiles::default();
        assert!(!files.is_trusted(&path, &source("mode = \"off\"\n")));
        files.trust(&path, &source("mode = \"off\"\n")).unwrap();
        assert!(files.is_trusted(&path, &source("mode = \"off\"\n")));
        assert!(!files.is_trusted(&path, &source("mode = \"off\"\n#\n")), "it was changed");
        assert!(!files.is_trusted(&copy, &source("mode = \"off\"\n")), "it is another file");

        let list = folder.path().join("trusted.json");
        assert_eq!(TrustedFiles::load(&list).unwrap(), TrustedFiles::default());
        fs::write(&list, files.to_json()).unwrap();
        assert_eq!(TrustedFiles::load(&list).unwrap(), files);
        fs::write(&list, "3").unwrap();
        assert!(matches!(TrustedFiles::load(&list), Err(TrustedFilesError::Invalid { .. })));

        fs::remove_file(&path).unwrap();
        let real = files.paths().next().unwrap().to_owned();
        assert!(files.untrust(&real) && !files.untrust(&real));
    }

    #[test]
    fn only_the_tables_of_loopbreak_count_in_a_pyproject() {
        let content = |text: &str| trusted_content(&ConfigSource::new("pyproject.toml", text));
        let first = content("[project]\nname = \"a\"\n[tool.loopbreak]\nmode = \"off\"\n");
        assert_eq!(first, content("[project]\nname = \"b\"\n# x\n[tool.loopbreak]\nmode = 'off'\n"));
        assert_ne!(first, content("[tool.loopbreak]\nmode = \"observe\"\n"));
        assert_ne!(first, content("[tool.loopbreak]\nmode = \"off\"\n[tool.zorkgpt.loop_break]\n"));
    }
}
