//! Texts about the findings of a detector.

use super::Pattern;
use crate::advice::{Template, TemplateValues};
use crate::verdict::Intervention;

/// All texts about one detector. In the texts for the documentation, `{option}` stands for the default of an option.
pub(crate) struct DetectorTexts {
    /// The parts of a step that it reads.
    pub(crate) reads: &'static str,
    /// The strongest effect it has with the default settings.
    pub(crate) effect: &'static str,
    /// Loops that it catches, in a few words.
    pub(crate) catches: &'static str,
    /// Behavior that it does not catch, in a few words.
    pub(crate) ignores: &'static str,
    /// Its section of the guide, in Markdown.
    pub(crate) guide: &'static str,
    /// The templates that are declared with it.
    pub(crate) templates: &'static [&'static Template],
    /// Returns the reason of a finding as a template: one sentence without a full stop.
    pub(crate) reason: fn(Pattern, &TemplateValues) -> &'static str,
    /// Returns the templates for a finding of a pattern that leads to an intervention.
    pub(crate) advice: fn(Pattern, Intervention) -> &'static [&'static Template],
}

/// The documentation of a detector, with the defaults of its options filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DetectorDocs {
    /// One sentence.
    pub summary: &'static str,
    /// The parts of a step that it reads.
    pub reads: String,
    /// The strongest effect it has with the default settings.
    pub effect: String,
    /// Loops that it catches, in a few words.
    pub catches: String,
    /// Behavior that it does not catch, in a few words.
    pub ignores: String,
    /// Its section of the guide, in Markdown.
    pub guide: String,
}
