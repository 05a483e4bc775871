//! Texts for the agent, the critic and the user. All are templates, and all can be replaced.

mod compose;
mod template;
mod templates;
mod values;

pub(crate) use compose::{of_finding, of_recovery, of_ruling, reason_of, text_of};
pub(crate) use template::check;
pub use templates::{TEMPLATES, Template};
pub(crate) use values::TemplateValues;
