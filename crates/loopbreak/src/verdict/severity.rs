//! The severity of a finding.

use crate::name_enum::name_enum;

name_enum! {
    /// The severity of a finding, ordered from mild to bad.
    "severity" pub enum Severity {
        /// Worth mentioning, but not a warning.
        Hint = "hint",
        /// The agent should change its approach.
        Warn = "warn",
        /// An intervention is needed.
        Hard = "hard",
    }
}
