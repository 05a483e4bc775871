//! The database in which opencode keeps its sessions: a row per message and per part of a message, with the same JSON as in
//! an export.

use std::io;

use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};

use super::message::{OpencodeMessage, OpencodePart, emit_message};
use crate::database::{SqliteFile, cannot_read};
use crate::line::LONGEST_LINE;
use crate::log_format::DatabaseFormat;
use crate::log_record::{ReadStats, RecordSink, SkippedLine, UnreadItem};
use crate::message::AgentConversation;
use crate::skip_reason::SkipReason;

/// The sessions that have messages, in the order in which they began.
const SESSIONS: &str =
    "SELECT session_id FROM message GROUP BY session_id ORDER BY min(time_created), session_id";
/// The messages of a session, in the order of an export. What is too long is not loaded.
const MESSAGES: &str = "SELECT id, octet_length(data), CASE WHEN octet_length(data) <= ?2 THEN data END \
                        FROM message WHERE session_id = ?1 ORDER BY time_created, id";
/// The parts of a message, in the order of an export.
const PARTS: &str = "SELECT octet_length(data), CASE WHEN octet_length(data) <= ?2 THEN data END \
                     FROM part WHERE message_id = ?1 ORDER BY id";
/// The sessions that a later version keeps only in its new table.
const NEW_SESSIONS: &str = "SELECT DISTINCT session_id FROM session_message \
                            WHERE session_id NOT IN (SELECT session_id FROM message)";

/// The reason to skip a row without text.
const NOT_TEXT: &str = "the row of the database has no text";
/// Memory that a part needs apart from its text. It counts towards the limit of a message.
const PART_COST: u64 = 512;

/// The database of opencode.
pub(super) struct OpencodeDatabase;

impl DatabaseFormat for OpencodeDatabase {
    fn recognizes(&self, database: &SqliteFile) -> io::Result<bool> {
        Ok(database.has_table("message", &["id", "session_id", "time_created", "data"])?
            && database.has_table("part", &["id", "message_id", "data"])?)
    }

    fn is_empty(&self, database: &SqliteFile) -> io::Result<bool> {
        let has_messages = database.has_rows("message")?
            || has_new_table(database)? && database.has_rows("session_message")?;
        Ok(!has_messages)
    }

    /// Reads all sessions, one after the other. The line of a record is the number of its message.
    fn read(
        &self,
        database: &SqliteFile,
        watch: &dyn Fn(u64),
        sink: &mut dyn RecordSink,
    ) -> io::Result<ReadStats> {
        let has_new_table = has_new_table(database)?;
        let mut reader = DatabaseReader { stats: ReadStats::default(), watch, sink };
        reader.read(database, has_new_table).map_err(|error| cannot_read(&error))?;
        Ok(reader.stats)
    }
}

fn has_new_table(database: &SqliteFile) -> io::Result<bool> {
    database.has_table("session_message", &["session_id"])
}

struct DatabaseReader<'s> {
    /// A message counts as a line.
    stats: ReadStats,
    watch: &'s dyn Fn(u64),
    sink: &'s mut dyn RecordSink,
}

impl DatabaseReader<'_> {
    fn read(&mut self, database: &SqliteFile, has_new_table: bool) -> rusqlite::Result<()> {
        let connection = database.connection();
        let mut sessions = connection.prepare(SESSIONS)?;
        let mut messages = connection.prepare(MESSAGES)?;
        let mut parts = connection.prepare(PARTS)?;
        let mut sessions = sessions.query(())?;
        while let Some(session) = sessions.next()? {
            let Some(session) = name_of(session)? else { continue };
            let mut agent = AgentConversation::new(Some(&session), None);
            let mut messages = messages.query((&session, LONGEST_LINE as u32))?;
            while let Some(message) = messages.next()? {
                self.stats.lines += 1;
                let read = self.read_message(message, &mut parts, &mut agent)?;
                if let Err(reason) = read {
                    self.skip(reason);
                }
            }
            agent.end(self.sink);
        }
        if has_new_table {
            let mut unread = connection.prepare(NEW_SESSIONS)?;
            let mut unread = unread.query(())?;
            while unread.next()?.is_some() {
                self.sink.unread_item(&UnreadItem::new(self.stats.lines + 1, "session_message"));
            }
        }
        Ok(())
    }

    /// Reads a message and its parts. A part that cannot be read is skipped.
    fn read_message(
        &mut self,
        row: &Row<'_>,
        parts: &mut Statement<'_>,
        agent: &mut AgentConversation,
    ) -> rusqlite::Result<Result<(), SkipReason>> {
        let Some(id) = name_of(row)? else { return Ok(Err(SkipReason::new(NOT_TEXT))) };
        let mut bytes = size_of(row, 1)?;
        let mut cost = bytes;
        let mut texts = Vec::new();
        let mut rows = parts.query((&id, LONGEST_LINE as u32))?;
        while let Some(part) = rows.next()? {
            let length = size_of(part, 0)?;
            bytes = bytes.saturating_add(length);
            cost = cost.saturating_add(length).saturating_add(PART_COST);
            if cost > LONGEST_LINE as u64 {
                return Ok(Err(SkipReason::too_long(cost)));
            }
            match json_of(part, 1)? {
                Ok(text) => texts.push(text.to_owned()),
                Err(reason) => self.skip(reason),
            }
        }
        self.stats.bytes += bytes;
        (self.watch)(bytes);
        Ok(json_of(row, 2)?.and_then(|info| self.emit(&id, info, &texts, agent)))
    }

    fn emit(
        &mut self,
        id: &str,
        info: &str,
        parts: &[String],
        agent: &mut AgentConversation,
    ) -> Result<(), SkipReason> {
        let info = serde_json::from_str(info).map_err(|error| SkipReason::malformed(info, &error))?;
        let mut parsed: Vec<OpencodePart<'_>> = Vec::with_capacity(parts.len());
        for part in parts {
            match serde_json::from_str(part) {
                Ok(part) => parsed.push(part),
                Err(error) => self.skip(SkipReason::malformed(part, &error)),
            }
        }
        emit_message(OpencodeMessage::new(id, info, parsed), agent, self.stats.lines, self.sink);
        Ok(())
    }

    fn skip(&mut self, reason: SkipReason) {
        self.sink.skipped(SkippedLine { line: self.stats.lines, reason });
    }
}

/// Returns the id in the first column; `None` if it is not text.
fn name_of(row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    let ValueRef::Text(bytes) = row.get_ref(0)? else { return Ok(None) };
    Ok(std::str::from_utf8(bytes).ok().map(str::to_owned))
}

/// Returns a size, in bytes.
fn size_of(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let size: Option<i64> = row.get(column)?;
    Ok(size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0))
}

/// Returns the JSON in a column. `NULL` stands for a text that is too long.
fn json_of<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<Result<&'r str, SkipReason>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).map_err(|_| SkipReason::not_utf8(bytes)),
        ValueRef::Null => Err(SkipReason::too_long(size_of(row, column - 1)?)),
        _ => Err(SkipReason::new(NOT_TEXT)),
    })
}
