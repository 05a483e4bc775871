//! `cargo xtask screenshots`: the pictures of the report page in the documentation, taken by a real browser.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use crate::chore_failure::ChoreFailure;
use crate::process::{root, run as run_process, stdout_of};
use crate::programs::BROWSER;
use crate::workspace_program::WorkspaceProgram;

/// The logs the page is made from: runs that are stuck, and logs of many tools.
const LOGS: [&str; 2] = ["examples", "crates/loopbreak-trace/tests/fixtures"];
/// The folder of the pictures.
const FOLDER: &str = "docs/images";
/// The figures that the pictures show. A test compares them with those of the program, because pictures cannot be compared.
const FIGURES: &str = "figures.json";

/// A picture of the page.
struct PageScreenshot {
    name: &'static str,
    /// The run that is open, or the list of runs.
    run: Option<&'static str>,
    dark: bool,
    size: (u32, u32),
    /// The page that shows it.
    guide: &'static str,
}

const fn shot(
    name: &'static str,
    run: Option<&'static str>,
    dark: bool,
    guide: &'static str,
) -> PageScreenshot {
    let size = if run.is_some() { (1200, 900) } else { (1200, 800) };
    PageScreenshot { name, run, dark, size, guide }
}

const SHOTS: [PageScreenshot; 4] = [
    shot("report.png", None, false, "analyze.md"),
    shot("run.png", Some("flaky-login"), false, "analyze.md"),
    shot("run-dark.png", Some("flaky-login"), true, "analyze.md"),
    shot("run-game.png", Some("dam"), false, "game-agent.md"),
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
    command.args(["analyze", "--json", "--html", &page_name]);
    let report = stdout_of(command.args(LOGS).stderr(Stdio::null()))?;
    let report: Value = serde_json::from_slice(&report)
        .map_err(|error| ChoreFailure::Failed(format!("the report is not JSON: {error}")))?;
    let figures = format!("{:#}\n", figures_of(&report));
    let path = root().join(FOLDER).join(FIGURES);
    fs::write(&path, figures)
        .map_err(|error| ChoreFailure::io(format_args!("write {}", path.display()), &error))?;
    for shot in &SHOTS {
        shot.take(&page, &folder.join("profile"))?;
        eprintln!("xtask: {FOLDER}/{}, shown in docs/guide/{}", shot.name, shot.guide);
    }
    Ok(())
}

/// Returns the figures of a report that the pictures show.
fn figures_of(report: &Value) -> Value {
    let totals = [
        "runs",
        "steps",
        "ended",
        "warned",
        "steps_after_ending",
        "tokens_after_ending",
        "progress_after_ending",
    ];
    let run = ["steps", "ending", "steps_after_ending", "tokens_after_ending", "cost_after_ending_usd"];
    let pick = |from: &Value, keys: &[&str]| -> Value {
        keys.iter().map(|key| ((*key).to_owned(), from[*key].clone())).collect::<Map<_, _>>().into()
    };
    let opened: BTreeSet<&str> = SHOTS.iter().filter_map(|shot| shot.run).collect();
    let runs = report["runs"].as_array().into_iter().flatten();
    let runs = runs.filter(|one| one["run"].as_str().is_some_and(|name| opened.contains(name)));
    let runs: Map<String, Value> =
        runs.map(|one| (one["run"].as_str().unwrap_or_default().to_owned(), pick(one, &run))).collect();
    json!({"logs": LOGS, "totals": pick(&report["totals"], &totals), "runs": runs})
}

impl PageScreenshot {
    fn take(&self, page: &Path, profile: &Path) -> Result<(), ChoreFailure> {
        let file = root().join(FOLDER).join(self.name);
        let (width, height) = self.size;
        let fragment = self.run.map(|run| format!("#run={run}")).unwrap_or_default();
        let mut browser = Command::new("chromium");
        browser
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
            // Time passes as fast as the page can use it, so that the picture shows a page that is done.
            .arg("--virtual-time-budget=5000")
            .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!self.dark)))
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--screenshot={}", file.display()))
            .arg(format!("file://{}{fragment}", page.display()));
        run_process(browser.stdout(Stdio::null()).stderr(Stdio::null()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_there_and_shown() {
        for shot in &SHOTS {
            let guide = fs::read_to_string(root().join("docs/guide").join(shot.guide)).unwrap();
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
