//! `loopbreak config check`: shows the effective values and their origin.

use std::path::Path;

use loopbreak_config::LoadError;

use super::args::{CheckArgs, GetArgs};
use super::explain::unknown_key;
use crate::error::UserError;
use crate::{config_loading, exit, output};

pub(super) fn run(args: &CheckArgs) -> Result<u8, UserError> {
    let mut options = args.options.clone();
    let mut folder = Path::new(".");
    match &args.path {
        Some(path) if path.is_dir() => folder = path,
        Some(path) => options.config = Some(path.clone()),
        None => {}
    }
    match config_loading::loader(&options, folder).load() {
        Ok(loaded) if args.json => output::print_indented_json(&loaded.to_json())?,
        Ok(loaded) => output::print(&loaded.render_table())?,
        Err(LoadError::Invalid { source_file, error, .. }) if args.json => {
            output::print_indented_json(&error.to_json(source_file.as_ref()))?;
            return Ok(exit::USAGE);
        }
        Err(error) => return Err(config_loading::report(error)),
    }
    Ok(exit::DONE)
}

/// Prints the effective value of one option.
pub(super) fn get(args: &GetArgs) -> Result<u8, UserError> {
    let loaded =
        config_loading::loader(&args.options, Path::new(".")).load().map_err(config_loading::report)?;
    let key = args.key.trim();
    let option = loaded.effective_options().into_iter().find(|option| option.path == key);
    let value = option.ok_or_else(|| unknown_key(key))?.value;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    output::print(&(text + "\n"))?;
    Ok(exit::DONE)
}
