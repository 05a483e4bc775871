//! MCP over standard input and output, for the client that started the program.

use rmcp::ServiceExt as _;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::runtime::Builder;

use super::shutdown_signal::wait_for_shutdown;
use crate::mcp::protocol::input_limits::LINE_BYTES;
use crate::mcp::protocol::{McpOptions, McpServer, OwnRun, ServeEnd, ServeError};
use crate::mcp::state::CallQueue;

/// Serves the client on standard input and output until it leaves or the program is asked to end. Every step that was
/// reported until then is stored.
pub fn serve(options: McpOptions) -> Result<ServeEnd, ServeError> {
    // One thread for the protocol keeps the calls in order.
    let runtime = Builder::new_current_thread().enable_all().build().map_err(ServeError::Runtime)?;
    let own = options
        .run
        .clone()
        .unwrap_or_else(|| format!("mcp-{:x}-{}", loopbreak_store::now(), std::process::id()));
    let (queue, worker) = CallQueue::open(options)?;
    let over = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LINE_BYTES);
        let server = McpServer::new(queue, OwnRun::Named(own));
        tokio::select! {
            over = session(server, transport) => over.map(|()| ServeEnd::Done),
            end = wait_for_shutdown() => Ok(end),
        }
    });
    // A thread that still reads standard input must not block the end.
    runtime.shutdown_background();
    let _ = worker.join();
    over
}

async fn session<R, W>(
    server: McpServer,
    transport: AsyncRwTransport<rmcp::RoleServer, R, W>,
) -> Result<(), ServeError>
where
    R: tokio::io::AsyncRead + Send + Unpin + 'static,
    W: tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    match server.serve(transport).await {
        Ok(running) => {
            running.waiting().await.map_err(|error| ServeError::Connection(error.to_string()))?;
            Ok(())
        }
        // The client left before it sent anything.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::Connection(error.to_string())),
    }
}
