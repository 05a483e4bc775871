//! What the engine reads out of texts: signatures, similarity, secrets, lengths.
//!
//! Everything here is a pure function, linear in its input and total: no text makes it panic.

pub mod chant;
pub mod clip;
pub mod indel;
pub mod normal;
pub(crate) mod scan;
pub mod secret;
pub mod signature;
