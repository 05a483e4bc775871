//! MCP over standard input and output, for the client that started the program.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use loopbreak_client::ServerLink;
use rmcp::transport::io::stdio_pipes;
use tokio::runtime::Builder;

use super::stream::session;
use crate::http::wait_for_shutdown;
use crate::mcp::protocol::{McpOptions, McpServer, OwnRun, ServeEnd, ServeError};
use crate::mcp::state::{CallQueue, ConnectionKind, ConnectionRuns};

/// Serves the client on standard input and output until it leaves or the program is asked to end. Every step that was
/// reported until then is stored, and so is the end of its runs.
pub fn serve_stdio(options: McpOptions) -> Result<ServeEnd, ServeError> {
    serve_stdio_asking(options, None)
}

/// Does the same, and asks a service. If it answers in time, its verdicts and rulings are those of the tools.
pub fn serve_stdio_asking(options: McpOptions, link: Option<ServerLink>) -> Result<ServeEnd, ServeError> {
    // One thread for the protocol keeps the calls in order.
    let runtime = Builder::new_current_thread().enable_all().build().map_err(ServeError::Runtime)?;
    let own = OwnRun::of_connection(&options);
    let (queue, worker) = CallQueue::open_asking(options, link)?;
    let connection = ConnectionRuns::new(queue.clone(), ConnectionKind::Streams, Arc::default());
    let stopping = connection.stopping();
    let over = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        tokio::select! {
            over = session(McpServer::new(queue, connection, own), input, output) => over.map(|()| ServeEnd::Done),
            end = wait_for_shutdown() => {
                stopping.store(true, Ordering::Relaxed);
                Ok(end)
            }
        }
    });
    // A thread that still reads standard input must not block the end.
    runtime.shutdown_background();
    let _ = worker.join();
    over
}
