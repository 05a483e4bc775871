//! Modes of the guard and of detectors.

use crate::name_enum::name_enum;

name_enum! {
    /// `enforce` acts on findings, `observe` only reports them, `off` disables the detector or the guard.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "mode" pub enum Mode {
        /// Findings are reported and acted on.
        #[default]
        Enforce = "enforce",
        /// Findings are reported with `acted: false` and never acted on.
        Observe = "observe",
        /// Nothing is computed.
        Off = "off",
    }
}
