//! Clients that send the steps of many runs, one step of a run after the other, and send them again after a failure with the same
//! ids, as a client of the service should.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::http_connection::{HttpConnection, ServedReply};
use super::latency_figures::LatencyFigures;
use super::run_script::RunScript;
use super::served_instance::owner_connection;

/// Pause of a client after a connection failed.
const FAILED_PAUSE: Duration = Duration::from_millis(100);
/// Pause of a worker that finds no run to send.
const IDLE_PAUSE: Duration = Duration::from_millis(2);
/// Time for which a server that did not answer is left alone, if there is another one.
const SILENT_TIME: Duration = Duration::from_secs(5);
/// Number of problems that are kept.
const MAX_PROBLEMS: usize = 50;

/// The size and the pace of the traffic.
#[derive(Clone, Debug)]
pub(super) struct TrafficPlan {
    /// Name that the runs begin with.
    pub(super) group: String,
    pub(super) seed: u64,
    /// Number of runs that are under way at the same time.
    pub(super) active: usize,
    /// Most runs that may be under way while others cannot be sent.
    pub(super) waiting: usize,
    /// Number of runs in all; without one, until it is told to finish.
    pub(super) runs: Option<usize>,
    /// Fewest and most steps of a run.
    pub(super) steps: (usize, usize),
    /// Most steps of a request.
    pub(super) batch: usize,
    /// Number of connections.
    pub(super) workers: usize,
    /// Pause of a worker between two requests.
    pub(super) pause: Duration,
    /// Longest time that a client waits for an answer.
    pub(super) patience: Duration,
}

/// The servers that clients know. A run stays with one until that fails.
#[derive(Debug, Default)]
pub(super) struct ServerList {
    addresses: RwLock<Vec<SocketAddr>>,
    /// Servers that did not answer, and when that was seen.
    silent: Mutex<BTreeMap<usize, Instant>>,
}

/// A run with what was acknowledged of it.
#[derive(Clone, Debug)]
pub(super) struct SentRun {
    pub(super) script: RunScript,
    /// The answers to the steps, in their order.
    pub(super) answers: Vec<Value>,
    /// Position of the server in the list.
    server: usize,
    not_before: Option<Instant>,
    is_sent_again: bool,
}

/// Figures of the clients.
#[derive(Debug, Default)]
pub(super) struct TrafficFigures {
    pub(super) acknowledged: u64,
    /// Answers to steps that had been sent before.
    pub(super) sent_again: u64,
    pub(super) busy: u64,
    pub(super) unavailable: u64,
    /// Connections that broke, or answers that did not come in time.
    pub(super) broken: u64,
    /// The time of the last acknowledged request, per server.
    pub(super) last_acknowledged: Option<Instant>,
    pub(super) latency: LatencyFigures,
    /// Answers that were not as promised.
    pub(super) problems: Vec<String>,
}

/// Traffic that is under way.
pub(super) struct RunTraffic<'t> {
    plan: TrafficPlan,
    servers: &'t ServerList,
    ready: Mutex<VecDeque<SentRun>>,
    next: AtomicUsize,
    under_way: AtomicUsize,
    done: Mutex<Vec<SentRun>>,
    figures: Mutex<TrafficFigures>,
    acknowledged: AtomicU64,
    finishing: AtomicBool,
    given_up: AtomicBool,
}

impl ServerList {
    pub(super) fn new(servers: Vec<SocketAddr>) -> Self {
        ServerList { addresses: RwLock::new(servers), silent: Mutex::default() }
    }

    /// A server that was started again has another address.
    pub(super) fn replace(&self, number: usize, address: SocketAddr) {
        if let Some(server) = self.addresses.write().unwrap_or_else(PoisonError::into_inner).get_mut(number) {
            *server = address;
        }
    }

    /// Returns the server of a run, or the next one if that has not answered lately.
    fn choose(&self, number: &mut usize) -> Option<SocketAddr> {
        let count = self.addresses.read().unwrap_or_else(PoisonError::into_inner).len().max(1);
        let is_silent = |number: usize| {
            lock(&self.silent).get(&(number % count)).is_some_and(|seen| seen.elapsed() < SILENT_TIME)
        };
        if is_silent(*number) && !is_silent(*number + 1) {
            *number += 1;
        }
        self.get(*number)
    }

    /// Notes that a server did not answer.
    fn note_silence(&self, number: usize) {
        let count = self.addresses.read().unwrap_or_else(PoisonError::into_inner).len().max(1);
        lock(&self.silent).insert(number % count, Instant::now());
    }

    fn get(&self, number: usize) -> Option<SocketAddr> {
        let servers = self.addresses.read().unwrap_or_else(PoisonError::into_inner);
        servers.get(number % servers.len().max(1)).copied()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends traffic while `faults` does something, then lets the clients send what is left of their runs for at most a time.
/// Returns what `faults` returned, the runs, and what the clients saw.
pub(super) fn with_traffic<T>(
    plan: TrafficPlan,
    servers: &ServerList,
    rest: Duration,
    faults: impl FnOnce(&RunTraffic<'_>) -> T,
) -> (T, Vec<SentRun>, TrafficFigures) {
    let traffic = RunTraffic {
        servers,
        ready: Mutex::default(),
        next: AtomicUsize::new(0),
        under_way: AtomicUsize::new(0),
        done: Mutex::default(),
        figures: Mutex::default(),
        acknowledged: AtomicU64::new(0),
        finishing: AtomicBool::new(false),
        given_up: AtomicBool::new(false),
        plan,
    };
    for _ in 0..traffic.plan.active {
        traffic.add_run();
    }
    let done = thread::scope(|scope| {
        for _ in 0..traffic.plan.workers {
            scope.spawn(|| traffic.work());
        }
        let done = faults(&traffic);
        traffic.finishing.store(true, Ordering::Relaxed);
        let finishing = Instant::now();
        while traffic.under_way.load(Ordering::Relaxed) > 0 && finishing.elapsed() < rest {
            thread::sleep(IDLE_PAUSE);
        }
        traffic.given_up.store(true, Ordering::Relaxed);
        done
    });
    let unfinished = traffic.under_way.load(Ordering::Relaxed);
    let mut figures = std::mem::take(&mut *lock(&traffic.figures));
    if unfinished > 0 {
        figures.problems.push(format!("{unfinished} runs could not be finished within {} s", rest.as_secs()));
    }
    let mut runs = std::mem::take(&mut *lock(&traffic.done));
    runs.extend(lock(&traffic.ready).drain(..));
    (done, runs, figures)
}

#[cfg(test)]
impl SentRun {
    /// Returns a run of which nothing was sent.
    pub(super) fn example(script: RunScript) -> Self {
        SentRun { script, answers: Vec::new(), server: 0, not_before: None, is_sent_again: false }
    }
}

impl RunTraffic<'_> {
    /// Returns the number of steps that were acknowledged so far.
    pub(super) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Returns whether all runs are finished.
    pub(super) fn is_done(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) == 0
    }

    /// Waits for an answer that comes after now, and returns how long that took.
    pub(super) fn next_answer(&self, longest: Duration) -> Option<Duration> {
        let (asked, before) = (Instant::now(), self.acknowledged());
        while asked.elapsed() < longest {
            if self.acknowledged() > before {
                return Some(asked.elapsed());
            }
            thread::sleep(IDLE_PAUSE);
        }
        None
    }

    fn add_run(&self) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if self.plan.runs.is_some_and(|runs| number >= runs) {
            return;
        }
        let script = RunScript::new(&self.plan.group, number, self.plan.seed, self.plan.steps);
        self.under_way.fetch_add(1, Ordering::Relaxed);
        lock(&self.ready).push_back(SentRun {
            script,
            answers: Vec::new(),
            server: number,
            not_before: None,
            is_sent_again: false,
        });
    }

    fn next_run(&self) -> Option<SentRun> {
        let mut ready = lock(&self.ready);
        let now = Instant::now();
        let place = ready.iter().position(|run| run.not_before.is_none_or(|time| time <= now))?;
        ready.remove(place)
    }

    /// Returns whether nothing is left to do, or no time to do it.
    fn may_leave(&self) -> bool {
        self.given_up.load(Ordering::Relaxed) || (self.finishing.load(Ordering::Relaxed) && self.is_done())
    }

    /// Puts a run back after a request. Another one takes the place of one that is finished.
    fn put_back(&self, run: SentRun) {
        if run.answers.len() < run.script.steps {
            lock(&self.ready).push_back(run);
            return;
        }
        lock(&self.done).push(run);
        if !self.finishing.load(Ordering::Relaxed) {
            self.add_run();
        }
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }

    fn work(&self) {
        let mut connections: Vec<HttpConnection> = Vec::new();
        let mut latency = LatencyFigures::default();
        while !self.may_leave() {
            if let Some(mut run) = self.next_run() {
                self.send(&mut run, &mut connections, &mut latency);
                self.put_back(run);
                thread::sleep(self.plan.pause);
            } else {
                // Runs of a server that was killed wait for the end of its leases. Others keep up the load.
                if self.plan.runs.is_none()
                    && !self.finishing.load(Ordering::Relaxed)
                    && self.under_way.load(Ordering::Relaxed) < self.plan.waiting
                {
                    self.add_run();
                }
                thread::sleep(IDLE_PAUSE);
            }
        }
        lock(&self.figures).latency.extend(&latency);
    }

    /// Sends the next steps of a run.
    fn send(&self, run: &mut SentRun, connections: &mut Vec<HttpConnection>, latency: &mut LatencyFigures) {
        let Some(address) = self.servers.choose(&mut run.server) else { return };
        if connections.len() > 8 {
            connections.clear();
        }
        let place = connections.iter().position(|connection| connection.address() == address);
        let place = place.unwrap_or_else(|| {
            connections.push(owner_connection(address, self.plan.patience));
            connections.len() - 1
        });
        let first = run.answers.len();
        let last = run.script.steps.min(first + self.plan.batch);
        let body = if last - first == 1 { run.script.step(first) } else { run.script.steps(first..last) };
        let sent = Instant::now();
        if let Ok(reply) = connections[place].post_steps(&body) {
            self.take_reply(run, last - first, &reply, sent.elapsed(), latency);
            return;
        }
        lock(&self.figures).broken += 1;
        run.not_before = Some(Instant::now() + FAILED_PAUSE);
        run.is_sent_again = true;
        self.servers.note_silence(run.server);
        run.server += 1;
    }

    fn take_reply(
        &self,
        run: &mut SentRun,
        count: usize,
        reply: &ServedReply,
        time: Duration,
        latency: &mut LatencyFigures,
    ) {
        let mut figures = lock(&self.figures);
        let mut problem = |text: String| {
            if figures.problems.len() < MAX_PROBLEMS {
                figures.problems.push(format!("{}: {text}", run.script.name));
            }
        };
        let retry = reply.retry_after.unwrap_or(Duration::from_secs(1));
        match reply.status {
            200 => {
                let answers = match serde_json::from_str(&reply.body) {
                    Ok(Value::Array(answers)) => answers,
                    Ok(answer) => vec![answer],
                    Err(_) => Vec::new(),
                };
                if answers.len() != count {
                    problem(format!("{} answers to {count} steps", answers.len()));
                    return;
                }
                run.answers.extend(answers);
                run.not_before = None;
                figures.acknowledged += count as u64;
                figures.last_acknowledged = Some(Instant::now());
                if std::mem::take(&mut run.is_sent_again) {
                    figures.sent_again += count as u64;
                }
                self.acknowledged.fetch_add(count as u64, Ordering::Relaxed);
                latency.add(time);
            }
            429 | 503 => {
                if reply.retry_after.is_none() {
                    problem(format!("status {} without Retry-After", reply.status));
                }
                if reply.status == 429 {
                    figures.busy += 1;
                } else {
                    figures.unavailable += 1;
                    run.server += 1;
                }
                run.not_before = Some(Instant::now() + retry);
                run.is_sent_again = true;
            }
            status => {
                problem(format!("status {status}: {}", reply.body.chars().take(200).collect::<String>()));
                run.not_before = Some(Instant::now() + retry);
                run.is_sent_again = true;
            }
        }
    }
}
