//! Texts about options: the reference page, a commented configuration file, and parts to build other texts from.

mod describe;
mod reference_page;
mod starter_file;

pub use describe::{
    LIST_WIDTH, default_in, default_strings, defaults, example, format_list, format_value, indent,
    legacy_key_names, wrap,
};
pub use reference_page::reference_page;
pub use starter_file::starter_file;
