//! The vocabulary of the settings, prepared once for all guards.

use super::{ActionTable, RefusalTable};
use crate::settings::Settings;

/// Tables that classify actions and replies.
#[derive(Clone, Debug)]
pub(crate) struct VocabularyTables {
    pub(crate) actions: ActionTable,
    pub(crate) refusals: RefusalTable,
}

impl From<&Settings> for VocabularyTables {
    fn from(settings: &Settings) -> Self {
        VocabularyTables {
            actions: settings.actions.clone().into(),
            refusals: RefusalTable::from(&settings.failing_target.refusals[..]),
        }
    }
}
