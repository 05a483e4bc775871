//! The time that a hook may take. All limits are here.
//!
//! An agent waits for its hooks, so a hook that cannot finish in time lets the agent continue, and its step is queued. The time
//! is measured with a monotonic clock. It begins with the first byte of the event: before that, the agent is not waiting.

use std::time::{Duration, Instant};

/// Time for everything.
pub const WHOLE_TIME: Duration = Duration::from_secs(1);
/// Part of the time that is spent on waiting for other processes that use the store, as a divisor: 250 ms of a second.
const STORE_PART: u32 = 4;
/// Part of the time that is spent on reading a transcript, as a divisor.
const TRANSCRIPT_PART: u32 = 8;
/// Part of the time that is spent on recording events that waited, as a divisor.
const WAITING_PART: u32 = 2;
/// Part of the time after which no service is waited for, in eighths.
const SERVER_EIGHTHS: u32 = 5;
/// Part of the time that is left for queueing the step at the end, as a divisor.
const QUEUE_PART: u32 = 8;
/// Part of the time that is left for telling the user at the very end, as a divisor. A step that was not recorded must not be lost
/// in silence, and on a busy machine it takes a while until a thread can print.
const MESSAGE_PART: u32 = 8;
/// Time for [`HookLimit::end_process`] to show its message.
pub const MESSAGE_TIME: Duration = Duration::from_millis(WHOLE_TIME.as_millis() as u64 / MESSAGE_PART as u64);
/// Multiple of the time that a hook waits for the first byte of its event. A busy agent may take a while to write it, and must
/// not find the pipe closed.
const INPUT_MULTIPLE: u32 = 4;

/// The limit on the time of a hook, and the way to end the process if the limit is exceeded.
#[derive(Clone, Copy, Debug)]
pub struct HookLimit {
    /// Longest time of a hook: [`WHOLE_TIME`] unless the user has set another.
    pub time: Duration,
    /// Shows a message to people, within [`MESSAGE_TIME`], and ends the process with exit code 0. Called on another thread, while the one of the hook may
    /// be waiting for a disk.
    pub end_process: fn(&str),
}

/// The time that is left for one event. Without a limit there is always enough.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HookBudget {
    started: Option<(Instant, Duration)>,
}

impl HookBudget {
    /// Starts the time of an event.
    pub(crate) fn start(limit: Option<&HookLimit>) -> Self {
        HookBudget { started: limit.map(|limit| (Instant::now(), limit.time)) }
    }

    /// Returns the time after which a hook waits for no other process.
    pub(crate) fn store_deadline(&self) -> Option<Instant> {
        self.started.map(|(started, time)| started + time / STORE_PART)
    }

    /// Returns the time after which no service is waited for.
    pub(crate) fn server_deadline(&self) -> Option<Instant> {
        self.started.map(|(started, time)| started + time * SERVER_EIGHTHS / 8)
    }

    /// Returns the time after which no more events that waited are recorded.
    pub(crate) fn waiting_deadline(&self) -> Option<Instant> {
        self.started.map(|(started, time)| started + time / WAITING_PART)
    }

    /// Returns the time after which no more of a transcript is read.
    pub(crate) fn transcript_deadline(&self) -> Option<Instant> {
        self.started.map(|(started, time)| started + time / TRANSCRIPT_PART)
    }
}

impl HookLimit {
    /// Returns the time after which a hook without any input gives up.
    pub(crate) fn input_time(&self) -> Duration {
        self.time * INPUT_MULTIPLE
    }

    /// Returns the time after which the step is queued.
    pub(crate) fn handling_time(&self) -> Duration {
        self.time.saturating_sub(self.queue_time()).saturating_sub(self.time / MESSAGE_PART)
    }

    /// Returns the time for queueing the step.
    pub(crate) fn queue_time(&self) -> Duration {
        self.time / QUEUE_PART
    }
}

/// Returns whether a deadline has passed.
pub(crate) fn has_passed(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}
