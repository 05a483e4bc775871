//! The list of backends of the service, and opening a store with one of them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

#[cfg(feature = "postgres")]
use super::PostgresUrl;
use super::ServiceStore;
#[cfg(feature = "postgres")]
use super::postgres::PostgresServiceStore;
use super::sqlite::SqliteServiceStore;
use crate::{StoreError, StoreUrlError};

/// Address of a store of the service: a path, `sqlite:` and a path, or that of a PostgreSQL database.
#[derive(Clone, PartialEq, Eq)]
pub enum ServiceStoreUrl {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresUrl>),
}

/// Opens a store, creates it if there is none, and brings it up to date. `now` is the time for the record of migrations.
pub fn open_service_store(url: &ServiceStoreUrl, now: i64) -> Result<Arc<dyn ServiceStore>, StoreError> {
    match url {
        ServiceStoreUrl::Sqlite(path) => Ok(Arc::new(SqliteServiceStore::open(path, now)?)),
        #[cfg(feature = "postgres")]
        ServiceStoreUrl::Postgres(url) => Ok(Arc::new(PostgresServiceStore::open(url, now)?)),
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
        #[cfg(feature = "postgres")]
        if PostgresUrl::is_scheme_of(text) {
            return Ok(ServiceStoreUrl::Postgres(Box::new(text.parse()?)));
        }
        #[cfg(not(feature = "postgres"))]
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Err(StoreUrlError::NoPostgres);
        }
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
            #[cfg(feature = "postgres")]
            ServiceStoreUrl::Postgres(url) => fmt::Display::fmt(url, f),
        }
    }
}
