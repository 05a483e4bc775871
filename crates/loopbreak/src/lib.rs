//! engine

#[doc(hidden)]
pub mod text;
