//! `cargo xtask screenshots`: the pictures of the report page in the documentation, taken by a real browser.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::chore_failure::ChoreFailure;
use crate::process::{root, run as run_process};
use crate::programs::BROWSER;
use crate::workspace_program::WorkspaceProgram;

/// The logs the page is made from: a run that is stuck, and logs of many tools.
const LOGS: [&str; 2] = ["examples/dam.jsonl", "crates/loopbreak-trace/tests/fixtures"];
/// The folder of the pictures.
const FOLDER: &str = "docs/images";

/// A picture of the page.
struct PageScreenshot {
    name: &'static str,
    /// The part of the page that is open.
    fragment: &'static str,
    dark: bool,
    size: (u32, u32),
}

const SHOTS: [PageScreenshot; 3] = [
    PageScreenshot { name: "report.png", fragment: "", dark: false, size: (1200, 800) },
    PageScreenshot { name: "run.png", fragment: "#run=dam", dark: false, size: (1200, 900) },
    PageScreenshot { name: "run-dark.png", fragment: "#run=dam", dark: true, size: (1200, 900) },
];

/// Takes all pictures.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    if let [other, ..] = arguments {
        return Err(ChoreFailure::Usage(format!("screenshots: unexpected {other:?}")));
    }
    BROWSER.install()?;
    let folder = root().join("target/screenshots");
    fs::create_dir_all(&folder)
        .map_err(|error| ChoreFailure::io(format_args!("make {}", folder.display()), &error))?;
    let page = folder.join("report.html");
    let page_name = page.to_string_lossy().into_owned();
    let mut command = WorkspaceProgram::Loopbreak.command()?;
    command.args(["analyze", "--quiet", "--html", &page_name]);
    run_process(command.args(LOGS).stdout(Stdio::null()).stderr(Stdio::null()))?;
    for shot in &SHOTS {
        shot.take(&page, &folder.join("profile"))?;
        eprintln!("xtask: {FOLDER}/{}", shot.name);
    }
    Ok(())
}

impl PageScreenshot {
    fn take(&self, page: &Path, profile: &Path) -> Result<(), ChoreFailure> {
        let file = root().join(FOLDER).join(self.name);
        let (width, height) = self.size;
        let mut browser = Command::new("chromium");
        browser
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
            // Time passes as fast as the page can use it, so that the picture shows a page that is done.
            .arg("--virtual-time-budget=5000")
            .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!self.dark)))
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--screenshot={}", file.display()))
            .arg(format!("file://{}{}", page.display(), self.fragment));
        run_process(browser.stdout(Stdio::null()).stderr(Stdio::null()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_there_and_shown() {
        let guide = fs::read_to_string(root().join("docs/guide/analyze.md")).unwrap();
        for shot in &SHOTS {
            let picture = fs::read(root().join(FOLDER).join(shot.name)).unwrap();
            assert!(picture.starts_with(b"\x89PNG"), "{}", shot.name);
            let (width, height) = shot.size;
            assert_eq!(
                picture[16..24],
                [width.to_be_bytes(), height.to_be_bytes()].concat(),
                "{}",
                shot.name
            );
            assert!(guide.contains(&format!("../images/{}", shot.name)), "{}", shot.name);
        }
    }
}
