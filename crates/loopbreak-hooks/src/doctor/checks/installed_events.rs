//! Does the settings file have all events that this version installs?

use crate::doctor::{CheckFinding, DoctorContext};

/// Compares the events in the settings file with those that this version installs.
pub(super) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let agent = context.agent;
    let Some(found) = context.tested() else { return Vec::new() };
    let again = format!("run `loopbreak hook install {}{}` again", agent.name(), found.scope_option());
    // A plugin, or a settings file of another structure.
    if found.entries.is_empty() {
        return vec![if found.is_rewritten_alike(agent) {
            CheckFinding::good("the installed file is that of this version")
        } else {
            CheckFinding::warning("the installed file is not that of this version", again)
        }];
    }
    let missing = found.missing_events(agent);
    vec![if missing.is_empty() {
        CheckFinding::good(format!("all {} events have a hook", agent.events().len()))
    } else {
        CheckFinding::warning(format!("events without a hook: {}", missing.join(", ")), again)
    }]
}
