//! Changes of one run, each in one transaction.

use rusqlite::{OptionalExtension as _, Transaction, TransactionBehavior};

use super::prune::{CHECK_INTERVAL, DAY, prune, trim_events};
use super::store::{SqliteStore, roadmap};
use super::{outbox_rows, rows, spending, store_error};
use crate::tasks::RoadmapTask;
use crate::{RunChange, RunKey, RunTransaction, SessionCost, StoreError};

/// One change in this many checks the length of the write-ahead log. If hundreds of changes come at once, not
/// every one of them should wait for the disk.
const LOG_CHECK_INTERVAL: u64 = 8;

/// A transaction on one run. Dropping it without a commit changes nothing.
pub(super) struct SqliteTransaction<'s> {
    store: &'s SqliteStore,
    transaction: Transaction<'s>,
    key: RunKey,
    folder: String,
    now: i64,
    known: Option<KnownRow>,
    state: Option<String>,
}

/// Columns of a run that is already stored.
struct KnownRow {
    id: i64,
    day: i64,
    events: u64,
}

impl<'s> SqliteTransaction<'s> {
    pub(super) fn begin(
        store: &'s mut SqliteStore,
        key: RunKey,
        folder: String,
        now: i64,
    ) -> Result<Self, StoreError> {
        // The store was borrowed exclusively, so no other transaction is open on this connection.
        let store: &'s SqliteStore = store;
        // Taking the write lock first keeps two processes from overwriting each other's steps.
        let transaction = Transaction::new_unchecked(&store.connection, TransactionBehavior::Immediate)
            .map_err(store_error)?;
        let row = transaction
            .query_row(
                "SELECT id, day, events, state FROM runs JOIN guards ON run = id \
                 WHERE session = ?1 AND agent = ?2 AND source = ?3",
                (&key.session, &key.agent, &key.source),
                |row| {
                    let known = KnownRow { id: row.get(0)?, day: row.get(1)?, events: row.get(2)? };
                    Ok((known, row.get::<_, Option<String>>(3)?))
                },
            )
            .optional()
            .map_err(store_error)?;
        let (known, state) = row.map_or((None, None), |(known, state)| (Some(known), state));
        let state = state.map(rows::unpad_state);
        Ok(SqliteTransaction { store, transaction, key, folder, now, known, state })
    }

    /// Returns the id and the number of events of the run, and adds the run if it is new.
    fn run_row(&self, added: u64) -> Result<(i64, u64), StoreError> {
        let (now, today) = (self.now, self.now.div_euclid(DAY));
        if let Some(KnownRow { id, day, events }) = self.known {
            if day < today {
                self.transaction
                    .execute("UPDATE runs SET day = ?2 WHERE id = ?1", (id, today))
                    .map_err(store_error)?;
            }
            if events / CHECK_INTERVAL != (events + added) / CHECK_INTERVAL {
                // A run that goes on for weeks begins only once.
                prune(&self.transaction, self.store.options.limits, Some(id), now)?;
                trim_events(&self.transaction, id, events)?;
            }
            return Ok((id, events));
        }
        prune(&self.transaction, self.store.options.limits, None, now)?;
        let RunKey { source, session, agent } = &self.key;
        let sql = "INSERT INTO runs (source, session, agent, folder, started, day) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.transaction
            .execute(sql, (source, session, agent, &self.folder, now, today))
            .map_err(store_error)?;
        let id = self.transaction.last_insert_rowid();
        self.transaction
            .execute("INSERT INTO guards VALUES (?1, ?2, NULL, 0, NULL)", (id, now))
            .map_err(store_error)?;
        Ok((id, 0))
    }
}

impl RunTransaction for SqliteTransaction<'_> {
    fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    fn roadmap(&self) -> Result<Vec<RoadmapTask>, StoreError> {
        self.known.as_ref().map_or(Ok(Vec::new()), |known| roadmap(&self.transaction, known.id))
    }

    fn commit(self: Box<Self>, change: RunChange) -> Result<(), StoreError> {
        let (id, before) = self.run_row(change.events.len() as u64)?;
        let SqliteTransaction { store, transaction, now, key, .. } = *self;
        let (ended, events) = (change.ended.then_some(now), before + change.events.len() as u64);
        transaction
            .execute(
                "UPDATE guards SET seen = max(seen, ?2), ended = iif(?3 IS NULL, NULL, coalesce(ended, ?3)), \
                 events = ?4, state = coalesce(?5, state) WHERE run = ?1",
                (id, now, ended, events, change.state.map(rows::pad_state)),
            )
            .map_err(store_error)?;
        for (number, event) in (before + 1..).zip(&change.events) {
            let (kind, detail) = event.to_columns();
            transaction
                .execute("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5)", (id, number, now, kind, detail))
                .map_err(store_error)?;
        }
        rows::insert_records(&transaction, id, &change.records)?;
        if let Some(cost) = change.cost {
            let cost = SessionCost { session: key.session, part: key.agent, ..cost };
            spending::record(&transaction, &cost, now)?;
        }
        outbox_rows::add(&transaction, &change.unsent)?;
        // Nobody would ever read a change of a file that was removed or moved away.
        if !store.is_current() {
            return Err(StoreError::Replaced);
        }
        transaction.commit().map_err(store_error)?;
        // The id counts as well: otherwise short runs would never check.
        if (id.unsigned_abs() + events).is_multiple_of(LOG_CHECK_INTERVAL) {
            store.shorten_log();
        }
        Ok(())
    }
}
