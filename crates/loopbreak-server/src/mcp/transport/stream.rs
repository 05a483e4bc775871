//! MCP over a pair of streams, for a program that has its own connection to a client.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use super::line_transport::LineTransport;
use crate::mcp::protocol::{McpOptions, McpServer, OwnRun, ServeError};
use crate::mcp::state::{CallQueue, ConnectionKind, ConnectionRuns};

/// Time in which the last answers have to be written.
const WRITE_TIME: Duration = Duration::from_secs(3);

/// Serves the client on a pair of streams until it leaves. Every step that was reported until then is stored.
///
/// Calls are handled in the order in which they arrive if the runtime has one thread.
pub async fn serve_stream<R, W>(options: McpOptions, input: R, output: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let own = OwnRun::of_connection(&options);
    let (queue, worker) = CallQueue::open(options)?;
    let connection = ConnectionRuns::new(queue.clone(), ConnectionKind::Streams, Arc::default());
    let over = session(McpServer::new(queue, connection, own), input, output).await;
    // The thread still writes the steps that are in the queue.
    let _ = tokio::task::spawn_blocking(move || worker.join()).await;
    over
}

/// Handles the messages of a client until it leaves.
pub(super) async fn session<R, W>(server: McpServer, input: R, output: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (transport, writer) = LineTransport::start(input, output);
    let over = match server.serve(transport).await {
        Ok(running) => {
            running.waiting().await.map(|_| ()).map_err(|error| ServeError::Connection(error.to_string()))
        }
        // The client left before it sent anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::Connection(error.to_string())),
    };
    // A client that reads nothing must not block the end.
    let _ = tokio::time::timeout(WRITE_TIME, writer).await;
    over
}
