//! MCP over standard input and output: one client, which started us.

use rmcp::ServiceExt as _;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::runtime::Builder;

use super::desk::Desk;
use super::limits::LINE_BYTES;
use super::server::{End, Options, OwnRun, ServeError, Server};
use super::signal::asked_to_end;

/// Serves the client at the other end of standard input and output until it leaves, or the program is asked to end. All
/// that was told until then is kept.
pub fn serve(options: Options) -> Result<End, ServeError> {
    // One thread for the protocol: so calls are handed in in the order in which they came.
    let runtime = Builder::new_current_thread().enable_all().build().map_err(ServeError::Runtime)?;
    let own = options
        .run
        .clone()
        .unwrap_or_else(|| format!("mcp-{:x}-{}", loopbreak_store::now(), std::process::id()));
    let (desk, worker) = Desk::open(options)?;
    let over = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LINE_BYTES);
        let server = Server::new(desk, OwnRun::Named(own));
        tokio::select! {
            over = session(server, transport) => over.map(|()| End::Done),
            end = asked_to_end() => Ok(end),
        }
    });
    // Whoever still reads from standard input is not waited for.
    runtime.shutdown_background();
    let _ = worker.join();
    over
}

async fn session<R, W>(
    server: Server,
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
        // It left before it said anything: there is nobody to complain to.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::Connection(error.to_string())),
    }
}
