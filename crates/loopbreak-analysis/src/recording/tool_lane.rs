//! Which tool each step uses, over a run.

use loopbreak::{Place, Step};

use crate::statistics::Timeline;

/// Longest name of a tool, in bytes.
const NAME: usize = 240;

/// Puts a step under the name of its tool, or of what it is where it is no call.
pub(super) fn add(timeline: &mut Timeline, step: &Step<'_>, turn: u64) {
    let name = match (&step.action, &step.user, &step.say, &step.task) {
        (Some(action), ..) if action.args.is_some() => &*action.name,
        // A whole command: its first word says what kind it is.
        (Some(action), ..) => action.name.split_whitespace().next().unwrap_or("action"),
        (None, Some(_), ..) => "(user)",
        (None, None, Some(_), _) => "(says)",
        (None, None, None, Some(_)) => "(task)",
        (None, None, None, None) if step.outcome.is_some() => "(output)",
        (None, None, None, None) => return timeline.add(turn, None, None),
    };
    let place = Place { name: Some(loopbreak::text::clip(name, NAME).into()), ..Place::default() };
    timeline.add(turn, None, Some(&place));
}
