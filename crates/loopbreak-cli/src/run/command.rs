//! From arguments to a run, and to its exit code.

use super::args::RunArgs;
use super::course::Course;
use super::interrupt::Interrupts;
use super::keep::{Keeper, say};
use super::notify::Told;
use super::prompt::Prompt;
use super::settings;
use crate::error::UserError;

/// Runs the command until a guard, a promise or a human ends it.
pub(crate) fn run(args: &RunArgs) -> Result<u8, UserError> {
    let config = settings::load(args)?;
    let prompt = Prompt::new(args)?;
    let told = Told::new(args)?;
    if let Some(folder) = &args.log_dir {
        std::fs::create_dir_all(folder)
            .map_err(|error| UserError::failed(format!("--log-dir {}: {error}", folder.display())))?;
    }
    let interrupts = Interrupts::listen()?;
    let (keeper, guard, kept) = Keeper::open(&args.command, &config, args.resume)?;
    let mut course = Course { args, config, prompt, told, interrupts, keeper, guard, kept, human: None };
    course.begin();
    match course.go() {
        Ok((ending, why)) => {
            let what = format!("{}: {why}", ending.as_str());
            course.end(&what, ending.code());
            say(&what);
            Ok(ending.code())
        }
        Err(error) => {
            course.end(&format!("failed: {error}"), error.code);
            Err(error)
        }
    }
}
