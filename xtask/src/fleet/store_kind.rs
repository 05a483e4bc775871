//! The stores of the service.

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreKind {
    /// A file.
    Sqlite,
    /// A database of its own.
    Postgres,
}

impl StoreKind {
    /// All kinds.
    pub(super) const ALL: [StoreKind; 2] = [StoreKind::Sqlite, StoreKind::Postgres];

    /// Returns the name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            StoreKind::Sqlite => "sqlite",
            StoreKind::Postgres => "postgres",
        }
    }

    /// Returns the name in the table.
    pub(super) fn title(self) -> &'static str {
        match self {
            StoreKind::Sqlite => "SQLite",
            StoreKind::Postgres => "PostgreSQL",
        }
    }
}
