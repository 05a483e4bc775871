//! The list of backends of the service, and opening a store with one of them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use super::ServiceStore;
use super::sqlite::SqliteServiceStore;
use crate::{StoreError, StoreUrlError};

/// Address of a store of the service: a path, or `sqlite:` and a path.
#[derive(Clone, PartialEq, Eq)]
pub enum ServiceStoreUrl {
    /// A SQLite file.
    Sqlite(PathBuf),
}

/// Opens a store, creates it if there is none, and brings it up to date. `now` is the time for the record of migrations.
pub fn open_service_store(url: &ServiceStoreUrl, now: i64) -> Result<Arc<dyn ServiceStore>, StoreError> {
    match url {
        ServiceStoreUrl::Sqlite(path) => Ok(Arc::new(SqliteServiceStore::open(path, now)?)),
    }
}

impl From<&Path> for ServiceStoreUrl {
    fn from(path: &Path) -> Self {
        ServiceStoreUrl::Sqlite(path.to_owned())
    }
}

impl FromStr for ServiceStoreUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<Self, StoreUrlError> {
        let url: crate::StoreUrl = text.parse()?;
        Ok(ServiceStoreUrl::Sqlite(url.as_path().to_owned()))
    }
}

impl fmt::Debug for ServiceStoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ServiceStoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServiceStoreUrl::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
        }
    }
}
