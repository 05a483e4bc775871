//! Addresses of stores.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::backend::{BACKENDS, StoreBackend};

/// Address of a store: a path, or a scheme and a location such as `sqlite:/var/lib/loopbreak.db`.
///
/// ```
/// use loopbreak_store::StoreUrl;
///
/// let url: StoreUrl = "sqlite:/var/lib/loopbreak.db".parse()?;
/// assert_eq!(url, StoreUrl::from("/var/lib/loopbreak.db".as_ref()));
///
/// let error = "postgres://db/loopbreak".parse::<StoreUrl>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown store scheme \"postgres\": use a path or one of sqlite:");
/// # Ok::<(), loopbreak_store::StoreUrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreUrl {
    /// Index in the list of backends.
    backend: usize,
    location: OsString,
}

/// A text that is not the address of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreUrlError {
    /// No backend has the scheme.
    #[error("unknown store scheme {scheme:?}: use a path or one of {known}")]
    UnknownScheme {
        /// The scheme.
        scheme: String,
        /// Known schemes, separated by commas.
        known: String,
    },
    /// The text has the scheme of a backend, but is not an address.
    #[error("this is not the address of a store: {reason}")]
    Invalid {
        /// Reason.
        reason: String,
    },
    /// The text is the address of a PostgreSQL database, and this program was built without support for it.
    #[error("this build has no support for PostgreSQL: build it with the feature `postgres`")]
    NoPostgres,
    /// The text names no location.
    #[error("the address of the store is empty: use a path")]
    Empty,
}

impl StoreUrl {
    /// Returns the location as a path.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.location)
    }

    pub(crate) fn backend(&self) -> &'static StoreBackend {
        &BACKENDS[self.backend]
    }
}

impl From<PathBuf> for StoreUrl {
    fn from(path: PathBuf) -> Self {
        StoreUrl { backend: 0, location: path.into_os_string() }
    }
}

impl From<&Path> for StoreUrl {
    fn from(path: &Path) -> Self {
        path.to_owned().into()
    }
}

impl FromStr for StoreUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<Self, StoreUrlError> {
        let (backend, location) = match split_scheme(text) {
            None => (0, text),
            Some((scheme, location)) => {
                let backend = BACKENDS.iter().position(|backend| backend.scheme == scheme);
                (backend.ok_or_else(|| unknown_scheme(scheme))?, location)
            }
        };
        if location.is_empty() {
            return Err(StoreUrlError::Empty);
        }
        Ok(StoreUrl { backend, location: location.into() })
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.backend().scheme, self.location.display())
    }
}

/// Splits a scheme off a text. A single letter is a drive and not a scheme.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, location) = text.split_once(':')?;
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    (scheme.len() > 1 && scheme.chars().all(is_letter)).then_some((scheme, location))
}

fn unknown_scheme(scheme: &str) -> StoreUrlError {
    let known: Vec<String> = BACKENDS.iter().map(|backend| format!("{}:", backend.scheme)).collect();
    StoreUrlError::UnknownScheme { scheme: scheme.to_owned(), known: known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_a_sqlite_url_name_the_same_store() {
        for text in ["/var/x.db", "x.db", "./a:b/x.db", "C:\\loopbreak\\x.db", "with space/x.db"] {
            let url: StoreUrl = text.parse().unwrap();
            assert_eq!(url.as_path(), Path::new(text));
            assert_eq!(url.to_string().parse(), Ok(url));
        }
        let url: StoreUrl = "sqlite:a:b.db".parse().unwrap();
        assert_eq!(url.as_path(), Path::new("a:b.db"));
    }

    #[test]
    fn an_unknown_scheme_is_an_error_that_lists_the_known_ones() {
        let error = "postgres://user@host/db".parse::<StoreUrl>().unwrap_err();
        assert_eq!(error.to_string(), "unknown store scheme \"postgres\": use a path or one of sqlite:");
        for text in ["", "sqlite:"] {
            assert_eq!(text.parse::<StoreUrl>(), Err(StoreUrlError::Empty));
        }
    }
}
