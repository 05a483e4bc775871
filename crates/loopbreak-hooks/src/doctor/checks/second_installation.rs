//! Is Loopbreak installed more than once?

use crate::doctor::{CheckFinding, DoctorContext};

/// Reports installations beside the first one. Events count once anyway, but each costs a process.
pub(super) fn check(context: &DoctorContext<'_>) -> Vec<CheckFinding> {
    let name = context.agent.name();
    let mut places = Vec::new();
    for found in &context.installations {
        let removal = format!("`loopbreak hook uninstall {name}{}`", found.scope_option());
        places.push((found.file.display().to_string(), removal));
    }
    for plugin in context.plugins() {
        places.push((plugin.place, format!("`{}`", plugin.removal)));
    }
    if places.len() < 2 {
        return Vec::new();
    }
    let (files, removals): (Vec<String>, Vec<String>) = places.into_iter().unzip();
    vec![CheckFinding::warning(
        format!("installed {} times: {}", files.len(), files.join(", ")),
        format!("each event counts once, but costs more time; remove all but one: {}", removals.join(" or ")),
    )]
}
