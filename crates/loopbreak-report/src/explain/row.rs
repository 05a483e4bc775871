//! One step on one line.

use loopbreak::text::clip_masked;
use loopbreak::verdict::LoopId;
use loopbreak::{Step, step::MAIN_AGENT};
use unicode_width::UnicodeWidthStr as _;

use crate::number;
use crate::text::TextStyle;

/// Maximum length of a text, in bytes.
const TEXT_BYTES: usize = 800;
/// Length of a common beginning of two outcomes that is left out, in bytes.
const COMMON_BYTES: usize = 20;
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
    /// Creates the row of a step. `before` is the outcome of the step before it.
    pub(super) fn new(
        step: &Step<'_>,
        turn: u64,
        score: Option<f64>,
        before: Option<&str>,
        look: &TextStyle,
    ) -> Self {
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
        text += &what(step, before, room, look);
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
fn what(step: &Step<'_>, before: Option<&str>, room: usize, look: &TextStyle) -> String {
    let outcome = masked_outcome(step);
    let outcome = outcome.as_deref().map(|text| distinct_part(text, before.unwrap_or_default()));
    let failed = step.outcome.as_ref().is_some_and(loopbreak::Outcome::is_error);
    let place = step.place.as_ref().and_then(|place| place.name.as_deref());
    let done = match (&step.action, step.user.as_deref(), step.say.as_deref()) {
        (Some(action), _, _) => shown(&action.line(), look),
        (None, Some(user), _) => format!("user: {}", shown(user, look)),
        (None, None, Some(say)) => format!("says: {}", shown(say, look)),
        (None, None, None) => String::new(),
    };
    let came = match (outcome, failed, place) {
        (Some((dots, text)), true, _) => format!("error: {}{}", sign(dots, look), shown(text, look)),
        (Some((dots, text)), false, _) => format!("{}{}", sign(dots, look), shown(text, look)),
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

/// Returns the beginning of an outcome with its secrets masked: a part of it may no longer show that it is one.
pub(super) fn masked_outcome(step: &Step<'_>) -> Option<String> {
    let text = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref())?;
    Some(clip_masked(text, TEXT_BYTES).into_owned())
}

fn sign(dots: bool, look: &TextStyle) -> &str {
    if dots { look.sign("… ", "... ") } else { "" }
}

/// Returns the part of an outcome to show: its first line or, if it begins like the outcome before it and then differs, the
/// line from the word in which it differs. The first value says that its beginning is left out.
fn distinct_part<'t>(text: &'t str, before: &str) -> (bool, &'t str) {
    let common = text.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
    let is_same = common == text.len() && common == before.len();
    if is_same || common < COMMON_BYTES {
        return (false, first_line(text));
    }
    let start = text.floor_char_boundary(common);
    let word = text[..start].rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let rest = first_line(text.get(word..).unwrap_or_default());
    if rest.is_empty() { (false, first_line(text)) } else { (true, rest) }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// Prepares a text of the log. Secrets are masked before it is cut, so that half of one is not shown.
pub(super) fn shown(text: &str, look: &TextStyle) -> String {
    look.fit(&clip_masked(text, TEXT_BYTES), usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outcomes of one tool often begin alike, and a line shows only their beginning.
    #[test]
    fn an_outcome_that_begins_like_the_one_before_is_shown_from_the_word_that_differs() {
        let (one, two) =
            ("The result of executing the tests: 3 failed", "The result of executing the tests: 2 failed");
        assert_eq!(distinct_part(two, one), (true, "2 failed"));
        assert_eq!(distinct_part(one, one), (false, one), "an equal outcome is shown from its beginning");
        assert_eq!(distinct_part(one, ""), (false, one));
        assert_eq!(distinct_part("ok: 1", "ok: 2"), (false, "ok: 1"), "a short beginning is kept");
        let lines = "The result of executing:\nline one is the same\nerror: b\nmore";
        assert_eq!(
            distinct_part(lines, "The result of executing:\nline one is the same\nerror: a"),
            (true, "b")
        );
        assert_eq!(distinct_part("äöüäöüäöüäöü ä", "äöüäöüäöüäöü ö"), (true, "ä"));
    }
}
