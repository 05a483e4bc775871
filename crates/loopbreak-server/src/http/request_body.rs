//! Reads the bodies of requests: each within a time and a size, and all together within a budget of memory.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::mcp::protocol::input_limits::MESSAGE_BYTES;

/// Time in which a body has to arrive as a whole.
const BODY_TIME: Duration = Duration::from_secs(30);
/// Number of bytes of all bodies that are being read or handled, without the first bytes of each.
const BUDGET_BYTES: usize = 64 * 1024 * 1024;
/// Number of bytes of each body that do not count, so that usual requests pass while others send large bodies.
const FREE_BYTES: usize = 64 * 1024;

/// Reason why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyRefusal {
    /// It has more than [`MESSAGE_BYTES`] bytes.
    TooLarge,
    /// It did not arrive in time.
    TooSlow,
    /// The bodies of all requests together are too large.
    NoRoom,
    /// The connection failed.
    Broken,
}

/// The memory for bodies. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct BodyBudget {
    free: Arc<Semaphore>,
    time: Duration,
}

/// A body, with its share of the budget. Dropping it returns the share.
#[derive(Debug)]
pub(crate) struct RequestBody {
    pub(crate) bytes: Bytes,
    share: Option<OwnedSemaphorePermit>,
}

impl Default for BodyBudget {
    fn default() -> Self {
        BodyBudget { free: Arc::new(Semaphore::new(BUDGET_BYTES)), time: BODY_TIME }
    }
}

impl BodyBudget {
    /// Reads a body.
    pub(crate) async fn read<B: Body<Data = Bytes> + Unpin>(
        &self,
        body: B,
    ) -> Result<RequestBody, BodyRefusal> {
        let read = tokio::time::timeout(self.time, self.collect(body)).await;
        read.unwrap_or(Err(BodyRefusal::TooSlow))
    }

    async fn collect<B: Body<Data = Bytes> + Unpin>(&self, mut body: B) -> Result<RequestBody, BodyRefusal> {
        let mut bytes = Vec::new();
        let mut share: Option<OwnedSemaphorePermit> = None;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| BodyRefusal::Broken)?.into_data() else { continue };
            let length = bytes.len() + data.len();
            if length > MESSAGE_BYTES {
                return Err(BodyRefusal::TooLarge);
            }
            // The buffer doubles as it grows.
            let needed = length.next_power_of_two().saturating_sub(FREE_BYTES);
            let missing = needed.saturating_sub(share.as_ref().map_or(0, OwnedSemaphorePermit::num_permits));
            if missing > 0 {
                let more = Arc::clone(&self.free).try_acquire_many_owned(missing as u32);
                let more = more.map_err(|_| BodyRefusal::NoRoom)?;
                match &mut share {
                    Some(share) => share.merge(more),
                    None => share = Some(more),
                }
            }
            bytes.extend_from_slice(&data);
        }
        Ok(RequestBody { bytes: bytes.into(), share })
    }
}

impl RequestBody {
    /// Returns the bytes, and the share of the budget, which has to be kept as long as the bytes.
    pub(crate) fn into_parts(self) -> (Bytes, Option<OwnedSemaphorePermit>) {
        (self.bytes, self.share)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http_body_util::Full;
    use hyper::body::Frame;

    use super::*;

    /// A body that sends some bytes and then nothing more.
    struct StalledBody(Option<Bytes>);

    impl Body for StalledBody {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.0.take().map_or(Poll::Pending, |bytes| Poll::Ready(Some(Ok(Frame::data(bytes)))))
        }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(future)
    }

    fn full(bytes: usize) -> Full<Bytes> {
        Full::new(vec![b'x'; bytes].into())
    }

    #[test]
    fn a_body_that_does_not_arrive_is_given_up() {
        let budget = BodyBudget { time: Duration::from_millis(50), ..BodyBudget::default() };
        let refusal = block_on(budget.read(StalledBody(Some(vec![b'x'; 1 << 20].into())))).unwrap_err();
        assert_eq!(refusal, BodyRefusal::TooSlow);
        assert_eq!(budget.free.available_permits(), BUDGET_BYTES);
    }

    #[test]
    fn large_bodies_share_a_budget_and_small_ones_always_pass() {
        let budget = BodyBudget { free: Arc::new(Semaphore::new(8 << 20)), time: BODY_TIME };
        block_on(async {
            let mut kept = Vec::new();
            while let Ok(body) = budget.read(full(3 << 20)).await {
                kept.push(body);
            }
            assert_eq!(kept.len(), 2, "two of four megabytes each fit into eight");
            assert_eq!(budget.read(full(3 << 20)).await.unwrap_err(), BodyRefusal::NoRoom);
            assert_eq!(budget.read(full(FREE_BYTES)).await.unwrap().bytes.len(), FREE_BYTES);
            drop(kept);
            assert!(budget.read(full(3 << 20)).await.is_ok(), "what was handled is free again");
        });
    }

    #[test]
    fn the_largest_body_is_that_of_a_message() {
        let budget = BodyBudget::default();
        assert!(block_on(budget.read(full(MESSAGE_BYTES))).is_ok());
        assert_eq!(block_on(budget.read(full(MESSAGE_BYTES + 1))).unwrap_err(), BodyRefusal::TooLarge);
    }
}
