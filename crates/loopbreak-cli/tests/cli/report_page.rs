//! `loopbreak analyze --html`: the page in a real browser, with mouse and keyboard.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::browser::TestBrowser;
use crate::support::{analyze, folder, healthy, root, stuck};
use serde_json::{Value, json};

/// Returns a run with a loop of two calls from turn 21 on.
fn looping_run(run: &str, turns: u64) -> String {
    let mut log = String::new();
    for turn in 1..=turns {
        let command = match turn {
            0..=20 => format!("sed -n {turn}p notes"),
            _ if turn % 2 == 1 => "cargo test".to_owned(),
            _ => "cat src/parser.rs".to_owned(),
        };
        let outcome = format!("{command} gave this");
        let step = json!({"run": run, "turn": turn, "action": {"name": "bash", "args": {"command": command}}, "outcome": outcome});
        writeln!(log, "{step}").unwrap();
    }
    log
}

/// Writes the page of this log and returns its text.
fn write_page(folder: &Path, log: &str) -> String {
    fs::write(folder.join("runs.jsonl"), log).unwrap();
    let done = analyze(folder, &["runs.jsonl", "--html", "report.html", "--quiet"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    fs::read_to_string(folder.join("report.html")).unwrap()
}

#[test]
fn the_list_is_sorted_by_clicks_and_navigated_with_keys() {
    let folder = folder();
    write_page(folder.path(), &(stuck("b-stuck", 60) + &healthy("a-well", 30) + &looping_run("c-loop", 60)));
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "", folder.path());
    let names = "[...document.querySelectorAll('#table tbody a')].map((link) => link.textContent).join()";
    assert_eq!(browser.eval("document.querySelector('#table [aria-sort]').textContent"), "wasted");
    browser.eval("document.getElementById('by-run').click()");
    assert_eq!(browser.eval(names), "a-well,b-stuck,c-loop");
    assert_eq!(
        browser.eval("document.querySelector('#table [aria-sort]').getAttribute('aria-sort')"),
        "ascending"
    );
    browser.eval("document.getElementById('by-run').focus()");
    browser.key("Enter");
    assert_eq!(browser.eval(names), "c-loop,b-stuck,a-well", "a second press turns the order");
    // Open a run from the list with the arrow keys, and return to the same row.
    browser.eval("document.querySelector('#table tbody a').focus()");
    browser.key("ArrowDown");
    assert_eq!(browser.eval("document.activeElement.textContent"), "b-stuck");
    browser.key("Enter");
    assert_eq!(browser.eval("location.hash"), "#run=b-stuck");
    assert_eq!(browser.eval("document.getElementById('overview').hidden"), true);
    assert_eq!(browser.eval("document.querySelector('#run h1').textContent"), "stop b-stuck");
    browser.key("Escape");
    assert_eq!(browser.eval("document.getElementById('overview').hidden"), false);
    assert_eq!(browser.eval("document.activeElement.textContent"), "b-stuck");
    // The list is one tab stop, whatever its length.
    assert_eq!(browser.eval("document.querySelectorAll('#table tbody a[tabindex=\"0\"]').length"), 1);
    browser.eval("{ const find = document.getElementById('find'); find.value = 'LOOP'; find.dispatchEvent(new Event('input')); }");
    assert_eq!(browser.eval(names), "c-loop");
}

#[test]
fn a_run_in_the_address_shows_its_timeline_its_loop_and_its_steps() {
    let folder = folder();
    write_page(folder.path(), &(healthy("well", 30) + &looping_run("c loop/1", 60)));
    let mut browser =
        TestBrowser::open(&folder.path().join("report.html"), "#run=c%20loop%2F1", folder.path());
    let number = |browser: &mut TestBrowser, selector: &str| {
        browser.eval(&format!("document.querySelectorAll('{selector}').length")).as_u64().unwrap()
    };
    assert!(number(&mut browser, "svg .flag") > 0 && number(&mut browser, "svg .flag.hard") > 0);
    assert_eq!(
        number(&mut browser, "svg .band[data-turn=\"21\"][data-period=\"2\"]"),
        1,
        "the loop and its period"
    );
    assert_eq!(number(&mut browser, "svg text.end"), 1, "here it would have stopped");
    assert_eq!(
        browser.eval("[...document.querySelectorAll('svg .name')].at(-2).textContent"),
        "bashbash: 60 turns"
    );
    // The loop is open, and the steps before it are one row.
    assert_eq!(number(&mut browser, "li.step"), 40);
    assert_eq!(browser.eval("document.querySelector('.steps > li').className"), "fold quiet");
    browser.eval("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Open all').click()");
    assert_eq!(number(&mut browser, "li.step"), 60);
    assert_eq!(number(&mut browser, "li.step.loop"), 40);
    assert_eq!(number(&mut browser, "li.ending"), 1);
    let facts = browser.eval("document.querySelector('li.said dl').textContent");
    assert!(facts.as_str().unwrap().contains("repeats2 calls, 2 times"), "{facts}");
    assert_eq!(browser.eval("document.body.textContent.includes('[object')"), false);
    assert_eq!(browser.eval("document.querySelector('li.step.loop .round').textContent"), "round 1");
    // A click opens a step, with the repeated part marked.
    browser.eval("document.querySelector('li.step[data-turn=\"25\"] > button').click()");
    let marked = browser.eval("[...document.querySelectorAll('li.step[data-turn=\"25\"] mark')].map((part) => part.textContent).join('|')");
    assert_eq!(marked, "bash {\"command\":\"cargo test\"}|cargo test gave this");
    assert_eq!(number(&mut browser, "svg .cursor"), 1);
    // Keyboard zoom: fewer turns in view, then all again.
    let range = "document.querySelector('.range').textContent";
    assert_eq!(browser.eval(range), "All turns, 1–60");
    browser.key("+");
    browser.key("+");
    assert_ne!(browser.eval(range), "All turns, 1–60");
    browser.key("-");
    browser.key("0");
    assert_eq!(browser.eval(range), "All turns, 1–60");
    // The arrow keys also move through the steps.
    browser.eval("document.querySelector('li.step > button').focus()");
    browser.key("ArrowDown");
    browser.key("Enter");
    assert_eq!(browser.eval("document.activeElement.getAttribute('aria-expanded')"), "true");
    assert_eq!(browser.eval("document.activeElement.closest('li').dataset.turn"), "2");
}

#[test]
fn the_dam_page_shows_score_places_and_periods_without_progress() {
    let folder = folder();
    write_page(folder.path(), &fs::read_to_string(root().join("examples/dam.jsonl")).unwrap());
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "#run=dam", folder.path());
    for part in ["path.score", ".stuck", ".mark", ".band", ".stay", ".after", "path.end"] {
        let found = browser.eval(&format!("document.querySelectorAll('.canvas {part}').length"));
        assert!(found.as_u64().unwrap() > 0, "{part}");
    }
    assert_eq!(
        browser.eval("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Open all').click(), document.querySelectorAll('li.step').length"),
        341,
        "a short run is there whole"
    );
}

#[test]
fn a_run_says_that_items_could_not_be_read() {
    let folder = folder();
    write_page(folder.path(), crate::unread_items::LOG);
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "#run=s1", folder.path());
    let note = browser.eval("document.querySelector('.story strong.warn').textContent");
    assert_eq!(note, "1 item could not be read, and may be part of a loop");
}

#[test]
fn markup_in_a_log_is_shown_as_text() {
    let folder = folder();
    let evil = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">'\"&lt;\u{202E}\u{2028}\u{0}\u{1b}[31m";
    let mut log = String::new();
    for turn in 1..=30 {
        let step = json!({"run": evil, "turn": turn, "agent": evil, "action": {"name": evil, "args": {"x": evil}},
            "outcome": {"text": evil, "error": true}, "say": evil, "place": evil, "score": 1,
            "objectives": {"completed": [evil]}, "task": {"id": evil, "status": "blocked", "blockers": [evil]}});
        writeln!(log, "{step}").unwrap();
    }
    log += "{\"run\":\"key\",\"action\":\"curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789'\"}\n";
    let page = write_page(folder.path(), &log);
    assert!(!page.contains("<img") && !page.contains("ghijklmnopqrst") && !page.contains('\u{202E}'));
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    assert_eq!(page.matches("<script").count(), 4, "the list, two runs, and the script of the page");
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "", folder.path());
    browser.eval("document.querySelector('#table tbody a').click()");
    browser.eval("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Open all')?.click()");
    browser.eval("document.querySelectorAll('li.step > button').forEach((button) => button.click())");
    let title = browser.eval("document.title");
    assert!(title.as_str().unwrap().ends_with("Loopbreak report") && title != "owned", "{title}");
    assert_eq!(browser.eval("document.querySelectorAll('img, main script, #run script').length"), 0);
    assert!(
        browser.eval("document.querySelector('.whole').textContent").as_str().unwrap().contains("<img src=x")
    );
    // Even a script injected into the page would not run, and nothing can be loaded.
    let inserted = "(async () => { const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script); \
        return [window.ran ?? 'did not run', await fetch('data:,x').then(() => 'loaded', () => 'refused')].join(); })()";
    assert_eq!(browser.eval(inserted), "did not run,refused");
}

#[test]
fn a_page_of_a_thousand_runs_is_small_and_opens_quickly() {
    let folder = folder();
    let mut log = String::new();
    for run in 0..1000_u64 {
        let lines = "a line of output that says little\n".repeat(20);
        for turn in 1..=60_u64 {
            let command =
                if turn > 20 && run % 3 == 0 { "cargo test".to_owned() } else { format!("do {run} {turn}") };
            let step = json!({"run": format!("run-{run}"), "turn": turn, "action": {"name": "bash", "args": {"command": command}},
                "outcome": format!("{command}: {lines}"), "usage": {"input_tokens": 1000}});
            writeln!(log, "{step}").unwrap();
        }
    }
    let page = write_page(folder.path(), &log);
    assert!(page.len() < 20_000_000, "{}", page.len());
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "", folder.path());
    let rows = "document.querySelectorAll('#table tbody tr').length";
    assert_eq!(browser.eval(rows), 100, "rows are added on demand");
    let status = browser.eval("document.querySelector('.selected').textContent");
    assert_eq!(status, "1,000 runs");
    let elements = browser.eval("document.querySelectorAll('*').length").as_u64().unwrap();
    assert!(elements < 4_000, "{elements} elements");
    let loaded = browser.eval("performance.getEntriesByType('navigation')[0].loadEventEnd").as_f64().unwrap();
    assert!(loaded < 10_000.0, "{loaded} ms");
    // Under 100 ms on an idle machine; the median of nine, with slack for a busy one.
    let filtered = browser.eval(
        "(() => { const find = document.getElementById('find'); const times = [...'123456789'].map((text) => {
            const start = performance.now(); find.value = `run-${text}`; find.dispatchEvent(new Event('input')); document.body.offsetHeight;
            return performance.now() - start; }).sort((a, b) => a - b);
          const left = document.querySelector('.selected').textContent; find.value = ''; find.dispatchEvent(new Event('input'));
          return [times[4], left]; })()",
    );
    assert!(filtered[0].as_f64().unwrap() < 1_000.0, "{filtered}");
    assert!(filtered[1].as_str().unwrap().starts_with("111 of 1,000 runs"), "{filtered}");
    browser.eval("[...document.querySelectorAll('#list button')].find((button) => button.textContent.startsWith('Show more')).click()");
    assert_eq!(browser.eval(rows), 200);
    let opened = browser.eval(
        "(() => { const start = performance.now(); location.hash = '#run=run-999'; dispatchEvent(new Event('hashchange')); \
         return [document.querySelectorAll('li.step').length > 5, performance.now() - start < 2000].join(); })()",
    );
    assert_eq!(opened, "true,true");
}

/// A coding agent that repeats one call with a result that differs a little, with a cost.
fn priced_loop(run: &str) -> String {
    let mut log = String::new();
    for turn in 1..=60_u64 {
        let (command, outcome) = if turn <= 20 {
            (format!("sed -n {turn}p notes"), format!("line {turn}"))
        } else {
            ("cargo test".to_owned(), format!("test parser::empty ... FAILED\nfinished in 0.{turn} s"))
        };
        let step = json!({"run": run, "turn": turn, "action": {"name": "bash", "args": {"command": command}}, "outcome": outcome,
            "usage": {"input_tokens": 1000, "cost_usd": 0.05}});
        writeln!(log, "{step}").unwrap();
    }
    log
}

#[test]
fn a_loop_is_one_row_with_its_cost_that_opens_with_what_differed() {
    let folder = folder();
    write_page(folder.path(), &priced_loop("again"));
    // The only run of a report opens at once.
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "", folder.path());
    assert_eq!(browser.eval("document.getElementById('overview').hidden"), true);
    let row = browser.eval("document.querySelector('li.fold.loop > button').textContent");
    let row = row.as_str().unwrap();
    for part in ["×40", "turns 21–60", "$2.00"] {
        assert!(row.contains(part), "{part} in {row}");
    }
    assert_eq!(
        browser.eval("document.querySelector('li.fold.loop > button').getAttribute('aria-expanded')"),
        "true"
    );
    let differs = browser.eval("document.querySelector('.differs').innerText");
    let differs = differs.as_str().unwrap();
    assert!(
        differs.contains("the same all 40 times") && differs.contains("40 variants in 40 steps"),
        "{differs}"
    );
    assert_eq!(browser.eval("document.querySelector('.differs del').textContent + document.querySelector('.differs ins').textContent"), "2122");
    // Escape folds the loop and keeps the place, Enter opens it again.
    browser.eval("document.querySelector('li.fold.loop li.step > button').focus()");
    browser.key("Escape");
    assert_eq!(browser.eval("document.activeElement === document.querySelector('li.fold.loop > button') && document.activeElement.getAttribute('aria-expanded')"), "false");
    assert_eq!(browser.eval("document.querySelector('.inside').checkVisibility()"), false);
    browser.key("Enter");
    assert_eq!(browser.eval("document.querySelector('.inside').checkVisibility()"), true);
    // A second Escape, outside of a fold, leads to the report.
    browser.eval("document.querySelector('h1').focus()");
    browser.eval("document.querySelector('#run h1').focus()");
    browser.key("Escape");
    assert_eq!(
        browser.eval("[location.hash, document.getElementById('overview').hidden].join()"),
        "#all,false"
    );
}

#[test]
fn a_link_to_a_turn_opens_the_loop_that_it_is_in() {
    let folder = folder();
    write_page(folder.path(), &(healthy("well", 30) + &priced_loop("again")));
    let mut browser =
        TestBrowser::open(&folder.path().join("report.html"), "#run=again&turn=5", folder.path());
    assert_eq!(browser.eval("document.activeElement.closest('li').dataset.turn"), "5");
    assert_eq!(browser.eval("document.activeElement.getAttribute('aria-expanded')"), "true");
    browser.eval("document.querySelector('.here button').click()");
    assert_eq!(browser.eval("document.activeElement.parentElement.className"), "fold loop hard");
}

#[test]
fn every_loop_has_a_name_or_a_number_also_on_a_phone() {
    let folder = folder();
    write_page(folder.path(), &fs::read_to_string(root().join("examples/coding.jsonl")).unwrap());
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "", folder.path());
    for width in [390, 1200] {
        browser.resize(width, 800);
        let bands = browser.eval("[...document.querySelectorAll('.canvas .band')].map((band) => band.querySelector('text')?.textContent ?? '')");
        let bands = bands.as_array().unwrap();
        assert!(!bands.is_empty() && bands.iter().all(|name| name != ""), "{width}: {bands:?}");
        // The page itself never scrolls sideways.
        let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(wide <= u64::from(width), "{wide} at {width}");
    }
    let listed =
        browser.eval("[...document.querySelectorAll('.here button')].map((button) => button.textContent)");
    assert!(listed[0].as_str().unwrap().contains("turns"), "{listed}");
}

#[test]
fn the_page_says_when_and_by_which_command_it_was_made_without_the_home_folder() {
    let folder = folder();
    fs::write(folder.path().join("a.jsonl"), stuck("a", 50)).unwrap();
    let home = folder.path().to_str().unwrap();
    let log = folder.path().join("a.jsonl");
    let mut command = crate::support::loopbreak(folder.path());
    command.env("HOME", home).env("SOURCE_DATE_EPOCH", "1762248924");
    let done = crate::support::done(command.arg("analyze").arg(log).args(["--html", "r.html", "-q"]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let page = fs::read_to_string(folder.path().join("r.html")).unwrap();
    let origin = page.lines().find(|line| line.contains("id=\"origin\"")).unwrap();
    assert!(origin.contains("2025-11-04 at 09:35 UTC"), "{origin}");
    assert!(origin.contains("loopbreak analyze ~/a.jsonl --html r.html -q"), "{origin}");
    assert!(origin.contains(env!("CARGO_PKG_VERSION")) && !origin.contains(home), "{origin}");
}

#[test]
fn the_page_needs_no_network_and_forbids_it() {
    let folder = folder();
    let page = write_page(folder.path(), &stuck("a", 50));
    for part in ["https://", "//cdn", "<link", "@import", "url(", "innerHTML =", "eval("] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(
        page.contains("content=\"default-src 'none'; style-src 'sha256-")
            && page.contains("script-src 'sha256-")
    );
    assert!(!page.contains("unsafe-inline"));
    for part in [
        "prefers-color-scheme: dark",
        "@media print",
        "prefers-reduced-motion",
        ":focus-visible",
        "<noscript>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_page_can_be_combined_with_json_and_never_overwrites_a_log() {
    let folder = folder();
    fs::write(folder.path().join("a.jsonl"), stuck("a", 50)).unwrap();
    fs::write(folder.path().join("a.html"), "old").unwrap();
    let done = analyze(folder.path(), &["a.jsonl", "--json", "--html", "a.html", "--events", "events.jsonl"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let data: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(data["runs"][0]["verdict"], "stop");
    assert!(fs::read_to_string(folder.path().join("a.html")).unwrap().starts_with("<!doctype html>"));
    assert!(fs::metadata(folder.path().join("events.jsonl")).unwrap().len() > 0);
    let over = analyze(folder.path(), &["a.jsonl", "--html", "./a.jsonl"]);
    assert_eq!(over.code, Some(2), "{}", over.err);
    assert!(over.err.contains("--html ./a.jsonl would overwrite an input log"), "{}", over.err);
    let nowhere = analyze(folder.path(), &["a.jsonl", "--html", "no/such/a.html"]);
    assert_eq!(nowhere.code, Some(1));
    assert!(nowhere.err.contains("cannot write no/such/a.html"), "{}", nowhere.err);
}

/// Other pages draw runs with the same scripts and styles.
#[test]
fn the_timeline_and_the_chart_work_in_another_page() {
    use loopbreak_report::html::page_parts::{
        DOM_SCRIPT, TIME_CHART_SCRIPT, TIME_CHART_STYLE, TIMELINE_SCRIPT, TIMELINE_STYLE,
    };
    let run = json!({"id": "x", "t": [1, 20], "n": 20, "s": 0, "at": [1_762_248_924_000_i64, 1_762_248_999_000_i64], "c": 2.5, "lu": 1.0});
    let data = json!({"agents": [], "records": 20, "score": [], "lanes": {"k": "tool", "n": [["bash", 20]], "s": [[1, 20, 0]]},
        "bands": [{"d": "cycle", "p": "cycle", "f": 5, "t": 15, "i": 4, "r": 1, "s": "hard", "c": 11, "y": "again"}],
        "stuck": [], "marks": [], "more": [0, 0, 0], "flags": [], "steps": []});
    let script = format!(
        "(() => {{ \"use strict\"; {DOM_SCRIPT}{TIMELINE_SCRIPT}{TIME_CHART_SCRIPT}
          const run = {run}; const chart = new TimeChart([run], [], () => {{}});
          document.body.append(new Timeline(run, {data}, () => {{}}).node, chart.node); chart.draw([run], null); }})();"
    );
    let style = format!("{TIMELINE_STYLE}{TIME_CHART_STYLE}");
    let page = loopbreak_report::markup::HtmlPage {
        title: "Another page",
        style: &style,
        script: Some(&script),
        body: "<h1>Another page</h1>",
    };
    let folder = folder();
    fs::write(folder.path().join("other.html"), page.write()).unwrap();
    let mut browser = TestBrowser::open(&folder.path().join("other.html"), "", folder.path());
    browser.resize(900, 700);
    assert_eq!(browser.eval("document.querySelector('.canvas .band text').textContent"), "cycle ↻1");
    let bar = browser.eval("document.querySelector('.bar').getAttribute('aria-label')");
    assert_eq!(bar, "4 November 2025: $1.00 in loops, 1 run");
}
