//! Texts with placeholders.

use super::shared_templates::SHARED_TEMPLATES;
use crate::detectors::DETECTOR_TEMPLATES;
use crate::verdict::Audience;

/// A text with placeholders.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its name. A text of the user with this name replaces it.
    pub name: &'static str,
    /// The reader that it is for.
    pub audience: Audience,
    /// The values that it can show.
    pub values: &'static [&'static str],
    /// The text for any agent.
    pub neutral: &'static str,
    /// The text for an agent that plays Zork, if it is different.
    pub zork: Option<&'static str>,
    /// The text in a hook of a coding agent, if it is different. It only states facts, because agents treat
    /// instructions from a hook as an attack.
    pub hook: Option<&'static str>,
}

/// All templates: those of the detectors in the order of their list, then those that several detectors share.
pub const TEMPLATES: &[&Template] = &concat::<{ count(DETECTOR_TEMPLATES) + SHARED_TEMPLATES.len() }>();

/// Returns a template by its name.
pub(crate) fn template(name: &str) -> Option<&'static Template> {
    TEMPLATES.iter().find(|template| template.name == name).copied()
}

const fn count(parts: &[&[&Template]]) -> usize {
    let (mut count, mut part) = (0, 0);
    while part < parts.len() {
        count += parts[part].len();
        part += 1;
    }
    count
}

const fn concat<const N: usize>() -> [&'static Template; N] {
    let mut all = [SHARED_TEMPLATES[0]; N];
    let (mut at, mut part) = (0, 0);
    while part <= DETECTOR_TEMPLATES.len() {
        let templates =
            if part < DETECTOR_TEMPLATES.len() { DETECTOR_TEMPLATES[part] } else { SHARED_TEMPLATES };
        let mut index = 0;
        while index < templates.len() {
            all[at] = templates[index];
            at += 1;
            index += 1;
        }
        part += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_templates_share_a_name() {
        for (index, template) in TEMPLATES.iter().enumerate() {
            assert!(TEMPLATES[..index].iter().all(|other| other.name != template.name), "{}", template.name);
        }
    }
}
