//! Makes texts of the agent fit for evidence.

use crate::text::{clip::clip, secret::mask_secrets};

/// Longest text in a piece of evidence, in bytes.
pub const EVIDENCE_BYTES: usize = 200;

/// Masks secrets in a text and cuts it to [`EVIDENCE_BYTES`].
pub(crate) fn redact_and_truncate(text: &str) -> String {
    // Masking reads more than is kept, so that a secret across the cut is seen whole.
    let text = clip(text, 4 * EVIDENCE_BYTES);
    clip(&mask_secrets(text), EVIDENCE_BYTES).to_owned()
}
