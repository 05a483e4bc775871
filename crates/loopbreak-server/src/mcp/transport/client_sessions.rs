//! Sessions of clients over HTTP. Clients that are restarted leave theirs open, so there is a limit: beyond it, the
//! session that was idle for the longest time is closed. A client that returns to it gets an error and opens a new one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use hyper::HeaderMap;
use rmcp::transport::streamable_http_server::SessionManager as _;
use rmcp::transport::streamable_http_server::session::SessionId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::sync::Mutex;

/// Largest number of open sessions.
const MAX_OPEN: usize = 1000;
/// Longest time that a session may be idle. An agent may think, or wait for a human, for hours.
pub(super) const MAX_IDLE: Duration = Duration::from_hours(12);
/// Time for which an answer is kept for a client that lost its connection.
const ANSWER_TIME: Duration = Duration::from_secs(2);
/// Header in which clients and server name a session.
const HEADER: &str = "mcp-session-id";

/// The open sessions. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct ClientSessions {
    open: Arc<LocalSessionManager>,
    /// The session that was idle for the longest time comes first.
    used: Arc<Mutex<VecDeque<SessionId>>>,
    limit: usize,
}

impl Default for ClientSessions {
    fn default() -> Self {
        let mut open = LocalSessionManager::default();
        open.session_config.keep_alive = Some(MAX_IDLE);
        open.session_config.completed_cache_ttl = ANSWER_TIME;
        ClientSessions { open: Arc::new(open), used: Arc::default(), limit: MAX_OPEN }
    }
}

impl ClientSessions {
    /// Returns the manager that opens and closes sessions.
    pub(crate) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.open)
    }

    /// Returns the session id in the headers of a request or a response.
    pub(crate) fn id_in(headers: &HeaderMap) -> Option<SessionId> {
        Some(headers.get(HEADER)?.to_str().ok()?.into())
    }

    /// Records that a session was opened or used.
    pub(crate) async fn touch(&self, id: SessionId) {
        let mut used = self.used.lock().await;
        used.retain(|other| *other != id);
        used.push_back(id);
        if used.len() <= self.limit {
            return;
        }
        // Sessions that have ended or never existed do not count.
        let open = self.open.sessions.read().await;
        used.retain(|id| open.contains_key(id));
        drop(open);
        while used.len() > self.limit
            && let Some(idle) = used.pop_front()
        {
            // It may have ended in the meantime.
            let _ = self.open.close_session(&idle).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_that_was_idle_longest_is_closed() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let sessions = ClientSessions { limit: 3, ..ClientSessions::default() };
            let mut opened = Vec::new();
            for _ in 0..3 {
                opened.push(sessions.open.create_session().await.unwrap());
                sessions.touch(Arc::clone(&opened.last().unwrap().0)).await;
            }
            sessions.touch(Arc::clone(&opened[0].0)).await;
            for unknown in ["a", "b", "c", "d"] {
                sessions.touch(unknown.into()).await;
            }
            assert_eq!(sessions.open.sessions.read().await.len(), 3, "unknown ids close no session");
            opened.push(sessions.open.create_session().await.unwrap());
            sessions.touch(Arc::clone(&opened[3].0)).await;
            let mut left = Vec::new();
            for (id, _) in &opened {
                left.push(sessions.open.has_session(id).await.unwrap());
            }
            assert_eq!(left, [true, false, true, true]);
            assert_eq!(sessions.used.lock().await.len(), 3);
        });
    }
}
