//! `loopbreak config check`: shows the effective values and their origin.

use std::path::Path;

use loopbreak_config::LoadError;

use super::args::CheckArgs;
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
    match config_loading::loader(&options, folder)?.load() {
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
