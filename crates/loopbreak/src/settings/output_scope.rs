//! Scope of the detectors that read outputs.

use crate::name_enum::name_enum;

name_enum! {
    /// Steps that the detectors of outputs read.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "scope" pub enum OutputScope {
        /// Only steps without an action: the outputs of whole iterations.
        #[default]
        Iterations = "iterations",
        /// Every step. Tool replies repeat in healthy runs, so this causes false alarms.
        All = "all",
    }
}
