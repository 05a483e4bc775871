//! Shortens texts of the agent for evidence, and masks secrets in them.

use crate::text::secret::clip_masked;

/// Maximum size of a text in evidence, in bytes.
pub const EVIDENCE_BYTES: usize = 200;

/// Masks secrets in a text and cuts it to [`EVIDENCE_BYTES`].
pub(crate) fn redact_and_truncate(text: &str) -> String {
    clip_masked(text, EVIDENCE_BYTES).into_owned()
}
