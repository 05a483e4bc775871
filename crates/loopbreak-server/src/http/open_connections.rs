//! The open connections of the HTTP server. There is a limit, because every connection takes a file. Beyond it, the
//! connection that is of least use is closed for the new one, so that nobody can keep others out by opening many.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Time for which a new or idle connection is spared: a client sends its request right after it has connected.
const SPARED_TIME: Duration = Duration::from_secs(1);

/// Activity of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionPhase {
    /// It has not sent the head of a request yet.
    New,
    /// It waits for the next request.
    Idle,
    /// It sends the body of a request.
    SendsBody,
    /// It reads an answer, which may be a stream without an end.
    ReadsAnswer,
    /// Its call is being carried out.
    Waits,
}

/// The open connections. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct OpenConnections {
    table: Arc<Mutex<ConnectionTable>>,
    limit: usize,
    spared_time: Duration,
}

#[derive(Debug, Default)]
struct ConnectionTable {
    last: u64,
    /// The oldest connection comes first.
    open: BTreeMap<u64, OpenConnection>,
}

#[derive(Debug)]
struct OpenConnection {
    phase: ConnectionPhase,
    since: Instant,
    close: CancellationToken,
}

/// A place among the open connections. Dropping it frees the place.
#[derive(Debug)]
pub(crate) struct ConnectionPlace {
    connections: OpenConnections,
    number: u64,
    close: CancellationToken,
}

impl OpenConnections {
    pub(crate) fn new(limit: usize) -> Self {
        OpenConnections { table: Arc::default(), limit: limit.max(1), spared_time: SPARED_TIME }
    }

    fn table(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a new connection. If there is none, another connection is closed for it. Returns `None` if all
    /// others have calls that are being carried out.
    pub(crate) fn admit(&self) -> Option<ConnectionPlace> {
        let mut table = self.table();
        if table.open.len() >= self.limit {
            let number = table.least_useful(self.spared_time)?;
            if let Some(closed) = table.open.remove(&number) {
                closed.close.cancel();
            }
        }
        table.last += 1;
        let (number, close) = (table.last, CancellationToken::new());
        let connection =
            OpenConnection { phase: ConnectionPhase::New, since: Instant::now(), close: close.clone() };
        table.open.insert(number, connection);
        drop(table);
        Some(ConnectionPlace { connections: self.clone(), number, close })
    }
}

impl ConnectionTable {
    /// Returns the connection to close first: the oldest of those that wait for a request, then of those that send a
    /// body, then of those that read an answer.
    fn least_useful(&self, spared_time: Duration) -> Option<u64> {
        let rank = |connection: &OpenConnection| match connection.phase {
            ConnectionPhase::New | ConnectionPhase::Idle if connection.since.elapsed() < spared_time => {
                Some(2)
            }
            ConnectionPhase::New => Some(0),
            ConnectionPhase::Idle => Some(1),
            ConnectionPhase::SendsBody => Some(2),
            ConnectionPhase::ReadsAnswer => Some(3),
            ConnectionPhase::Waits => None,
        };
        let ranked = self.open.iter().filter_map(|(number, connection)| Some((rank(connection)?, *number)));
        ranked.min().map(|(_, number)| number)
    }
}

impl ConnectionPlace {
    /// Records what the connection is doing now.
    pub(crate) fn enter(&self, phase: ConnectionPhase) {
        if let Some(connection) = self.connections.table().open.get_mut(&self.number) {
            (connection.phase, connection.since) = (phase, Instant::now());
        }
    }

    /// Returns whether the connection has sent the head of a request.
    pub(crate) fn has_sent_head(&self) -> bool {
        let table = self.connections.table();
        table.open.get(&self.number).is_some_and(|connection| connection.phase != ConnectionPhase::New)
    }

    /// Waits until the place is taken away.
    pub(crate) async fn lost(&self) {
        self.close.cancelled().await;
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.connections.table().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills all places with connections in these phases, and returns which one is closed for a new one.
    fn closed(phases: &[ConnectionPhase], spared_time: Duration) -> Option<usize> {
        let connections = OpenConnections { spared_time, ..OpenConnections::new(phases.len()) };
        let places: Vec<ConnectionPlace> = phases.iter().map(|_| connections.admit().unwrap()).collect();
        for (place, phase) in places.iter().zip(phases) {
            place.enter(*phase);
        }
        let new = connections.admit();
        let closed = places.iter().position(|place| place.close.is_cancelled());
        assert_eq!(new.is_some(), closed.is_some(), "a place is free if and only if a connection was closed");
        drop(new);
        assert_eq!(connections.table().open.len(), places.len() - usize::from(closed.is_some()));
        drop(places);
        assert!(connections.table().open.is_empty());
        closed
    }

    #[test]
    fn the_connection_of_least_use_is_closed_for_a_new_one() {
        use ConnectionPhase::{Idle, New, ReadsAnswer, SendsBody, Waits};
        let later = Duration::ZERO;
        assert_eq!(
            closed(&[Idle, New, New], later),
            Some(1),
            "half-open connections go first, the oldest of them"
        );
        assert_eq!(closed(&[SendsBody, ReadsAnswer, Idle], later), Some(2));
        assert_eq!(closed(&[Waits, ReadsAnswer, SendsBody], later), Some(2));
        assert_eq!(closed(&[Waits, ReadsAnswer], later), Some(1));
        assert_eq!(closed(&[Waits, Waits], later), None, "a call that is carried out is never cut off");
    }

    #[test]
    fn a_client_that_has_just_connected_is_not_closed_for_the_next_one() {
        use ConnectionPhase::{New, SendsBody};
        assert_eq!(closed(&[SendsBody, SendsBody, New], Duration::from_hours(1)), Some(0));
        assert_eq!(closed(&[New, New, New], Duration::from_hours(1)), Some(0));
    }
}
