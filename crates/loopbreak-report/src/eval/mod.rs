//! Rendering of evaluations.

mod advice;
mod html;
mod text;

pub use advice::render_advice;
pub use html::page;
pub use text::render;
