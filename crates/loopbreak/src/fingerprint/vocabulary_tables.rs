//! The vocabulary of the settings, prepared once for all guards.

use super::{ActionKind, ActionTable, RefusalTable};
use crate::settings::{Settings, ToolRule};
use crate::step::Action;

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

    /// Returns the kind of an action: as the user declared its tool, as the log gives it, or from its name.
    pub(crate) fn kind(&self, action: &Action<'_>) -> ActionKind {
        let kind = self.actions.kind(action);
        match self.tool_rule(action).and_then(|rule| rule.polls) {
            Some(true) => ActionKind::Wait,
            Some(false) if kind == ActionKind::Wait => ActionKind::Other,
            _ => kind,
        }
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
