//! Records of a run: in the store and in the scratchpad file.

pub(crate) mod private_file;
pub(crate) mod run_recorder;
pub(crate) mod scratchpad;
