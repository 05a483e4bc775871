//! Task attempts, as orchestrators keep them. See docs/formats/attempts.md.

use loopbreak::{Label, Millis, Step, Task, Text};
use serde::Deserialize;

use crate::document::walk;
use crate::format::{Kind, Reader, Record, Sink, Unit};
use crate::glimpse::Glimpse;
use crate::reason::Reason;

/// Attempts at tasks.
pub(crate) struct Attempts;

impl Kind for Attempts {
    fn name(&self) -> &'static str {
        "attempts"
    }
    fn title(&self) -> &'static str {
        "task orchestrators"
    }
    fn files(&self) -> &'static str {
        "attempt records (taskId, timestamp, status, blockers, completedWork, sessionId), as JSON lines or a list"
    }
    fn recognises(&self, value: &Glimpse<'_>) -> bool {
        ["", "[].", "attempts.[]."].iter().any(|at| {
            let has = |key: &str| value.has(&format!("{at}{key}"));
            has("taskId") && (has("status") || has("blockers") || has("completedWork"))
        })
    }
    fn holds_run(&self, value: &Glimpse<'_>) -> bool {
        value.is_list("") || value.is_list("attempts")
    }
    fn reader(&self, _beside: &[String]) -> Box<dyn Reader> {
        Box::new(Attempts)
    }
}

#[derive(Debug, Deserialize)]
struct Attempt<'a> {
    #[serde(borrow, rename = "taskId")]
    id: Label<'a>,
    #[serde(default)]
    timestamp: Option<Millis>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
    #[serde(borrow, default)]
    blockers: Option<Vec<Text<'a>>>,
    #[serde(borrow, default, rename = "completedWork")]
    work: Option<Vec<Text<'a>>>,
    #[serde(borrow, default, rename = "sessionId")]
    session: Option<Label<'a>>,
}

impl Reader for Attempts {
    fn unit(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
        let mut listed = unit.text.trim_start().starts_with('[');
        let mut broken = Ok(());
        let walked = walk(unit, &["attempts"], &mut |part| {
            if part.listed {
                listed = true;
                let given = give(part.unit(), sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(given);
            }
        });
        walked?;
        if listed { broken } else { give(unit, sink) }
    }
}

fn give(unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
    let attempt: Attempt<'_> =
        serde_json::from_str(unit.text).map_err(|error| Reason::malformed(unit.text, &error))?;
    let task = Task {
        id: attempt.id,
        status: attempt.status,
        blockers: attempt.blockers.unwrap_or_default(),
        work: attempt.work.unwrap_or_default(),
        session: attempt.session,
    };
    sink.record(&Record {
        line: unit.line,
        step: Step { at: attempt.timestamp, task: Some(task), ..Step::default() },
    });
    Ok(())
}
