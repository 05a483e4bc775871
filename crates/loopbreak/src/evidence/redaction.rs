//! Shortens texts of the agent for evidence, and masks secrets in them.

use crate::text::{clip::clip, secret::mask_secrets};

/// Maximum size of a text in evidence, in bytes.
pub const EVIDENCE_BYTES: usize = 200;

/// Masks secrets in a text and cuts it to [`EVIDENCE_BYTES`].
pub(crate) fn redact_and_truncate(text: &str) -> String {
    // Masking reads more than is kept, so that it recognizes a secret that the cut would split.
    let text = clip(text, 4 * EVIDENCE_BYTES);
    clip(&mask_secrets(text), EVIDENCE_BYTES).to_owned()
}
