//! The browser by which pages are looked at, in the tests and for the pictures of the documentation.

use crate::failure::Failure;
use crate::needed::Program;

/// Makes sure that it is there. A machine without one gets it where that is ours to do.
pub(crate) fn install() -> Result<(), Failure> {
    const BROWSER: Program = Program {
        why: "pages are looked at in",
        places: &["chromium"],
        version: "--version",
        package: "chromium",
    };
    BROWSER.install()
}
