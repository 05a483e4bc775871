//! Pages for a browser: the parts shared by those of reports, evaluations and contests.

mod escape;
mod hash;
mod page;
mod table;

pub use escape::escape;
pub use page::HtmlPage;
pub use table::{END, row, section, table};

pub(crate) use escape::escape_json;
