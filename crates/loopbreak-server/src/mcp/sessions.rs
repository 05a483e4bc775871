//! The sessions of clients over HTTP. Clients that are started again and again leave theirs open, so there is a bound:
//! beyond it, the one that was silent for longest is closed. Who comes back to it is told so, and opens another.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use rmcp::transport::streamable_http_server::SessionManager as _;
use rmcp::transport::streamable_http_server::session::SessionId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::sync::Mutex;

/// How many sessions are open at most.
const OPEN: usize = 1000;
/// For how long a session may be silent. An agent may think, or wait for a human, for hours.
const SILENCE: Duration = Duration::from_hours(12);
/// The header in which clients and server name a session.
const HEADER: &str = "mcp-session-id";

/// The open sessions. Clones see the same ones.
#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    open: Arc<LocalSessionManager>,
    /// The one that was silent for longest comes first.
    used: Arc<Mutex<VecDeque<SessionId>>>,
    most: usize,
}

impl Default for Sessions {
    fn default() -> Self {
        let mut open = LocalSessionManager::default();
        open.session_config.keep_alive = Some(SILENCE);
        Sessions { open: Arc::new(open), used: Arc::default(), most: OPEN }
    }
}

impl Sessions {
    /// Who opens and ends them.
    pub(crate) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.open)
    }

    /// The session that a request or an answer names.
    pub(crate) fn named(headers: &HeaderMap) -> Option<SessionId> {
        Some(headers.get(HEADER)?.to_str().ok()?.into())
    }

    /// Takes note that a session was used just now, or opened.
    pub(crate) async fn note(&self, id: SessionId) {
        let mut used = self.used.lock().await;
        used.retain(|other| *other != id);
        used.push_back(id);
        if used.len() <= self.most {
            return;
        }
        // Those that ended by themselves, or never were, take no room.
        let open = self.open.sessions.read().await;
        used.retain(|id| open.contains_key(id));
        drop(open);
        while used.len() > self.most
            && let Some(silent) = used.pop_front()
        {
            // One that ended meanwhile is as good as closed.
            let _ = self.open.close_session(&silent).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_that_was_silent_for_longest_makes_room() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let sessions = Sessions { most: 3, ..Sessions::default() };
            let mut opened = Vec::new();
            for _ in 0..3 {
                opened.push(sessions.open.create_session().await.unwrap());
                sessions.note(Arc::clone(&opened.last().unwrap().0)).await;
            }
            sessions.note(Arc::clone(&opened[0].0)).await;
            for invented in ["a", "b", "c", "d"] {
                sessions.note(invented.into()).await;
            }
            assert_eq!(sessions.open.sessions.read().await.len(), 3, "what is invented closes nothing");
            opened.push(sessions.open.create_session().await.unwrap());
            sessions.note(Arc::clone(&opened[3].0)).await;
            let mut left = Vec::new();
            for (id, _) in &opened {
                left.push(sessions.open.has_session(id).await.unwrap());
            }
            assert_eq!(left, [true, false, true, true]);
            assert_eq!(sessions.used.lock().await.len(), 3);
        });
    }
}
