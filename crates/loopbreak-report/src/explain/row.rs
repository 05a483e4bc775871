//! One step on one line.

use loopbreak::text::clip_masked;
use loopbreak::verdict::LoopId;
use loopbreak::{Step, step::MAIN_AGENT};
use unicode_width::UnicodeWidthStr as _;

use crate::number;
use crate::text::TextStyle;

/// Maximum length of a text, in bytes.
const TEXT_BYTES: usize = 800;
/// Width of the turn and the margin before the text of a step.
pub(super) const INDENT: usize = 14;

/// A step on its line.
#[derive(Clone, Debug)]
pub(super) struct ExplainRow {
    pub(super) turn: u64,
    pub(super) text: String,
    /// The loop it belongs to.
    pub(super) mark: Option<LoopMark>,
    /// The earlier turn with the same action and outcome.
    pub(super) repeats: Option<u64>,
    /// There has been no progress for too long.
    pub(super) stuck: bool,
    /// The lines under it.
    pub(super) flags: Vec<String>,
}

/// The position of a step in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopMark {
    pub(super) id: LoopId,
    /// Its number among the steps of the loop, from 0.
    pub(super) at: usize,
    /// Number of steps per round, if known.
    pub(super) period: Option<usize>,
}

impl ExplainRow {
    pub(super) fn new(step: &Step<'_>, turn: u64, score: Option<f64>, look: &TextStyle) -> Self {
        let room = look.width.saturating_sub(INDENT);
        let mut text = String::new();
        if let Some(agent) = step.agent.as_deref().filter(|agent| *agent != MAIN_AGENT) {
            text = format!("[{}] ", look.fit(agent, 16));
        }
        if step.refused {
            text += "(refused) ";
        }
        let mut tail = String::new();
        if let Some(score) = score {
            tail = format!("{}score {}", look.sign(" · ", ", "), number::score(score));
        }
        let room = room.saturating_sub(text.width() + tail.width());
        text += &what(step, room, look);
        ExplainRow {
            turn,
            text: (text + &tail).trim().to_owned(),
            mark: None,
            repeats: None,
            stuck: false,
            flags: Vec::new(),
        }
    }
}

/// Returns the action and its outcome in this number of columns.
fn what(step: &Step<'_>, room: usize, look: &TextStyle) -> String {
    let outcome = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).map(first_line);
    let failed = step.outcome.as_ref().is_some_and(loopbreak::Outcome::is_error);
    let place = step.place.as_ref().and_then(|place| place.name.as_deref());
    let done = match (&step.action, step.user.as_deref(), step.say.as_deref()) {
        (Some(action), _, _) => shown(&action.line(), look),
        (None, Some(user), _) => format!("user: {}", shown(user, look)),
        (None, None, Some(say)) => format!("says: {}", shown(say, look)),
        (None, None, None) => String::new(),
    };
    let came = match (outcome, failed, place) {
        (Some(text), true, _) => format!("error: {}", shown(text, look)),
        (Some(text), false, _) => shown(text, look),
        (None, true, _) => "error".to_owned(),
        (None, false, Some(place)) => format!("at {}", shown(place, look)),
        (None, false, None) => String::new(),
    };
    match (done.is_empty(), came.is_empty()) {
        (false, false) => {
            let arrow = look.sign(" → ", " -> ");
            // The action gets the larger part, and the outcome what remains.
            let done = look.fit(&done, (room * 3 / 5).max(room.saturating_sub(arrow.width() + came.width())));
            let came = look.fit(&came, room.saturating_sub(done.width() + arrow.width()));
            done + arrow + &came
        }
        (false, true) => look.fit(&done, room),
        (true, false) => look.fit(&came, room),
        (true, true) => step.task.as_ref().map_or(String::new(), |task| {
            let status = task.status.as_deref().unwrap_or_default();
            look.fit(&format!("task {} {status}", task.id.as_text()), room)
        }),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// Prepares a text of the log. Secrets are masked before it is cut, so that half of one is not shown.
pub(super) fn shown(text: &str, look: &TextStyle) -> String {
    look.fit(&clip_masked(text, TEXT_BYTES), usize::MAX)
}
