//! The bodies of answers. An answer that is complete after a moment is sent as a whole: in parts, a client could wait for
//! the acknowledgement of the first before it gets the second.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use super::open_connections::{ConnectionPhase, ConnectionPlace};

/// Time for which the parts of an answer are gathered. An answer that takes longer is streamed.
const GATHER_TIME: Duration = Duration::from_secs(1);

/// A stream of bytes that does not fail.
pub(crate) type ByteStream = BoxBody<Bytes, Infallible>;

/// Body of an answer. When it is sent or given up, the connection is idle again.
#[derive(Debug)]
pub(crate) struct AnswerBody {
    first: Option<Bytes>,
    rest: Option<ByteStream>,
    place: Arc<ConnectionPlace>,
}

impl AnswerBody {
    /// Creates a body that is known as a whole.
    pub(crate) fn whole(bytes: impl Into<Bytes>, place: &Arc<ConnectionPlace>) -> Self {
        AnswerBody::new(Some(bytes.into()), None, place)
    }

    /// Creates the body of a stream, whose parts are sent as they come.
    pub(crate) fn stream(stream: ByteStream, place: &Arc<ConnectionPlace>) -> Self {
        AnswerBody::new(None, Some(stream), place)
    }

    /// Gathers the parts of a stream. If it does not end soon, the rest is sent as it comes.
    pub(crate) async fn gather(mut stream: ByteStream, place: &Arc<ConnectionPlace>) -> Self {
        let mut first = Vec::new();
        let until = Instant::now() + GATHER_TIME;
        loop {
            match timeout_at(until, stream.frame()).await {
                Err(_) => return AnswerBody::new(Some(first.into()), Some(stream), place),
                Ok(None) => return AnswerBody::new(Some(first.into()), None, place),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        first.extend_from_slice(&data);
                    }
                }
            }
        }
    }

    fn new(first: Option<Bytes>, rest: Option<ByteStream>, place: &Arc<ConnectionPlace>) -> Self {
        place.enter(ConnectionPhase::ReadsAnswer);
        let first = first.filter(|first| !first.is_empty());
        AnswerBody { first, rest, place: Arc::clone(place) }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        match &mut self.rest {
            Some(rest) => Pin::new(rest).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match self.rest {
            Some(_) => SizeHint::default(),
            None => SizeHint::with_exact(self.first.as_ref().map_or(0, Bytes::len) as u64),
        }
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.place.enter(ConnectionPhase::Idle);
    }
}
