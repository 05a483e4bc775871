//! Fingerprints decide whether two actions, or two outcomes, are equivalent.
//!
//! The fingerprint of an action ignores the order of JSON keys, white space and quoting. The fingerprint of an outcome
//! ignores times, ids and addresses, but keeps signs of progress: counts of failures, percentages, pages, offsets.

mod action_aim;
mod action_kind;
mod action_shape;
mod arguments;
mod change_history;
mod compared_call;
mod compared_outcome;
mod edit_change;
mod mask;
mod normalized_call;
mod normalized_json;
mod outcome_key;
mod outcome_opening;
mod refusal_table;
mod step_fingerprints;
mod vocabulary_tables;
mod volatile;
mod volatile_fields;
mod word_index;

pub(crate) use action_aim::{ActionAim, ActionManner, ActionTarget};
pub use action_kind::ActionSettings;
pub(crate) use action_kind::{ActionClass, ActionKind, ActionTable, words_of};
pub(crate) use action_shape::{ActionShape, element_key};
pub(crate) use arguments::{
    fields as argument_fields, items as argument_items, text as argument_text, text_under as text_argument,
};
pub(crate) use change_history::ChangeHistory;
pub(crate) use compared_call::ComparedCall;
pub(crate) use compared_outcome::ComparedOutcome;
pub(crate) use edit_change::{EditChange, path_of, unquoted};
pub(crate) use normalized_call::{NormalizedCall, tool_name};
pub(crate) use normalized_json::{CallNumbers, NUMBERS, text_key};
pub(crate) use outcome_key::{gist_key, outcome_key, outcome_key_without, words_key};
pub(crate) use outcome_opening::OutcomeOpening;
pub(crate) use refusal_table::{RefusalTable, ReplyMeaning};
pub(crate) use step_fingerprints::{StepFingerprints, failed};
pub(crate) use vocabulary_tables::VocabularyTables;
pub(crate) use volatile::is_fresh_id;
pub(crate) use volatile_fields::is_volatile_argument;
