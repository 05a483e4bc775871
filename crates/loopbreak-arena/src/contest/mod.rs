//! Many games with Loopbreak, and the same games without: does it help, what does it spoil, and which part does what?

mod account;
mod chart;
mod figures;
mod page;
mod part;
mod play;
mod report;
mod table;
mod witness;

pub use account::Account;
pub use figures::{Mean, Share};
pub use page::page;
pub use part::Part;
pub use play::Contest;
pub use report::{Ablation, Plan, Report, Row, Target};
pub use witness::Witness;
