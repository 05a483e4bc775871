//! Opens a SQLite database without changing it or its neighbours.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::line::LONGEST_LINE;

/// Longest wait for a process that locks the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest value that SQLite may build. Longer ones than a reader accepts are measured, not loaded.
const LONGEST_VALUE: i32 = 256 * 1024 * 1024;
const _: () = assert!(LONGEST_LINE < LONGEST_VALUE as usize);

/// A SQLite database that was opened for reading. All queries see the same state of it.
pub(crate) struct SqliteFile {
    connection: Connection,
}

/// The way in which a database is opened.
#[derive(Clone, Copy)]
enum OpenMode {
    /// No process uses the database, so neither locks nor its log are needed.
    Unused,
    /// Reads the write-ahead log, and leaves its index in shared memory as it is.
    FixedIndex,
    /// Reads the write-ahead log, and creates or updates its index. The database and its log stay as they are.
    OwnIndex,
}

impl OpenMode {
    fn parameters(self) -> &'static str {
        match self {
            OpenMode::Unused => "mode=ro&immutable=1",
            OpenMode::FixedIndex => "mode=ro&readonly_shm=1",
            OpenMode::OwnIndex => "mode=ro",
        }
    }
}

impl SqliteFile {
    /// Opens a database for reading. Content that is still in its write-ahead log is seen. A process that uses the database
    /// is not kept from writing.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        // A database that is in use, or whose last user did not close it, has these files next to it.
        if !["-wal", "-shm"].iter().any(|suffix| neighbour(path, suffix).exists()) {
            return connect(path, OpenMode::Unused).map_err(|error| cannot_read(&error));
        }
        let opened = match connect(path, OpenMode::FixedIndex) {
            Err(error)
                if matches!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::DatabaseBusy)
                ) =>
            {
                connect(path, OpenMode::OwnIndex)
            }
            opened => opened,
        };
        opened.map_err(|error| cannot_read(&error))
    }

    /// Returns the connection, for queries.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns whether there is a table of this name with these columns. Views, virtual tables and computed columns
    /// do not count: reading them could take any amount of work.
    pub(crate) fn has_table(&self, table: &str, columns: &[&str]) -> io::Result<bool> {
        let sql = "SELECT count(*) FROM sqlite_schema AS entry, pragma_table_info(entry.name) AS info \
                   WHERE entry.type = 'table' AND entry.name = ?1 AND entry.sql LIKE 'CREATE TABLE%' \
                   AND instr(?2, ',' || info.name || ',') > 0";
        let listed = format!(",{},", columns.join(","));
        let found = self.connection.query_row(sql, (table, listed), |row| row.get::<_, u32>(0));
        Ok(found.map_err(|error| cannot_read(&error))? as usize == columns.len())
    }

    /// Returns whether a table has rows.
    pub(crate) fn has_rows(&self, table: &'static str) -> io::Result<bool> {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        self.connection.query_row(&sql, (), |row| row.get(0)).map_err(|error| cannot_read(&error))
    }
}

fn neighbour(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

fn connect(path: &Path, mode: OpenMode) -> rusqlite::Result<SqliteFile> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(path, mode), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // The schema is part of the input: it must not call functions with side effects.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; BEGIN")?;
    // The first query reads the header and the log: an error of these belongs to opening.
    connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get::<_, i64>(0))?;
    Ok(SqliteFile { connection })
}

/// Returns the address of a file as SQLite wants it.
fn uri(path: &Path, mode: OpenMode) -> String {
    let mut uri = String::from("file:");
    if path.is_absolute() {
        uri.push_str(if cfg!(windows) { "///" } else { "//" });
    }
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte));
            }
            b':' if cfg!(windows) => uri.push(':'),
            b'\\' if cfg!(windows) => uri.push('/'),
            other => _ = write!(uri, "%{other:02X}"),
        }
    }
    uri.push('?');
    uri.push_str(mode.parameters());
    uri
}

/// Describes an error of SQLite.
pub(crate) fn cannot_read(error: &rusqlite::Error) -> io::Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            io::Error::new(io::ErrorKind::InvalidData, format!("the database is damaged ({error})"))
        }
        Some(ErrorCode::PermissionDenied) => io::ErrorKind::PermissionDenied.into(),
        Some(ErrorCode::DatabaseBusy) => io::Error::other("another process locks the database; try again"),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => io::Error::other(format!(
            "the log next to the database cannot be read ({error}); copy the database and its -wal file to a \
             folder that you may write to"
        )),
        _ => io::Error::other(format!("the database cannot be queried ({error})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn any_path_is_a_valid_address() {
        for (path, expected) in
            [("a b?.db", "file:a%20b%3F.db?mode=ro"), ("/ä/#1%.db", "file:///%C3%A4/%231%25.db?mode=ro")]
        {
            assert_eq!(uri(Path::new(path), OpenMode::OwnIndex), expected);
        }
    }
}
