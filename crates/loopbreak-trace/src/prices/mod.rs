//! Prices of models: a dated table as data, and the prices of the user over it.

mod model_name;
mod price_table;
mod step_pricer;
mod token_price;

pub use price_table::{PriceSource, PriceTable};
pub use step_pricer::{StepCost, StepPricer};
pub use token_price::{TokenPrice, TokenRates};
