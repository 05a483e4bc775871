//! Rendering of evaluations.

mod advice;
mod holdout;
mod html;
mod text;

pub use advice::render_advice;
pub use holdout::render_holdout;
pub use html::page;
pub use text::render;
