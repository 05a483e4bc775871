//! Reads the events of a run around damage: what cannot be read is replaced by an event that says so.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::store_error;
use crate::{NoteEvent, Run, RunEvent, StoreError, StoredEvent};

/// Number of tries to read past damage. Each damaged page costs about as many as it has events.
const MAX_TRIES: u32 = 500;

/// Reads the events of a run in order.
pub(super) fn read_events(connection: &Connection, run: &Run) -> Result<Vec<StoredEvent>, StoreError> {
    let mut reader = EventReader { connection, run: run.id, events: Vec::new(), gap: None, tries: MAX_TRIES };
    let Some(error) = reader.scan(0, i64::MAX)? else { return Ok(reader.events) };
    // Only numbers up to the last one are worth a try. If even that is unknown, the run has counted its events.
    let last = connection
        .query_row("SELECT max(number) FROM events WHERE run = ?1", (run.id,), |row| row.get::<_, i64>(0))
        .unwrap_or_else(|_| i64::try_from(run.events).unwrap_or(i64::MAX));
    let next = reader.next_number();
    reader.read(next, last.max(next), error)?;
    reader.close_gap(run.started);
    Ok(reader.events)
}

/// A search for the events that can be read.
struct EventReader<'c> {
    connection: &'c Connection,
    run: i64,
    events: Vec<StoredEvent>,
    /// The first and the last number that could not be read, and the reason.
    gap: Option<(i64, i64, String)>,
    tries: u32,
}

impl EventReader<'_> {
    /// Reads a range in which damage was found at its first number, by halving it.
    fn read(&mut self, first: i64, last: i64, error: String) -> Result<(), StoreError> {
        if first >= last || self.tries == 0 {
            self.gap = match self.gap.take() {
                Some((start, end, reason)) if end == first - 1 => Some((start, last, reason)),
                _ => Some((first, last, error)),
            };
            return Ok(());
        }
        let middle = first + (last - first) / 2;
        for (mut first, last) in [(first, middle), (middle + 1, last)] {
            self.tries = self.tries.saturating_sub(1);
            let (before, from) = (self.events.len(), first);
            let Some(error) = self.scan(first, last)? else { continue };
            if self.events.len() > before {
                first = self.next_number().max(from);
            }
            self.read(first, last, error)?;
        }
        Ok(())
    }

    /// Reads the events of a range up to the first damage, and returns its description.
    fn scan(&mut self, first: i64, last: i64) -> Result<Option<String>, StoreError> {
        let sql = "SELECT number, at, kind, detail FROM events WHERE run = ?1 AND number BETWEEN ?2 AND ?3 \
                   ORDER BY number";
        let mut statement = self.connection.prepare(sql).map_err(store_error)?;
        let mut rows = statement.query((self.run, first, last)).map_err(store_error)?;
        loop {
            match rows.next().map_err(store_error) {
                Ok(Some(row)) => {
                    let stored = read_event(row);
                    self.close_gap(stored.at);
                    self.events.push(stored);
                }
                Ok(None) => return Ok(None),
                Err(error) if error.is_damage() => return Ok(Some(error.to_string())),
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the number after the last event that was read.
    fn next_number(&self) -> i64 {
        self.events
            .last()
            .map_or(1, |event| i64::try_from(event.number).unwrap_or(i64::MAX).saturating_add(1))
    }

    /// Adds an event in place of those that could not be read. Its time is that of the event before it.
    fn close_gap(&mut self, otherwise: i64) {
        let Some((first, last, reason)) = self.gap.take() else { return };
        let which =
            if first == last { format!("event {first}") } else { format!("events {first} to {last}") };
        let at = self.events.last().map_or(otherwise, |event| event.at);
        let number = u64::try_from(first).unwrap_or_default();
        self.events.push(damaged(number, at, &format!("{which} cannot be read: {reason}")));
    }
}

/// Reads the number, time, kind and detail of an event.
pub(super) fn read_event(row: &Row<'_>) -> StoredEvent {
    let (number, at) = (row.get(0).unwrap_or_default(), row.get(1).unwrap_or_default());
    let text = |column| match row.get_ref(column) {
        Ok(ValueRef::Text(bytes)) => std::str::from_utf8(bytes).ok(),
        _ => None,
    };
    match text(2).zip(text(3)).and_then(|(kind, detail)| RunEvent::parse_columns(kind, detail)) {
        Some(event) => StoredEvent { number, at, event },
        None => damaged(number, at, "this event cannot be read"),
    }
}

fn damaged(number: u64, at: i64, what: &str) -> StoredEvent {
    StoredEvent { number, at, event: RunEvent::Damaged(NoteEvent { action: what.to_owned() }) }
}
