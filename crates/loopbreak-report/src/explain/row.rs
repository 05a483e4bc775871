//! One step on one line.

use loopbreak::text::{clip, mask_secrets};
use loopbreak::verdict::LoopId;
use loopbreak::{MAIN_AGENT, Step};
use unicode_width::UnicodeWidthStr as _;

use crate::number;
use crate::text::Look;

/// More of a text than this is never shown.
const TEXT_BYTES: usize = 800;
/// What stands before the text of a step: its turn and the margin.
pub(super) const INDENT: usize = 14;

/// A step, and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) turn: u64,
    pub(super) text: String,
    /// The loop it belongs to.
    pub(super) mark: Option<Mark>,
    /// The earlier turn at which the same was done with the same outcome.
    pub(super) repeats: Option<u64>,
    /// There has been no progress for too long.
    pub(super) stuck: bool,
    /// What Loopbreak says after it.
    pub(super) flags: Vec<String>,
}

/// A step's place in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) id: LoopId,
    /// Its number among the loop's steps, from 0.
    pub(super) at: usize,
    /// How many steps a round has, where that is known.
    pub(super) period: Option<usize>,
}

impl Row {
    pub(super) fn of(step: &Step<'_>, turn: u64, score: Option<f64>, look: &Look) -> Self {
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
        Row {
            turn,
            text: (text + &tail).trim().to_owned(),
            mark: None,
            repeats: None,
            stuck: false,
            flags: Vec::new(),
        }
    }
}

/// What was done and what came of it, in so many columns.
fn what(step: &Step<'_>, room: usize, look: &Look) -> String {
    let outcome = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).map(first_line);
    let failed = step.outcome.as_ref().is_some_and(|outcome| outcome.error);
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
            // What was done gets the larger part, and what it leaves goes to what came of it.
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

/// A text of the log: secrets masked before it is cut, so that half of one is not shown.
pub(super) fn shown(text: &str, look: &Look) -> String {
    look.fit(&mask_secrets(clip(text, TEXT_BYTES)), usize::MAX)
}
