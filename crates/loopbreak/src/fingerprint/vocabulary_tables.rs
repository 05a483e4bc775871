//! What the settings say about words, made ready once for all steps of all guards.

use super::{ActionTable, RefusalTable};
use crate::settings::Settings;

/// The tables by which actions and replies are understood.
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
