//! `loopbreak config explain`: describes options.

use loopbreak_config::reference::{explain, nearest_key, option_list};

use super::args::ExplainArgs;
use crate::error::UserError;
use crate::{exit, output};

pub(super) fn run(args: &ExplainArgs) -> Result<u8, UserError> {
    let text = match args.key.as_deref().map(str::trim) {
        None => option_list(),
        Some(key) => explain(key).ok_or_else(|| unknown_key(key))?,
    };
    output::print(&text)?;
    Ok(exit::DONE)
}

pub(super) fn unknown_key(key: &str) -> UserError {
    let hint = nearest_key(key).map_or_else(
        || "`loopbreak config explain` lists all options".to_owned(),
        |name| format!("did you mean {name}?"),
    );
    UserError::usage(format!("unknown option {key:?}")).hint(hint)
}
