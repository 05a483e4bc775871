//! The cache of `analyze`: what is printed is the same with and without it, whatever happens to its files.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{FinishedProgram, done, folder, healthy, loopbreak, root, stuck};

/// A log is only stored if it was not changed a moment before.
const SETTLED: Duration = Duration::from_millis(60);

/// Runs `analyze` with the state in this folder.
fn analyze(folder: &Path, args: &[&str]) -> FinishedProgram {
    done(loopbreak(folder).env("XDG_STATE_HOME", folder.join("state")).arg("analyze").args(args))
}

/// Removes the line that says how many logs were not read, and returns their number.
fn without_count(done: &mut FinishedProgram) -> Option<u64> {
    let (before, rest) = done.err.split_once("unchanged since they were last analyzed: ")?;
    let (count, after) = rest.split_once('\n')?;
    let reused = count.split_whitespace().next()?.parse().ok();
    done.err = format!("{before}{after}");
    reused
}

fn cache_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(folder.join("state/loopbreak/analyses")) else { return Vec::new() };
    let files = files.map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "cache")).collect()
}

/// Writes two logs and waits until they can be stored.
fn two_logs(folder: &Path) {
    fs::create_dir_all(folder.join("logs")).unwrap();
    fs::write(folder.join("logs/a.jsonl"), stuck("a", 60) + "nonsense\n").unwrap();
    fs::write(folder.join("logs/b.jsonl"), healthy("b", 30)).unwrap();
    std::thread::sleep(SETTLED);
}

fn reused(folder: &Path) -> u64 {
    let mut done = analyze(folder, &["logs", "-v"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    without_count(&mut done).unwrap_or(0)
}

#[test]
fn the_output_for_the_logs_of_all_formats_is_the_same_with_and_without_the_cache() {
    let home = folder();
    let logs = root().join("crates/loopbreak-trace/tests/fixtures");
    let logs = logs.to_str().unwrap();
    let (page, table) = (home.path().join("page.html"), home.path().join("table.csv"));
    let run = "agent-aed33bc";
    let files = ["--html", page.to_str().unwrap(), "--csv", table.to_str().unwrap()];
    let all: [&[&str]; 10] = [
        &["--json"],
        &[],
        &["-v"],
        &["-q"],
        &files,
        &["--markdown", "-"],
        &["--since", "100000d", "--sort", "cost", "--top", "3"],
        &["--since", "1h"],
        &["--run", run, "--json"],
        &["--fail-on", "warn", "--junit", "-"],
    ];
    for args in all {
        let seen = |more: &[&str]| {
            let mut done = analyze(home.path(), &[&[logs], args, more].concat());
            let reused = without_count(&mut done);
            let files = [&page, &table].map(|path| {
                let text = fs::read_to_string(path).unwrap_or_default();
                // The page says when and by which command it was made.
                let lines = text.lines().filter(|line| !line.contains("id=\"origin\""));
                lines.map(str::to_owned).collect::<Vec<_>>()
            });
            (done.code, done.out, done.err, files, reused)
        };
        let (plain, first, second) = (seen(&["--no-cache"]), seen(&[]), seen(&[]));
        for cached in [&first, &second] {
            assert_eq!(plain.0, cached.0, "{args:?}");
            assert!(plain.1 == cached.1, "{args:?} prints something else");
            assert_eq!(plain.2, cached.2, "{args:?}");
            assert!(plain.3 == cached.3, "{args:?} writes something else");
        }
        assert_eq!(plain.4, None, "--no-cache looks up nothing");
        if args == ["-v"] {
            assert!(second.4 > Some(30), "{:?} logs were in the cache", second.4);
        }
    }
    assert!(!cache_files(home.path()).is_empty());
}

#[test]
fn a_log_is_read_again_when_it_has_changed() {
    let home = folder();
    two_logs(home.path());
    assert_eq!((reused(home.path()), reused(home.path())), (0, 2));
    let path = home.path().join("logs/b.jsonl");
    fs::write(&path, healthy("b", 45)).unwrap();
    std::thread::sleep(SETTLED);
    let grown = analyze(home.path(), &["logs"]);
    assert!(grown.out.contains("2 runs, 105 steps"), "{}", grown.out);
    assert_eq!(reused(home.path()), 2);
    // The same size and the same time, but another content.
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, healthy("b", 45).replacen("\"score\":2", "\"score\":9", 1)).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    std::thread::sleep(SETTLED);
    assert_eq!(reused(home.path()), 1);
}

#[test]
fn other_settings_read_the_logs_again() {
    let home = folder();
    two_logs(home.path());
    let count = |args: &[&str]| without_count(&mut analyze(home.path(), &[&["logs", "-v"], args].concat()));
    assert_eq!(count(&[]), Some(0));
    for args in [&["--set", "stagnation.max_turns=50"][..], &["--format", "steps"], &["--max-unpacked", "3G"]]
    {
        assert_eq!((count(args), count(args)), (Some(0), Some(2)), "{args:?}");
    }
    assert_eq!(count(&["--max-unpacked", "2G", "--no-cache"]), None);
    assert_eq!(count(&["--sort", "cost", "--since", "7d"]), Some(2), "a filter changes no result");
    assert_eq!(count(&["--run", "a"]), Some(2));
}

#[test]
fn a_damaged_cache_is_replaced_without_a_word() {
    let home = folder();
    two_logs(home.path());
    let plain = analyze(home.path(), &["logs", "--json", "--no-cache"]);
    for damage in 0..4 {
        assert_eq!(reused(home.path()), if damage == 0 { 0 } else { 2 });
        for path in cache_files(home.path()) {
            let mut bytes = fs::read(&path).unwrap();
            match damage {
                0 => bytes.truncate(bytes.len() / 2),
                1 => bytes.iter_mut().for_each(|byte| *byte ^= 0x11),
                2 => bytes.clear(),
                _ => bytes[20..120].fill(0),
            }
            fs::write(&path, bytes).unwrap();
        }
        let again = analyze(home.path(), &["logs", "--json"]);
        assert_eq!((again.code, &again.out, &again.err), (plain.code, &plain.out, &plain.err), "{damage}");
    }
    assert_eq!(reused(home.path()), 2);
}

#[test]
fn a_state_folder_that_cannot_be_written_changes_nothing() {
    let home = folder();
    two_logs(home.path());
    let plain = analyze(home.path(), &["logs", "-v", "--no-cache"]);
    // Not even root can create folders in a file.
    fs::write(home.path().join("state"), "").unwrap();
    for _ in 0..2 {
        let done = analyze(home.path(), &["logs", "-v"]);
        assert_eq!((done.code, &done.out, &done.err), (plain.code, &plain.out, &plain.err));
    }
    let homeless = done(loopbreak(home.path()).args(["analyze", "logs", "-v"]));
    assert_eq!((homeless.code, &homeless.out, &homeless.err), (plain.code, &plain.out, &plain.err));
}

/// A limit on the size of files stands for a full disk: the system refuses to write in both cases.
#[cfg(unix)]
#[test]
fn a_full_disk_changes_nothing_and_leaves_nothing_behind() {
    let home = folder();
    two_logs(home.path());
    let plain = analyze(home.path(), &["logs", "--no-cache"]);
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec '{}' analyze logs",
        assert_cmd::cargo::cargo_bin!("loopbreak").display()
    );
    for _ in 0..2 {
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(home.path())
            .env_clear()
            .env("XDG_STATE_HOME", home.path().join("state"))
            .output()
            .unwrap();
        let shown =
            (output.status.code(), String::from_utf8(output.stdout), String::from_utf8(output.stderr));
        assert_eq!(shown, (plain.code, Ok(plain.out.clone()), Ok(plain.err.clone())));
        let left: Vec<_> = fs::read_dir(home.path().join("state/loopbreak/analyses")).unwrap().collect();
        assert!(left.len() <= 1, "{left:?}");
    }
    assert_eq!((reused(home.path()), reused(home.path())), (0, 2));
}

#[test]
fn several_processes_at_once_print_the_same() {
    let home = folder();
    fs::create_dir_all(home.path().join("logs")).unwrap();
    for number in 0..40 {
        let text = stuck(&format!("a{number}"), 40 + number);
        fs::write(home.path().join(format!("logs/{number}.jsonl")), text).unwrap();
    }
    std::thread::sleep(SETTLED);
    let plain = analyze(home.path(), &["logs", "--json", "--no-cache"]);
    for _ in 0..4 {
        let start = || {
            Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
                .args(["analyze", "logs", "--json"])
                .current_dir(home.path())
                .env_clear()
                .env("XDG_STATE_HOME", home.path().join("state"))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let all: Vec<_> = (0..6).map(|_| start()).collect();
        for process in all {
            let output = process.wait_with_output().unwrap();
            assert_eq!(output.status.code(), plain.code);
            assert!(output.stdout == plain.out.as_bytes(), "a process printed something else");
            assert_eq!(String::from_utf8(output.stderr).unwrap(), plain.err);
        }
    }
    assert_eq!(reused(home.path()), 40);
    assert!(cache_files(home.path()).len() <= 9);
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_the_cache() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = folder();
    two_logs(home.path());
    assert_eq!(reused(home.path()), 0);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = home.path().join("state/loopbreak");
    assert_eq!((mode(&folder), mode(&folder.join("analyses"))), (0o700, 0o700));
    for path in fs::read_dir(folder.join("analyses")).unwrap() {
        assert_eq!(mode(&path.unwrap().path()), 0o600);
    }
}

/// Returns the number before a word of the last lines of the screen.
fn number_before(text: &str, word: &str) -> f64 {
    let before = text.split_once(word).unwrap_or_else(|| panic!("{word} in {text}")).0;
    let number =
        before.rsplit(|char: char| !(char.is_ascii_digit() || ",.".contains(char))).find(|it| !it.is_empty());
    number.unwrap().replace(',', "").parse().unwrap()
}

/// The person who pays compares them.
#[test]
fn the_totals_of_the_screen_agree_with_json_csv_and_the_page() {
    let home = folder();
    let examples = root().join("examples");
    let logs = root().join("crates/loopbreak-trace/tests/fixtures");
    let paths = [examples.to_str().unwrap(), logs.to_str().unwrap()];
    for _ in 0..2 {
        let page = home.path().join("page.html");
        let screen = analyze(home.path(), &[&paths[..], &["--html", page.to_str().unwrap()]].concat()).out;
        let json = analyze(home.path(), &[&paths[..], &["--json"]].concat()).out;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let csv = analyze(home.path(), &[&paths[..], &["--csv", "-"]].concat()).out;
        let page = fs::read_to_string(&page).unwrap();

        let lines = screen.lines().count();
        assert!(lines <= 60, "{lines} lines are more than a screen");
        let rows = csv_rows(&csv);
        let sum = |column: &str| {
            let index = rows[0].iter().position(|name| name == column).unwrap();
            rows[1..].iter().filter_map(|row| row[index].parse::<f64>().ok()).sum::<f64>()
        };
        let total = |key: &str| json["totals"][key].as_f64().unwrap();
        let spending = &json["totals"]["spending"];
        let found = screen.lines().find(|line| line.contains(" steps: ")).unwrap();
        let (runs, steps) = (number_before(found, " runs, "), number_before(found, " steps: "));
        assert_eq!((runs, steps), (total("runs"), total("steps")));
        assert_eq!((runs, steps), ((rows.len() - 1) as f64, sum("steps")));
        let saved = number_before(&screen[screen.find("\nsaves ").unwrap()..], " steps (");
        assert_eq!((saved, saved), (total("steps_after_ending"), sum("steps_after_ending")));
        let spent = number_before(&screen[screen.find("you spent ").unwrap()..], ", ");
        let in_loops = number_before(&screen[screen.find("you spent ").unwrap()..], " of it in loops");
        for (shown, key, column) in
            [(spent, "spent_usd", "spent_usd"), (in_loops, "in_loops_usd", "in_loops_usd")]
        {
            let exact = spending[key].as_f64().unwrap();
            assert!((shown - exact).abs() <= 0.005_001, "{key}: {shown} on the screen, {exact} in the JSON");
            assert!(
                (sum(column) - exact).abs() < 1e-4,
                "{column}: {} in the table, {exact} in the JSON",
                sum(column)
            );
        }
        let listed = page_runs(&page);
        let sum_listed = |key: &str| listed.iter().filter_map(|run| run[key].as_f64()).sum::<f64>();
        assert_eq!((listed.len() as f64, sum_listed("n"), sum_listed("s")), (runs, steps, saved));
        assert!(
            (sum_listed("c") - spending["spent_usd"].as_f64().unwrap()).abs() < 1e-4,
            "{}",
            sum_listed("c")
        );
    }
}

/// Returns the list of runs of a page.
fn page_runs(page: &str) -> Vec<serde_json::Value> {
    let (_, data) = page.split_once("<script type=\"application/json\" id=\"runs\">").unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let lists = std::iter::once(&data).chain(data.as_object().into_iter().flat_map(|data| data.values()));
    let is_list = |list: &&serde_json::Value| list[0]["src"].is_string() && list[0]["n"].is_number();
    lists.into_iter().find(is_list).and_then(serde_json::Value::as_array).unwrap().clone()
}

/// Splits a table of RFC 4180 into rows of cells.
fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            char => cell.push(char),
        }
    }
    rows
}
