//! Steps that have to be sent to servers: a row per step, and a row per server with the sums, so that no hook counts the steps.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior};

use super::store::{SqliteStore, clip_name};
use super::store_error;
use crate::step_outbox::MAX_UNSENT_BYTES;
use crate::{
    MAX_UNSENT_STEPS, NewUnsentStep, OutboxState, ServerBackoff, StepOutbox, Store as _, StoreError,
    UnsentStep,
};

/// Columns of a server, as [`read_state`] reads them.
const STATE_COLUMNS: &str = "server, waiting, bytes, dropped, refused, failures, retry_at, last_failure";

/// Adds steps. Drops the oldest ones if there are too many. Must be called in a transaction.
pub(super) fn add(connection: &Connection, steps: &[NewUnsentStep]) -> Result<(), StoreError> {
    for NewUnsentStep { server, run, key, step } in steps {
        let (server, bytes) = (clip_name(server), step.len() as u64);
        if bytes > MAX_UNSENT_BYTES {
            continue;
        }
        connection
            .prepare("INSERT INTO unsent_steps (server, run, key, step) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut insert| insert.execute((server, clip_name(run), clip_name(key), step)))
            .map_err(store_error)?;
        let sql = "INSERT INTO servers (server, waiting, bytes) VALUES (?1, 1, ?2) \
                   ON CONFLICT DO UPDATE SET waiting = waiting + 1, bytes = bytes + ?2";
        connection.execute(sql, (server, bytes)).map_err(store_error)?;
    }
    if !steps.is_empty() {
        drop_surplus(connection)?;
    }
    Ok(())
}

/// Drops the oldest steps as long as there are too many.
fn drop_surplus(connection: &Connection) -> Result<(), StoreError> {
    loop {
        let sql = "SELECT coalesce(sum(waiting), 0), coalesce(sum(bytes), 0) FROM servers";
        let (count, bytes): (u64, u64) =
            connection.query_row(sql, (), |row| Ok((row.get(0)?, row.get(1)?))).map_err(store_error)?;
        if count <= MAX_UNSENT_STEPS && bytes <= MAX_UNSENT_BYTES {
            return Ok(());
        }
        let sql = "SELECT id, server, octet_length(step) FROM unsent_steps ORDER BY id LIMIT 1";
        let oldest: Option<(i64, String, u64)> = connection
            .query_row(sql, (), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()
            .map_err(store_error)?;
        let Some((id, server, bytes)) = oldest else {
            // The sums are wrong, for example after a repair: nothing waits.
            return connection
                .execute_batch("UPDATE servers SET waiting = 0, bytes = 0")
                .map_err(store_error);
        };
        connection.execute("DELETE FROM unsent_steps WHERE id = ?1", (id,)).map_err(store_error)?;
        subtract(connection, &server, 1, bytes, "dropped = dropped + 1")?;
    }
}

/// Subtracts steps from the sums of their server, and makes another change of its row.
fn subtract(
    connection: &Connection,
    server: &str,
    count: u64,
    bytes: u64,
    change: &str,
) -> Result<(), StoreError> {
    let sql = format!(
        "UPDATE servers SET waiting = max(0, waiting - ?2), bytes = max(0, bytes - ?3), {change} WHERE server = ?1"
    );
    connection.execute(&sql, (server, count, bytes)).map_err(store_error)?;
    Ok(())
}

impl SqliteStore {
    fn change_outbox(
        &mut self,
        change: impl FnOnce(&Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.refresh()?;
        self.limit_waiting()?;
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
            .map_err(store_error)?;
        change(&transaction)?;
        if !self.is_current() {
            return Err(StoreError::Replaced);
        }
        transaction.commit().map_err(store_error)
    }

    fn take_steps(&mut self, server: &str, steps: &[UnsentStep], change: &str) -> Result<(), StoreError> {
        self.change_outbox(|connection| {
            let server = clip_name(server);
            let (mut count, mut bytes) = (0, 0);
            // SQLite may give the number of a removed step to a new one, which has another key.
            let sql = "DELETE FROM unsent_steps WHERE id = ?1 AND key = ?2 AND server = ?3";
            let mut delete = connection.prepare(sql).map_err(store_error)?;
            for step in steps {
                if delete.execute((step.id, clip_name(&step.key), server)).map_err(store_error)? > 0 {
                    count += 1;
                    bytes += step.step.len() as u64;
                }
            }
            if count == 0 { Ok(()) } else { subtract(connection, server, count, bytes, change) }
        })
    }
}

impl StepOutbox for SqliteStore {
    fn states(&self) -> Result<Vec<OutboxState>, StoreError> {
        let sql = format!("SELECT {STATE_COLUMNS} FROM servers ORDER BY server");
        let mut statement = self.connection.prepare(&sql).map_err(store_error)?;
        statement.query_map((), read_state).and_then(Iterator::collect).map_err(store_error)
    }

    fn state(&self, server: &str) -> Result<OutboxState, StoreError> {
        self.limit_waiting()?;
        let sql = format!("SELECT {STATE_COLUMNS} FROM servers WHERE server = ?1");
        let known = self.connection.query_row(&sql, (clip_name(server),), read_state).optional();
        let new = || OutboxState { server: server.to_owned(), ..OutboxState::default() };
        Ok(known.map_err(store_error)?.unwrap_or_else(new))
    }

    fn waiting(
        &self,
        server: &str,
        run: Option<&str>,
        limit: usize,
        bytes: usize,
    ) -> Result<Vec<UnsentStep>, StoreError> {
        self.limit_waiting()?;
        let of_run = if run.is_some() { "AND run = ?3" } else { "AND ?3 IS NULL" };
        let sql = format!(
            "SELECT id, run, key, step FROM unsent_steps WHERE server = ?1 {of_run} ORDER BY id LIMIT ?2"
        );
        let mut statement = self.connection.prepare(&sql).map_err(store_error)?;
        let mut rows =
            statement.query((clip_name(server), limit, run.map(clip_name))).map_err(store_error)?;
        let (mut steps, mut total): (Vec<UnsentStep>, usize) = (Vec::new(), 0);
        while let Some(row) = rows.next().map_err(store_error)? {
            let read = |row: &Row<'_>| {
                Ok(UnsentStep { id: row.get(0)?, run: row.get(1)?, key: row.get(2)?, step: row.get(3)? })
            };
            let step = read(row).map_err(store_error)?;
            total = total.saturating_add(step.step.len());
            if total > bytes && !steps.is_empty() {
                break;
            }
            steps.push(step);
        }
        Ok(steps)
    }

    fn remove(&mut self, server: &str, steps: &[UnsentStep]) -> Result<(), StoreError> {
        self.take_steps(server, steps, "failures = 0, retry_at = 0, last_failure = ''")
    }

    fn refuse(&mut self, server: &str, step: &UnsentStep) -> Result<(), StoreError> {
        self.take_steps(server, std::slice::from_ref(step), "refused = refused + 1")
    }

    fn set_backoff(&mut self, server: &str, backoff: &ServerBackoff) -> Result<(), StoreError> {
        self.change_outbox(|connection| {
            let sql =
                "INSERT INTO servers (server, failures, retry_at, last_failure) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT DO UPDATE SET failures = ?2, retry_at = ?3, last_failure = ?4";
            let ServerBackoff { failures, retry_at, last_failure } = backoff;
            let values = (clip_name(server), failures, retry_at, clip_name(last_failure));
            connection.execute(sql, values).map(|_| ()).map_err(store_error)
        })
    }
}

fn read_state(row: &Row<'_>) -> rusqlite::Result<OutboxState> {
    Ok(OutboxState {
        server: row.get(0)?,
        waiting: row.get(1)?,
        bytes: row.get(2)?,
        dropped: row.get(3)?,
        refused: row.get(4)?,
        backoff: ServerBackoff { failures: row.get(5)?, retry_at: row.get(6)?, last_failure: row.get(7)? },
    })
}
