//! The browser by which pages are looked at, in the tests and for the pictures of the documentation.

use std::process::Command;

use crate::failure::Failure;
use crate::process::{run, works};

/// Makes sure that it is there. A machine without one gets it where that is ours to do.
pub(crate) fn install() -> Result<(), Failure> {
    let there = || works(Command::new("chromium").arg("--version"));
    if there() {
        return Ok(());
    }
    eprintln!("xtask: the browser `chromium` is needed; installing it with apt-get …");
    let installed = run(Command::new("apt-get").args(["install", "--yes", "chromium"]));
    match installed {
        Ok(()) if there() => Ok(()),
        result => {
            let why = match result {
                Err(Failure::Failed(why) | Failure::Usage(why)) => why,
                Ok(()) => "it does not start".to_owned(),
            };
            Err(Failure::Failed(format!(
                "pages are looked at in `chromium`, which is not on the path and cannot be installed here: {why}; \
                 install it by hand, on Debian with `sudo apt-get install chromium`"
            )))
        }
    }
}
