//! Text tools: signatures, similarity, secrets, lengths, repetition, typos, quotation, safe display.
//!
//! Every function is pure, linear in its input and never panics. Detectors use them, and so do adapters that show or
//! compare texts of an agent.

pub(crate) mod chant;
pub(crate) mod clip;
mod invisible;
mod nearest_name;
pub(crate) mod normalize;
mod printable;
pub(crate) mod quoted;
pub(crate) mod scan;
pub(crate) mod secret;
pub(crate) mod signature;
pub(crate) mod similarity;

pub use crate::detectors::signature::output_signature;
pub use chant::{ChantStream, RepeatedPassage};
pub use clip::{clip, clip_escaped, escaped_len, head_and_tail};
pub use invisible::is_invisible;
pub use nearest_name::nearest_name;
pub use normalize::normalize_whitespace_case;
pub use printable::{printable, printable_lines};
pub use quoted::{QUOTED_BYTES, inert, quoted, quoted_list};
pub use secret::{FoundSecret, MASK, clip_masked, find_secrets, mask_secrets};
pub use signature::signature;
pub use similarity::{PreparedText, ratio, ratio_at_least};
