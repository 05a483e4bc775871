//! Task attempts, as task orchestrators record them. See docs/formats/attempts.md.

use loopbreak::{
    Step,
    step::{EpochMillis, Label, StepText, Task},
};
use serde::Deserialize;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::message::walk_document;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Attempt records of task orchestrators.
pub(crate) struct AttemptsFormat;

impl FormatDefinition for AttemptsFormat {
    fn name(&self) -> &'static str {
        "attempts"
    }
    fn title(&self) -> &'static str {
        "task orchestrators"
    }
    fn file_description(&self) -> &'static str {
        "attempt records (taskId, timestamp, status, blockers, completedWork, sessionId), as JSON lines or a list"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        ["", "[].", "attempts.[]."].iter().any(|at| {
            let has = |key: &str| value.has(&format!("{at}{key}"));
            has("taskId") && (has("status") || has("blockers") || has("completedWork"))
        })
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("") || value.is_list("attempts")
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(AttemptsFormat)
    }
}

#[derive(Debug, Deserialize)]
struct AttemptRecord<'a> {
    #[serde(borrow, rename = "taskId")]
    id: Label<'a>,
    #[serde(default)]
    timestamp: Option<EpochMillis>,
    #[serde(borrow, default)]
    status: Option<StepText<'a>>,
    #[serde(borrow, default)]
    blockers: Option<Vec<StepText<'a>>>,
    #[serde(borrow, default, rename = "completedWork")]
    work: Option<Vec<StepText<'a>>>,
    #[serde(borrow, default, rename = "sessionId")]
    session: Option<Label<'a>>,
}

impl LogReader for AttemptsFormat {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut listed = unit.text.trim_start().starts_with('[');
        let mut broken = Ok(());
        let walked = walk_document(unit, &["attempts"], &mut |part| {
            if part.listed {
                listed = true;
                let given = emit(part.unit(), sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(given);
            }
        });
        walked?;
        if listed { broken } else { emit(unit, sink) }
    }
}

fn emit(unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
    let attempt: AttemptRecord<'_> =
        serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
    let task = Task {
        id: attempt.id,
        status: attempt.status,
        blockers: attempt.blockers.unwrap_or_default(),
        work: attempt.work.unwrap_or_default(),
        session: attempt.session,
    };
    sink.record(&LogRecord {
        line: unit.line,
        step: Step { at: attempt.timestamp, task: Some(task), ..Step::default() },
    });
    Ok(())
}
