//! Texts about options: the reference page, explanations for a terminal, and a commented configuration file.

mod describe;
mod explain;
mod reference_page;
mod starter_file;

pub use describe::format_value;
pub use explain::{explain, nearest_key, option_list};
pub use reference_page::reference_page;
pub use starter_file::{full_starter_file, starter_file};
