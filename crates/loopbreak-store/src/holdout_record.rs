//! Held-out runs and the runs that they are compared with.

use serde::Deserialize;

use crate::run_status::MAX_RUNS;
use crate::{Store, StoreError, WarnedLoop};

/// A run that was recorded while runs were held out (`policy.holdout`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldoutRecord {
    /// The run was only observed.
    pub held_out: bool,
    /// The loop of its first warning.
    pub warned: Option<WarnedLoop>,
}

impl HoldoutRecord {
    /// Reads the records of the latest runs, whether they ended or not. Runs that were recorded while none were held out
    /// are left out.
    pub fn load_all(store: &dyn Store) -> Result<Vec<HoldoutRecord>, StoreError> {
        let mut records = Vec::new();
        for run in store.runs(i64::MIN, MAX_RUNS)? {
            let state = store.state(&run.key())?;
            records.extend(state.as_deref().and_then(HoldoutRecord::from_state_json));
        }
        Ok(records)
    }

    /// Reads the record from a state and skips the rest, which is far longer.
    pub(crate) fn from_state_json(json: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct HoldoutOnly {
            holdout: Option<bool>,
            warned: Option<WarnedLoop>,
        }
        let HoldoutOnly { holdout, warned } = serde_json::from_str(json).ok()?;
        Some(HoldoutRecord { held_out: holdout?, warned })
    }
}
