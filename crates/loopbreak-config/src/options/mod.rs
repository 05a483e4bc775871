//! All options: their paths, descriptions and types, read from the schema of the settings.

mod option_list;
mod option_type;

pub use option_list::{OptionInfo, TableInfo, find_option, options, tables};
pub use option_type::{NumberRange, OptionChoice, OptionType};
pub(crate) use option_type::{check_value, not_a_table};
