//! Pages for a browser: what those of the report, the evaluation and contests have in common.

mod escape;
mod hash;
mod page;
mod table;

pub use escape::escape;
pub use page::HtmlPage;
pub use table::{END, row, section, table};

pub(crate) use escape::escape_json;
