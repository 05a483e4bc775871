//! Checks of the user's own texts.

use super::fill::next_name;
use super::{TEMPLATES, Template, template};
use crate::settings::{AdviceSettings, SettingsChecks};

/// Checks that every text of the user replaces a known template and uses only its values.
pub(crate) fn check(settings: &AdviceSettings, checks: &mut SettingsChecks) {
    for (name, text) in &settings.texts {
        let option = format!("texts.{name}");
        let Some(Template { values, .. }) = template(name) else {
            checks.that(false, &option, || {
                let known: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
                (format!("there is no text named {name:?}"), format!("use one of: {}", known.join(", ")))
            });
            continue;
        };
        let mut rest = text.as_str();
        while let Some((_, value, after)) = next_name(rest) {
            let value = value.trim_start_matches(['?', '!']);
            checks.that(values.contains(&value), &option, || {
                (
                    format!("the text {name:?} has no value {{{value}}}"),
                    format!("its values are: {}", values.join(", ")),
                )
            });
            rest = after;
        }
    }
}
