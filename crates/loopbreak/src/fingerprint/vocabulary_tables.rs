//! The vocabulary of the settings, prepared once for all guards.

use super::{ActionClass, ActionKind, ActionTable, RefusalTable};
use crate::settings::{Settings, ToolRule};
use crate::step::{Action, ToolAnnotations};

/// Tables that classify actions and replies.
#[derive(Clone, Debug)]
pub(crate) struct VocabularyTables {
    pub(crate) actions: ActionTable,
    pub(crate) refusals: RefusalTable,
    tools: Vec<ToolRule>,
}

impl VocabularyTables {
    /// Returns the declaration of an action's tool.
    pub(crate) fn tool_rule(&self, action: &Action<'_>) -> Option<&ToolRule> {
        self.tools.iter().find(|rule| rule.covers(action))
    }

    /// Returns the names of arguments and reply fields that the user declared as volatile.
    pub(crate) fn volatile_names(&self, action: &Action<'_>) -> &[String] {
        self.tool_rule(action).map_or(&[], |rule| &rule.volatile)
    }

    /// Classifies an action: as the user declared its tool, as the log and the annotations give it, or from its name.
    pub(crate) fn classify(&self, action: &Action<'_>) -> ActionClass {
        let mut class = self.actions.classify(action);
        let rule = self.tool_rule(action);
        match rule.and_then(|rule| rule.polls) {
            Some(true) => class.kind = ActionKind::Wait,
            Some(false) if class.kind == ActionKind::Wait => class.kind = ActionKind::Other,
            _ => {}
        }
        let annotated = || action.annotations.and_then(ToolAnnotations::repeats_effect);
        class.mutates = rule.and_then(|rule| rule.mutates).or_else(annotated).unwrap_or(class.mutates);
        class
    }
}

impl From<&Settings> for VocabularyTables {
    fn from(settings: &Settings) -> Self {
        VocabularyTables {
            actions: settings.actions.clone().into(),
            refusals: RefusalTable::from(&settings.failing_target.refusals[..]),
            tools: settings.tool.clone(),
        }
    }
}
