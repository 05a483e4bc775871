//! Reads the steps of logs, one after the other.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use loopbreak::step::Label;
use loopbreak_trace::{LogFormat, LogRecord, RecordSink, SkippedLine};
use pyo3::prelude::*;

use crate::engine_call::lock;
use crate::interruptible_work::wait;
use crate::log_inputs::{find_logs, read_format, read_paths};
use crate::python_error::ErrorClass;
use crate::python_step::PythonStep;

/// Number of steps, and of bytes, that are handed over at once.
const PART_STEPS: usize = 256;
const PART_BYTES: usize = 256 * 1024;
/// Number of parts that wait to be read.
const PARTS: usize = 4;

/// Reads the steps of a log or of a folder with logs, in any format. The logs are read while the steps are used.
#[pyfunction]
#[pyo3(name = "read", signature = (path, format=None, run=None))]
pub(crate) fn read_logs(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    format: Option<&str>,
    run: Option<String>,
) -> PyResult<PythonStepReader> {
    let (paths, format) = (read_paths(path)?, read_format(format)?);
    let (send, receive) = sync_channel(PARTS);
    let reading = move || read(paths, format, run, &send);
    let thread = thread::Builder::new().name("loopbreak-read".to_owned()).spawn(reading);
    thread.map_err(|error| ErrorClass::Log.raise(py, format!("cannot start a thread: {error}")))?;
    Ok(PythonStepReader(Mutex::new(StepQueue { receive, part: Vec::new().into_iter() })))
}

/// An iterator over the steps of logs.
#[pyclass(frozen, module = "loopbreak", name = "StepReader")]
#[derive(Debug)]
pub(crate) struct PythonStepReader(Mutex<StepQueue>);

#[derive(Debug)]
struct StepQueue {
    receive: Receiver<StepPart>,
    part: std::vec::IntoIter<String>,
}

/// Some steps, or the end of reading.
type StepPart = Result<Vec<String>, String>;

#[pymethods]
impl PythonStepReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PythonStep>> {
        let mut queue = lock(py, &self.0);
        loop {
            if let Some(json) = queue.part.next() {
                return Ok(Some(PythonStep::from_text(json)));
            }
            match wait(py, &mut queue.receive)? {
                None => return Ok(None),
                Some(Ok(part)) => queue.part = part.into_iter(),
                Some(Err(error)) => return Err(ErrorClass::Log.raise(py, error)),
            }
        }
    }
}

/// Reads logs, and sends their steps.
fn read(paths: Vec<PathBuf>, format: Option<LogFormat>, run: Option<String>, send: &SyncSender<StepPart>) {
    let inputs = find_logs(paths);
    for unreadable in &inputs.unreadable {
        let _ = send.send(Err(format!("{}: {}", unreadable.name, unreadable.error)));
    }
    for input in &inputs.inputs {
        let mut sender = StepSender {
            default_run: input.run(),
            only_run: run.as_deref(),
            send,
            part: Vec::new(),
            bytes: 0,
            closed: false,
        };
        let failed = match input.open(format, |_| {}) {
            Ok(log) => log.read(&mut sender).err().map(|error| error.to_string()),
            Err(error) if error.is_not_a_log() && !input.is_named() => None,
            Err(error) => Some(error.to_string()),
        };
        sender.flush();
        if sender.closed {
            return;
        }
        if let Some(error) = failed {
            let _ = send.send(Err(format!("{}: {error}", input.name())));
        }
    }
}

/// Collects the steps of a log, and sends them in parts.
struct StepSender<'s> {
    default_run: String,
    only_run: Option<&'s str>,
    send: &'s SyncSender<StepPart>,
    part: Vec<String>,
    bytes: usize,
    /// True if nobody reads any more.
    closed: bool,
}

impl StepSender<'_> {
    fn flush(&mut self) {
        self.bytes = 0;
        if !self.part.is_empty() && !self.closed {
            self.closed = self.send.send(Ok(std::mem::take(&mut self.part))).is_err();
        }
    }
}

impl RecordSink for StepSender<'_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        if self.closed {
            return;
        }
        let mut step = record.step.clone();
        step.run.get_or_insert_with(|| Label::from(self.default_run.as_str()));
        if let (Some(only), Some(run)) = (self.only_run, &step.run)
            && run.as_text() != only
        {
            return;
        }
        let Ok(json) = serde_json::to_string(&step) else { return };
        self.bytes += json.len();
        self.part.push(json);
        if self.part.len() >= PART_STEPS || self.bytes >= PART_BYTES {
            self.flush();
        }
    }

    fn skipped(&mut self, _: SkippedLine) {}
}
