//! The list of backends, and opening a store with one of them.

use crate::{Store, StoreError, StoreOptions, StoreUrl, sqlite};

/// A kind of store. To add one, write its folder and add a line to [`BACKENDS`].
pub(crate) struct StoreBackend {
    /// Scheme of its URLs.
    pub(crate) scheme: &'static str,
    /// Opens the store, and creates it if there is none.
    pub(crate) open: OpenBackend,
    /// Opens the store to read it. Changes nothing.
    pub(crate) read: OpenBackend,
    /// Opens the store after it was found to be damaged.
    pub(crate) repair: OpenBackend,
    /// Returns whether there is a store at the URL.
    pub(crate) exists: fn(&StoreUrl) -> bool,
}

/// Function that opens a store.
pub(crate) type OpenBackend = fn(&StoreUrl, StoreOptions) -> Result<Box<dyn Store>, StoreError>;

/// All backends. The first one is used for plain paths.
pub(crate) const BACKENDS: &[StoreBackend] = &[sqlite::BACKEND];

/// Opens a store, and creates it if there is none. A damaged store is moved away and replaced by a new one:
/// see [`Store::quarantined`].
pub fn open(url: &StoreUrl) -> Result<Box<dyn Store>, StoreError> {
    open_with(url, StoreOptions::default())
}

/// Opens a store with options other than the defaults.
pub fn open_with(url: &StoreUrl, options: StoreOptions) -> Result<Box<dyn Store>, StoreError> {
    (url.backend().open)(url, options)
}

/// Opens a store if there is one, and returns `None` otherwise.
pub fn open_existing(url: &StoreUrl) -> Result<Option<Box<dyn Store>>, StoreError> {
    if (url.backend().exists)(url) { open(url).map(Some) } else { Ok(None) }
}

/// Opens a store to read it, if there is one. Unlike [`open_existing`], it changes nothing: an older store is not brought up
/// to date, which is an error, and a damaged one is not moved away. [`Store::begin`] fails.
pub fn read_existing(url: &StoreUrl, options: StoreOptions) -> Result<Option<Box<dyn Store>>, StoreError> {
    if (url.backend().exists)(url) { (url.backend().read)(url, options).map(Some) } else { Ok(None) }
}

/// Opens a store again after [`StoreError::Damaged`]. The damaged store is moved away and replaced by a new one, unless
/// another process has already done so.
pub fn repair(url: &StoreUrl) -> Result<Box<dyn Store>, StoreError> {
    (url.backend().repair)(url, StoreOptions::default())
}
