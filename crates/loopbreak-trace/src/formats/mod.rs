//! The formats, one file or folder each.

mod claude_code;
mod steps;

pub(crate) use steps::Steps;

use crate::format::Kind;

/// All formats, in the order in which they are tried: the most particular first. Nearly any object could be a step.
pub(crate) static ALL: &[&dyn Kind] = &[&claude_code::ClaudeCode, &Steps];
