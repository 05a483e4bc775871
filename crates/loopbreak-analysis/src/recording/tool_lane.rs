//! The tools of a run over time.

use loopbreak::{Place, Step};

use crate::statistics::RunTimeline;

/// Longest name of a tool, in bytes.
const NAME: usize = 240;

/// Adds a step under the name of its tool, or of its kind if it is not a call.
pub(super) fn add(timeline: &mut RunTimeline, step: &Step<'_>, turn: u64) {
    let name = match (&step.action, &step.user, &step.say, &step.task) {
        (Some(action), ..) if action.args.is_some() => &*action.name,
        // The first word of a command line is its name.
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
