//! Sends the steps that wait in the store, asks about actions, and leaves a service alone that does not answer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use loopbreak_store::{ServerBackoff, StepOutbox, StoreError};
use serde_json::Value;

use crate::server_client::ServerClient;
use crate::server_failure::{ServerFailure, is_paused};
use crate::server_options::{ServerOptions, ServerOptionsError};
use crate::server_verdict::{ServerRuling, ServerVerdict};

/// Largest number of steps of a request, and of their bytes.
const BATCH_STEPS: usize = 100;
const BATCH_BYTES: usize = 1024 * 1024;
/// Bytes of the first request after a failure. A large one may be what took too long.
const CAREFUL_BYTES: usize = 64 * 1024;

/// Talks to a service on behalf of processes that share a store.
#[derive(Clone, Debug)]
pub struct ServerLink {
    client: ServerClient,
}

/// The answers to steps by their keys.
pub type SentSteps = BTreeMap<String, ServerVerdict>;

/// The exchange with the service about one event of an agent. All of it has one deadline.
#[derive(Debug)]
pub struct ServerCall<'l> {
    link: &'l ServerLink,
    backoff: ServerBackoff,
    deadline: Instant,
    now: i64,
    failure: Option<ServerFailure>,
    is_paused: bool,
}

/// The end of one request with steps.
enum BatchEnd {
    /// No step waits.
    Empty,
    /// The service has taken them.
    Sent(SentSteps),
    /// The service cannot use one of them.
    Refused,
    /// The service did not answer.
    Failed,
}

impl ServerLink {
    /// Creates a link. Nothing is sent.
    pub fn new(options: ServerOptions) -> Result<Self, ServerOptionsError> {
        Ok(ServerLink { client: ServerClient::new(options)? })
    }

    /// Returns the service.
    pub fn options(&self) -> &ServerOptions {
        self.client.options()
    }

    /// Returns the client.
    pub fn client(&self) -> &ServerClient {
        &self.client
    }

    /// Returns the name under which the store keeps what is known about the service.
    pub fn server(&self) -> &str {
        self.options().address.as_str()
    }

    /// Begins a call that ends after the time of the options, and no later than `latest`. If the service has just failed, it is
    /// not asked.
    pub fn begin(
        &self,
        outbox: &dyn StepOutbox,
        now: i64,
        latest: Option<Instant>,
    ) -> Result<ServerCall<'_>, StoreError> {
        let backoff = outbox.state(self.server())?.backoff;
        let deadline = Instant::now() + self.options().timeout;
        let deadline = latest.map_or(deadline, |latest| deadline.min(latest));
        let is_paused = is_paused(&backoff, now);
        Ok(ServerCall { link: self, backoff, deadline, now, failure: None, is_paused })
    }

    /// Begins a call for a person who waits for it: the service is asked even if it has just failed.
    pub fn begin_for_person(&self, now: i64, time: Duration) -> ServerCall<'_> {
        let (backoff, deadline) = (ServerBackoff::default(), Instant::now() + time);
        ServerCall { link: self, backoff, deadline, now, failure: None, is_paused: false }
    }
}

impl ServerCall<'_> {
    /// Returns whether the service can be asked.
    pub fn is_open(&self) -> bool {
        !self.is_paused && self.failure.is_none()
    }

    /// Returns why the service did not answer, if it was asked.
    pub fn failure(&self) -> Option<&ServerFailure> {
        self.failure.as_ref()
    }

    /// Gives the call more time, for an event after which the agent does nothing more.
    pub fn extend(&mut self, deadline: Instant) {
        self.deadline = self.deadline.max(deadline);
    }

    /// Sends the steps of a run that wait, or those of all runs, the oldest first. Returns the answers if none waits any more,
    /// otherwise `None`: newer steps are never sent ahead of older ones.
    pub fn send(
        &mut self,
        outbox: &mut dyn StepOutbox,
        run: Option<&str>,
    ) -> Result<Option<SentSteps>, StoreError> {
        let (mut answers, mut batch) = (SentSteps::new(), BATCH_STEPS);
        let mut last_took = Duration::ZERO;
        // A request that cannot end in time would count as a failure of the service.
        while self.is_open() && self.left() >= last_took {
            let started = Instant::now();
            match self.send_batch(outbox, run, batch)? {
                BatchEnd::Empty => return Ok(Some(answers)),
                BatchEnd::Sent(sent) => {
                    // Nobody needs the answers to the steps of other runs.
                    answers.extend(sent.into_iter().filter(|_| run.is_some()));
                    batch = BATCH_STEPS;
                }
                BatchEnd::Refused => batch = 1,
                BatchEnd::Failed => break,
            }
            last_took = started.elapsed();
        }
        Ok(None)
    }

    /// Sends some steps of other runs that wait, if at least half of the time is left.
    pub fn send_rest(&mut self, outbox: &mut dyn StepOutbox) -> Result<(), StoreError> {
        let has_time = |call: &Self| call.is_open() && 2 * call.left() >= call.link.options().timeout;
        if has_time(self)
            && matches!(self.send_batch(outbox, None, BATCH_STEPS)?, BatchEnd::Refused)
            && has_time(self)
        {
            self.send_batch(outbox, None, 1)?;
        }
        Ok(())
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn send_batch(
        &mut self,
        outbox: &mut dyn StepOutbox,
        run: Option<&str>,
        batch: usize,
    ) -> Result<BatchEnd, StoreError> {
        let server = self.link.server();
        let bytes = if self.backoff.failures > 0 { CAREFUL_BYTES } else { BATCH_BYTES };
        let steps = outbox.waiting(server, run, batch, bytes)?;
        if steps.is_empty() {
            return Ok(BatchEnd::Empty);
        }
        match self.link.client.send(&steps, self.deadline) {
            Ok(verdicts) => {
                outbox.remove(server, &steps)?;
                self.backoff = ServerBackoff::default();
                let keys = steps.into_iter().map(|step| step.key);
                Ok(BatchEnd::Sent(keys.zip(verdicts).collect()))
            }
            Err(ServerFailure::Refused(_)) => {
                // One of several steps that cannot be used refuses all: they are sent one by one.
                if let [step] = steps.as_slice() {
                    outbox.refuse(server, step)?;
                }
                Ok(BatchEnd::Refused)
            }
            Err(failure) => self.fail(outbox, failure).map(|()| BatchEnd::Failed),
        }
    }

    /// Asks whether to take an action of a run, after its steps that wait were sent. `None` if there is no answer.
    pub fn weigh(
        &mut self,
        outbox: &mut dyn StepOutbox,
        run: &str,
        proposal: &Value,
    ) -> Result<Option<ServerRuling>, StoreError> {
        if self.send(outbox, Some(run))?.is_none() {
            return Ok(None);
        }
        let answer = self.link.client.weigh(proposal, self.deadline);
        self.take(outbox, answer)
    }

    /// Makes another call about a run, after its steps that wait were sent. `None` if there is no answer.
    pub fn ask(
        &mut self,
        outbox: &mut dyn StepOutbox,
        run: &str,
        path: &str,
        body: &Value,
    ) -> Result<Option<Value>, StoreError> {
        if self.send(outbox, Some(run))?.is_none() {
            return Ok(None);
        }
        let answer = self.link.client.call(path, body, self.deadline);
        self.take(outbox, answer)
    }

    fn take<T>(
        &mut self,
        outbox: &mut dyn StepOutbox,
        answer: Result<T, ServerFailure>,
    ) -> Result<Option<T>, StoreError> {
        match answer {
            Ok(answer) => {
                if self.backoff.failures > 0 {
                    self.backoff = ServerBackoff::default();
                    outbox.set_backoff(self.link.server(), &self.backoff)?;
                }
                Ok(Some(answer))
            }
            // The next question may be one that the service can use.
            Err(ServerFailure::Refused(_)) => Ok(None),
            Err(failure) => self.fail(outbox, failure).map(|()| None),
        }
    }

    /// Leaves the service alone for a while.
    fn fail(&mut self, outbox: &mut dyn StepOutbox, failure: ServerFailure) -> Result<(), StoreError> {
        self.backoff = failure.backoff(&self.backoff, self.now);
        self.failure = Some(failure);
        outbox.set_backoff(self.link.server(), &self.backoff)
    }
}
