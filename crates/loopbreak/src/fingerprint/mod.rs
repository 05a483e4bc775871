//! Fingerprints: when two actions, or two outcomes, are the same for all that matters.
//!
//! An action is the same whatever the order of its JSON keys, its white space and its quoting. An outcome is the same
//! whatever the times, ids and addresses in it; what carries progress (counts of failures, percentages, pages, offsets)
//! always stays.

mod arguments;
mod call;
mod edit;
mod effects;
mod index;
mod json;
mod kind;
mod mask;
mod opening;
mod outcome;
mod prints;
mod refusal;
mod shape;
mod tables;
mod target;
mod volatile;

pub(crate) use call::{Call, tool_name};
pub(crate) use edit::{Change, path_of, unquoted};
pub(crate) use effects::Effects;
pub(crate) use json::{Numbers, text_key};
pub use kind::ActionSettings;
pub(crate) use kind::{ActionTable, Kind, words_of};
pub(crate) use opening::Opening;
pub(crate) use outcome::{gist_key, outcome_key};
pub(crate) use prints::{Prints, failed};
pub(crate) use refusal::{RefusalTable, Reply};
pub(crate) use shape::Shape;
pub(crate) use tables::Tables;
pub(crate) use target::{Aim, Manner, Target};
