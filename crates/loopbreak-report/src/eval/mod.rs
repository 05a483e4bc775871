//! Rendering of evaluations.

mod html;
mod text;

pub use html::page;
pub use text::render;
