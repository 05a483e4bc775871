//! The severity of a finding.

use crate::name_enum::name_enum;

name_enum! {
    /// How bad a finding is, ordered from mild to bad.
    "severity" pub enum Severity {
        /// Worth mentioning, nothing more.
        Hint = "hint",
        /// The agent should change its approach.
        Warn = "warn",
        /// An intervention is needed.
        Hard = "hard",
    }
}
