//! Signals that end the program.

use crate::mcp::protocol::ServeEnd;

/// Waits until the program is asked to end, and returns the reason.
pub(crate) async fn wait_for_shutdown() -> ServeEnd {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => ServeEnd::Interrupted,
        () = terminate => ServeEnd::Done,
    }
}
