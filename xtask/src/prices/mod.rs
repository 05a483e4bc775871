//! `cargo xtask prices`: the table of the prices of models, made from packages of `PyPI` whose versions and hashes are pinned.

mod listed_price;
mod price_rows;
mod run;
// The names in the table are those that the program looks up.
#[path = "../../../crates/loopbreak-trace/src/prices/model_name.rs"]
mod model_name;

pub(crate) use run::run;
