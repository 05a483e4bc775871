//! Rendering of searches.

mod settings_file;
mod text;

pub use settings_file::settings_file;
pub use text::render;
