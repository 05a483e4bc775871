//! `loopbreak analyze --open`: the page of the report in a browser.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{FinishedProgram, done, folder, loopbreak, stuck};

/// The program that opens pages.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Writes a log, and an opener that records what it was given.
fn prepared() -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 50)).unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let opener = bin.join(OPENER);
    fs::write(&opener, "#!/bin/sh\necho \"$1\" > opened.part && mv opened.part opened\n").unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn open(folder: &Path, path: &str, display: &str, args: &[&str]) -> FinishedProgram {
    let mut command = loopbreak(folder);
    command.env("PATH", path).env("DISPLAY", display).env("TMPDIR", folder);
    done(command.args(["analyze", "log.jsonl", "--open"]).args(args))
}

fn path_with_opener(folder: &Path) -> String {
    format!("{}:/usr/bin:/bin", folder.join("bin").display())
}

/// Returns the path that the opener was given, which is not waited for.
fn opened(folder: &Path) -> PathBuf {
    let end = Instant::now() + Duration::from_mins(2);
    while !folder.join("opened").exists() {
        assert!(Instant::now() < end, "the page was not opened");
        thread::sleep(Duration::from_millis(20));
    }
    fs::read_to_string(folder.join("opened")).unwrap().trim().into()
}

#[test]
fn a_private_page_is_written_and_opened() {
    let folder = prepared();
    let done = open(folder.path(), &path_with_opener(folder.path()), ":9", &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.contains("1 run, 50 steps"), "{}", done.out);
    let page = opened(folder.path());
    assert!(done.err.contains(&format!("loopbreak: opened the report {}", page.display())), "{}", done.err);
    assert!(page.is_absolute() && page.starts_with(folder.path()), "{}", page.display());
    assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!doctype html>") && text.contains("no progress for"), "it has the steps");
}

#[test]
fn the_file_of_html_is_opened_and_exit_codes_and_json_stay_as_they_are() {
    let folder = prepared();
    let args = ["--html", "report.html", "--json", "--fail-on", "stop"];
    let done = open(folder.path(), &path_with_opener(folder.path()), ":9", &args);
    assert_eq!(done.code, Some(10), "{}", done.err);
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(report["totals"]["stopped"], 1);
    assert_eq!(opened(folder.path()), folder.path().canonicalize().unwrap().join("report.html"));
    let pages = fs::read_dir(folder.path()).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "html")
    });
    assert_eq!(pages.count(), 1, "no other page is written");
}

#[test]
fn without_a_display_or_an_opener_the_path_is_printed() {
    let folder = prepared();
    let own_path = path_with_opener(folder.path());
    let cases = [("/nowhere", ":9", format!("the program {OPENER} was not found"))];
    let no_display =
        (own_path.as_str(), "", "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned());
    let has_displays = cfg!(target_os = "linux").then_some(no_display);
    for (path, display, message) in cases.into_iter().chain(has_displays) {
        let done = open(folder.path(), path, display, &["--quiet"]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        let (before, page) = done.err.trim().split_once("; the report is in ").unwrap();
        assert_eq!(before, format!("loopbreak: {message}"));
        assert!(fs::read_to_string(page).unwrap().starts_with("<!doctype html>"), "{page}");
        assert!(!folder.path().join("opened").exists());
    }
}
