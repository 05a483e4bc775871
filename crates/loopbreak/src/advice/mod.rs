//! Texts for the agent, the critic and the user. All are templates, and a user can replace each of them.

mod compose;
mod fill;
#[cfg(test)]
mod hostile_tests;
mod own_texts;
mod shared_templates;
mod template;
mod template_values;

pub(crate) use compose::{of_finding, of_recovery, of_ruling, reason_of, signed, text_of};
pub(crate) use own_texts::check;
pub(crate) use shared_templates::{
    CALL_VALUES, ESCALATION, LIMIT_VALUES, PLACE_VALUES, REFUSED, REPEATED_CALLS, REPEATED_OUTPUT,
    RULING_VALUES,
};
pub(crate) use template::template;
pub use template::{TEMPLATES, Template};
pub(crate) use template_values::TemplateValues;
