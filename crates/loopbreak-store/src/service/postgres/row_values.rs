//! Conversion of values. PostgreSQL has signed numbers only, and texts without the character NUL.

use std::borrow::Cow;

use tokio_postgres::Row;

use crate::service::RunVerdict;

/// Returns a number as the database stores it. Larger ones become the largest it can store.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns a number of rows as the database takes it.
pub(super) fn row_limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Returns a text as the database stores it: another character takes the place of each NUL.
pub(super) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// Reads a number that is never negative.
pub(super) fn unsigned(row: &Row, column: usize) -> Result<u64, tokio_postgres::Error> {
    Ok(u64::try_from(row.try_get::<_, i64>(column)?).unwrap_or(0))
}

pub(super) fn verdict(row: &Row, column: usize) -> Result<RunVerdict, tokio_postgres::Error> {
    let number = usize::try_from(row.try_get::<_, i16>(column)?).unwrap_or(usize::MAX);
    Ok(RunVerdict::ALL.get(number).copied().unwrap_or(RunVerdict::Stop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_the_database_cannot_store_are_replaced() {
        assert_eq!(signed(7), 7);
        assert_eq!(signed(u64::MAX), i64::MAX);
        assert_eq!(storable("a\0b"), "a\u{fffd}b");
        assert!(matches!(storable("ab"), Cow::Borrowed("ab")));
    }
}
