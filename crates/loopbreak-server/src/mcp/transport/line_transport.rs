//! Messages as lines of JSON over a pair of streams. Unlike the transport of the protocol library, it answers lines that
//! are not messages, so that a client does not wait for ever, and passes over what comes before `initialize`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcRequest, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::json_line::{InvalidLine, parse_line};
use crate::mcp::protocol::input_limits::LINE_BYTES;

/// Largest number of errors about lines that wait to be written. A client that reads none of them gets no more.
const MAX_WAITING_ERRORS: usize = 64;

/// A line to write, and whom to tell when it is written.
struct OutgoingLine {
    bytes: Vec<u8>,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// Messages as lines over a pair of streams.
pub(super) struct LineTransport<R> {
    input: BufReader<R>,
    /// The part of a line that was read. Reading may be interrupted at any time and goes on here.
    line: Vec<u8>,
    /// The rest of a line that is too long is being skipped.
    skips_line: bool,
    has_ended: bool,
    /// The client has sent `initialize`.
    is_initialized: bool,
    output: Option<mpsc::UnboundedSender<OutgoingLine>>,
    waiting_errors: Arc<AtomicUsize>,
}

/// Result of reading a line.
enum LineRead {
    /// A line is complete.
    Line,
    /// A line is longer than [`LINE_BYTES`].
    TooLong,
    /// There are no more lines.
    End,
}

impl<R: AsyncRead + Send + Unpin> LineTransport<R> {
    /// Starts a task that writes the lines, which ends after the transport is dropped and everything is written.
    pub(super) fn start<W: AsyncWrite + Send + Unpin + 'static>(
        input: R,
        output: W,
    ) -> (Self, JoinHandle<()>) {
        let (sender, lines) = mpsc::unbounded_channel();
        let waiting_errors = Arc::new(AtomicUsize::new(0));
        let writer = tokio::spawn(write_lines(output, lines, Arc::clone(&waiting_errors)));
        let transport = LineTransport {
            input: BufReader::new(input),
            line: Vec::new(),
            skips_line: false,
            has_ended: false,
            is_initialized: false,
            output: Some(sender),
            waiting_errors,
        };
        (transport, writer)
    }

    async fn read_line(&mut self) -> LineRead {
        loop {
            if self.has_ended {
                return LineRead::End;
            }
            // A stream that fails has ended.
            let available = self.input.fill_buf().await.unwrap_or_default();
            if available.is_empty() {
                self.has_ended = true;
                // The last line may have no end.
                return if self.line.is_empty() { LineRead::End } else { LineRead::Line };
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let is_too_long = self.line.len() + taken > LINE_BYTES;
            if !self.skips_line && !is_too_long {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            match end {
                Some(_) if self.skips_line => self.skips_line = false,
                _ if self.skips_line => {}
                _ if is_too_long => {
                    self.line = Vec::new();
                    self.skips_line = end.is_none();
                    return LineRead::TooLong;
                }
                Some(_) => return LineRead::Line,
                None => {}
            }
        }
    }

    /// Answers a line that is not a message.
    fn reject(&self, error: ErrorData, id: Option<RequestId>) {
        let Some(output) = &self.output else { return };
        if self.waiting_errors.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING_ERRORS {
            self.waiting_errors.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let bytes = to_line(&ServerJsonRpcMessage::error(error, id));
        let _ = output.send(OutgoingLine { bytes, written: None });
    }

    /// Returns whether a message may be passed on. The protocol library gives up if a client begins with anything but a
    /// request.
    fn is_expected(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            ClientJsonRpcMessage::Request(JsonRpcRequest {
                request: ClientRequest::InitializeRequest(_),
                ..
            }) => {
                self.is_initialized = true;
                true
            }
            ClientJsonRpcMessage::Request(_) => true,
            _ => self.is_initialized,
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (written, is_written) = oneshot::channel();
        let line = OutgoingLine { bytes: to_line(&item), written: Some(written) };
        let sent = self.output.as_ref().is_some_and(|output| output.send(line).is_ok());
        async move {
            let closed = || io::Error::new(io::ErrorKind::NotConnected, "the connection is closed");
            if !sent {
                return Err(closed());
            }
            is_written.await.map_err(|_| closed())?
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            match self.read_line().await {
                LineRead::End => return None,
                LineRead::TooLong => {
                    let text = format!("The line has more than {LINE_BYTES} bytes");
                    self.reject(ErrorData::invalid_request(text, None), None);
                }
                LineRead::Line => {
                    let line = std::mem::take(&mut self.line);
                    match parse_line(&line) {
                        Ok(Some(message)) if self.is_expected(&message) => return Some(message),
                        Ok(_) => {}
                        // A part of a line, after which the client left.
                        Err(_) if self.has_ended => {}
                        Err(InvalidLine { error, id }) => self.reject(error, id),
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output = None;
        Ok(())
    }
}

fn to_line(message: &ServerJsonRpcMessage) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

async fn write_lines<W: AsyncWrite + Unpin>(
    mut output: W,
    mut lines: mpsc::UnboundedReceiver<OutgoingLine>,
    waiting_errors: Arc<AtomicUsize>,
) {
    while let Some(line) = lines.recv().await {
        let result = async {
            output.write_all(&line.bytes).await?;
            output.flush().await
        };
        let result = result.await;
        match line.written {
            Some(written) => drop(written.send(result)),
            None => drop(waiting_errors.fetch_sub(1, Ordering::Relaxed)),
        }
    }
}
