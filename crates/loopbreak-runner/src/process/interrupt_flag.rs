//! Ctrl-C and the signals that ask a program to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::RunError;

const TICK: Duration = Duration::from_millis(20);

/// Counts interrupts.
#[derive(Clone, Debug, Default)]
pub struct InterruptFlag(Arc<AtomicUsize>);

impl InterruptFlag {
    /// Starts to listen. Signals no longer end the program from here on, because the processes it started
    /// would survive.
    pub fn listen() -> Result<Self, RunError> {
        let interrupts = InterruptFlag::default();
        let count = interrupts.0.clone();
        ctrlc::set_handler(move || {
            count.fetch_add(1, Ordering::SeqCst);
        })
        .map_err(|error| RunError::failed(format!("cannot listen for interrupts: {error}")))?;
        Ok(interrupts)
    }

    /// Returns whether there was an interrupt.
    pub fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }

    /// Returns whether there was more than one interrupt: the user does not want to wait.
    pub(crate) fn is_repeated(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 1
    }

    /// Reads a line from standard input. Returns `None` at its end, or on an interrupt.
    pub fn read_line(&self) -> Option<String> {
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut line = String::new();
            let read = std::io::stdin().read_line(&mut line);
            let _ = sender.send(read.ok().filter(|count| *count > 0).map(|_| line));
        });
        loop {
            match lines.recv_timeout(TICK) {
                Ok(line) => return line,
                Err(RecvTimeoutError::Timeout) if !self.is_interrupted() => {}
                Err(_) => return None,
            }
        }
    }

    /// Sleeps until the time is over or an interrupt comes. Returns true if interrupted.
    pub(crate) fn sleep(&self, time: Duration) -> bool {
        let began = Instant::now();
        while !self.is_interrupted() {
            let left = time.saturating_sub(began.elapsed());
            if left.is_zero() {
                return false;
            }
            thread::sleep(left.min(TICK));
        }
        true
    }
}
