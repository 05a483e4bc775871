//! `loopbreak analyze`.

use crate::args::AnalyzeArgs;
use crate::error::UserError;

pub(crate) fn run(args: &AnalyzeArgs) -> Result<u8, UserError> {
    let _config = crate::config::load(&args.config)?;
    if args.paths.is_empty() {
        return Err(
            UserError::usage("no path given").hint("name a file or a folder, or - for standard input")
        );
    }
    Err(UserError::failed("not written yet"))
}
