//! Finds the configuration file and reads it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use loopbreak::config::{Shape, Source, has_tables};

use crate::error::UserError;

/// A configuration of a megabyte is none.
const LONGEST: u64 = 1024 * 1024;

const OWN: &str = "loopbreak.toml";
const PYPROJECT: &str = "pyproject.toml";

/// The file that the user named: it has to be there, and to be about us.
pub(crate) fn named(path: &Path) -> Result<Source, UserError> {
    let name = path.display();
    if path.is_dir() {
        return Err(UserError::usage(format!("{name} is a folder")).hint("name a file in it"));
    }
    let bytes = read(path).map_err(|error| {
        let error = UserError::usage(format!("cannot read {name}: {error}"));
        if path.exists() { error } else { error.hint("`loopbreak config init` writes a new file") }
    })?;
    let source = source(&name.to_string(), bytes)?;
    if source.shape == Shape::Pyproject && !has_tables(&source.text) {
        return Err(UserError::usage(format!(
            "{name} has neither [tool.loopbreak] nor [tool.zorkgpt.loop_break]"
        ))
        .hint("write the options under [tool.loopbreak]"));
    }
    Ok(source)
}

/// The nearest file from a folder upwards; none where there is none.
pub(crate) fn upwards(folder: &Path) -> Result<Option<Source>, UserError> {
    let absolute = std::path::absolute(folder)
        .map_err(|error| UserError::failed(format!("cannot find the current folder: {error}")))?;
    let mut shown = if folder == Path::new(".") { PathBuf::new() } else { folder.to_owned() };
    for folder in absolute.ancestors() {
        let (own, name) = (folder.join(OWN), shown.join(OWN));
        if own.is_file() {
            let bytes = read(&own)
                .map_err(|error| UserError::usage(format!("cannot read {}: {error}", name.display())))?;
            return source(&name.display().to_string(), bytes).map(Some);
        }
        if let Some(source) = pyproject(&folder.join(PYPROJECT), &shown.join(PYPROJECT))? {
            return Ok(Some(source));
        }
        shown.push("..");
    }
    Ok(None)
}

/// A `pyproject.toml` on the way. Most of them are none of our business, whatever state they are in.
fn pyproject(path: &Path, shown: &Path) -> Result<Option<Source>, UserError> {
    if !path.is_file() {
        return Ok(None);
    }
    let Ok(bytes) = read(path) else { return Ok(None) };
    let name = shown.display().to_string();
    if is_fit(&bytes) {
        return source(&name, bytes).map(|source| has_tables(&source.text).then_some(source));
    }
    let mentions = |words: &[u8]| bytes.windows(words.len()).any(|window| window == words);
    let ours = mentions(b"tool.loopbreak") || mentions(b"tool.zorkgpt.loop_break");
    if ours { source(&name, bytes).map(Some) } else { Ok(None) }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_fit(bytes: &[u8]) -> bool {
    bytes.len() as u64 <= LONGEST && std::str::from_utf8(bytes).is_ok()
}

fn source(name: &str, bytes: Vec<u8>) -> Result<Source, UserError> {
    if bytes.len() as u64 > LONGEST {
        return Err(UserError::usage(format!("{name} is larger than 1 MB"))
            .hint("this is hardly a configuration file; is the name right?"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let error = error.utf8_error();
        UserError::usage(format!("{name} is not UTF-8: see byte {}", error.valid_up_to() + 1))
            .hint("TOML files are UTF-8: save it as such")
    })?;
    Ok(Source::new(name, text))
}
