//! Finds the refused call and allows it.

use std::path::Path;

use loopbreak_store::{AllowCallError, RefusedCall};

use super::args::{AllowArgs, CallChoice};
use super::save_rule::save_rule;
use crate::error::UserError;
use crate::output::printable;
use crate::store::{open_user_store, warn};
use crate::{exit, output};

pub(crate) fn run(args: &AllowArgs) -> Result<u8, UserError> {
    let CallChoice::Last = args.which;
    let nothing = || {
        UserError::failed("no refused call found")
            .hint("`loopbreak log RUN` shows what happened in a session")
    };
    let mut store = open_user_store()?.ok_or_else(nothing)?;
    let call = RefusedCall::find_last(&*store, args.run.as_deref())?.ok_or_else(nothing)?;
    let rule = call.event.rule.clone().ok_or_else(nothing)?;
    call.allow(&mut *store, rule.clone(), warn)?;
    let action = printable(call.event.action.as_deref().unwrap_or_default());
    let style = output::text_style();
    let line = format!("allowed in {}: {action}", printable(&call.run.name()));
    output::print(&(style.wrap_line(&line, style.width, 4) + "\n"))?;
    if args.save {
        let file = save_rule(&rule, Path::new(&call.run.folder))?;
        output::print(&format!("and in all sessions: added [[allow]] to {}\n", file.display()))?;
    }
    Ok(exit::DONE)
}

impl From<AllowCallError> for UserError {
    fn from(error: AllowCallError) -> Self {
        UserError::failed(error.to_string())
    }
}
