//! `cargo xtask screenshots`: the pictures of the report page and of the dashboard in the documentation, taken by a real browser.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use crate::chore_failure::ChoreFailure;
use crate::dashboard_pictures;
use crate::process::{root, run as run_process, stdout_of};
use crate::programs::{BROWSER, DATABASE_SHELL};
use crate::workspace_program::WorkspaceProgram;

/// The log of the overview: sessions of three weeks.
const SESSIONS: &[&str] = &["examples/sessions.jsonl"];
/// The logs of the open runs.
const RUNS: &[&str] = &["examples/coding.jsonl", "examples/dam.jsonl"];
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

const OVERVIEW: (u32, u32) = (1200, 1700);
const RUN: (u32, u32) = (1200, 1180);
/// The narrowest window that the browser has.
const PHONE: (u32, u32) = (500, 1180);

const fn shot(
    name: &'static str,
    run: Option<&'static str>,
    dark: bool,
    size: (u32, u32),
    guide: &'static str,
) -> PageScreenshot {
    PageScreenshot { name, run, dark, size, guide }
}

const SHOTS: [PageScreenshot; 7] = [
    shot("report.png", None, false, OVERVIEW, "analyze.md"),
    shot("report-dark.png", None, true, OVERVIEW, "analyze.md"),
    shot("report-phone.png", None, false, PHONE, "analyze.md"),
    shot("run.png", Some("flaky-login"), false, RUN, "analyze.md"),
    shot("run-dark.png", Some("flaky-login"), true, RUN, "analyze.md"),
    shot("run-phone.png", Some("flaky-login"), false, PHONE, "analyze.md"),
    shot("run-game.png", Some("dam"), false, (1200, 900), "game-agent.md"),
];

/// Takes all pictures.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    BROWSER.install()?;
    DATABASE_SHELL.install()?;
    let folder = root().join("target/screenshots");
    let dashboard = |program: &Path| {
        dashboard_pictures::take_pictures(program, &root().join(FOLDER), &folder.join("dashboard"))
    };
    match arguments {
        [] => dashboard(&WorkspaceProgram::Loopbreak.build_in(&root(), &["--quiet"])?)?,
        // A program that exists, for those who work on the dashboard.
        [part, program] if part == "dashboard" => return dashboard(Path::new(program)),
        [other, ..] => return Err(ChoreFailure::Usage(format!("screenshots: unexpected {other:?}"))),
    }
    fs::create_dir_all(&folder)
        .map_err(|error| ChoreFailure::io(format_args!("make {}", folder.display()), &error))?;
    let (overview, runs) = (folder.join("report.html"), folder.join("runs.html"));
    let (sessions, opened) = (report_of(SESSIONS, &overview)?, report_of(RUNS, &runs)?);
    let figures = format!("{:#}\n", figures_of(&sessions, &opened));
    let path = root().join(FOLDER).join(FIGURES);
    fs::write(&path, figures)
        .map_err(|error| ChoreFailure::io(format_args!("write {}", path.display()), &error))?;
    for shot in &SHOTS {
        let page = if shot.run.is_some() { &runs } else { &overview };
        shot.take(page, &folder.join("profile"))?;
        eprintln!("xtask: {FOLDER}/{}, shown in docs/guide/{}", shot.name, shot.guide);
    }
    Ok(())
}

/// Writes the page of logs and returns their report.
fn report_of(logs: &[&str], page: &Path) -> Result<Value, ChoreFailure> {
    let page_name = page.to_string_lossy().into_owned();
    let mut command = WorkspaceProgram::Loopbreak.command()?;
    command.args(["analyze", "--json", "--html", &page_name]);
    let report = stdout_of(command.args(logs).stderr(Stdio::null()))?;
    serde_json::from_slice(&report)
        .map_err(|error| ChoreFailure::Failed(format!("the report is not JSON: {error}")))
}

/// Returns the figures that the pictures show: totals of the sessions, and the runs that are open.
fn figures_of(sessions: &Value, opened_runs: &Value) -> Value {
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
    let runs = opened_runs["runs"].as_array().into_iter().flatten();
    let runs = runs.filter(|one| one["run"].as_str().is_some_and(|name| opened.contains(name)));
    let runs: Map<String, Value> =
        runs.map(|one| (one["run"].as_str().unwrap_or_default().to_owned(), pick(one, &run))).collect();
    let totals = pick(&sessions["totals"], &totals);
    json!({"logs": SESSIONS, "totals": totals, "run_logs": RUNS, "runs": runs})
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
