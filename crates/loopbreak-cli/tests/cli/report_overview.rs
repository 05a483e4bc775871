//! `loopbreak analyze --html`: the overview of many runs in a real browser, on a desktop and on a phone.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::browser::TestBrowser;
use crate::support::{analyze, folder, json as report_of, root};

const DESKTOP: (u32, u32) = (1400, 900);
const PHONE: (u32, u32) = (390, 844);

/// A session of Claude Code: the same failing test again and again, after some other calls.
struct MadeSession {
    id: &'static str,
    project: &'static str,
    prompt: &'static str,
    model: &'static str,
    /// The day in November 2025.
    day: u32,
    /// Number of other calls, and of equal ones after them.
    calls: (u32, u32),
}

const SESSIONS: [MadeSession; 6] = [
    session(
        "aaaa1111-0000-4000-8000-000000000001",
        "/home/ada/shop",
        "Repair the login test",
        "claude-opus-4-6",
        3,
        (5, 12),
    ),
    session(
        "bbbb2222-0000-4000-8000-000000000002",
        "/home/ada/shop",
        "Repair it now",
        "claude-opus-4-6",
        4,
        (2, 30),
    ),
    session(
        "cccc3333-0000-4000-8000-000000000003",
        "/home/ada/blog",
        "Write a feed",
        "claude-sonnet-4-5",
        4,
        (20, 0),
    ),
    session(
        "dddd4444-0000-4000-8000-000000000004",
        "/home/ada/blog",
        "Write a sitemap",
        "claude-sonnet-4-5",
        10,
        (9, 0),
    ),
    session(
        "eeee5555-0000-4000-8000-000000000005",
        "/srv/blog",
        "Make <b>it</b> fast",
        "my-own-model",
        20,
        (8, 9),
    ),
    session("ffff6666-0000-4000-8000-000000000006", "/srv/blog", "Once more", "claude-opus-4-6", 20, (3, 20)),
];

const fn session(
    id: &'static str,
    project: &'static str,
    prompt: &'static str,
    model: &'static str,
    day: u32,
    calls: (u32, u32),
) -> MadeSession {
    MadeSession { id, project, prompt, model, day, calls }
}

impl MadeSession {
    fn log(&self) -> String {
        let MadeSession { id, project, prompt, model, day, calls: (other, equal) } = self;
        let mut log = String::new();
        let mut line = |at: u32, content: Value| {
            let role = content["role"].as_str().unwrap().to_owned();
            let time = format!("2025-11-{day:02}T10:{:02}:{:02}.000Z", at / 60, at % 60);
            let entry = json!({"type": role, "sessionId": id, "cwd": project, "uuid": format!("{id}-{at}-{role}"),
                "timestamp": time, "message": content});
            writeln!(log, "{entry}").unwrap();
        };
        line(0, json!({"role": "user", "content": prompt}));
        for call in 1..=other + equal {
            let command =
                if call <= *other { format!("sed -n {call}p notes") } else { "npm test login".to_owned() };
            let tool = json!({"type": "tool_use", "id": format!("t{call}"), "name": "Bash", "input": {"command": command}});
            line(
                call * 2,
                json!({"role": "assistant", "id": format!("m{call}"), "model": model, "content": [tool],
                "usage": {"input_tokens": 20000, "output_tokens": 200}}),
            );
            let outcome = if call <= *other {
                format!("line {call}")
            } else {
                "login.test.ts: expected 200, got 401".to_owned()
            };
            let result = json!({"type": "tool_result", "tool_use_id": format!("t{call}"), "content": outcome, "is_error": call > *other});
            line(call * 2 + 1, json!({"role": "user", "content": [result]}));
        }
        log
    }
}

/// Writes the sessions, and their page.
fn write_sessions(folder: &Path) {
    let logs = folder.join("logs");
    fs::create_dir(&logs).unwrap();
    for session in &SESSIONS {
        fs::write(logs.join(format!("{}.jsonl", session.id)), session.log()).unwrap();
    }
    let done = analyze(folder, &["logs", "--html", "report.html", "--quiet"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
}

fn opened(folder: &Path, size: (u32, u32)) -> TestBrowser {
    let mut browser = TestBrowser::open(&folder.join("report.html"), "", folder);
    browser.resize(size.0, size.1);
    browser
}

/// The first characters of the ids in the list.
fn listed(browser: &mut TestBrowser) -> String {
    let ids = browser.eval("[...document.querySelectorAll('#table tbody a')].map((link) => link.textContent.slice(0, 1)).join('')");
    ids.as_str().unwrap().to_owned()
}

fn text(browser: &mut TestBrowser, selector: &str) -> String {
    browser.eval(&format!("document.querySelector('{selector}').textContent")).as_str().unwrap().to_owned()
}

fn click_chip(browser: &mut TestBrowser, facet: &str, value: &str) {
    let chip = format!("document.querySelector('[data-facet={facet}] [data-value=\"{value}\"]')");
    browser.eval(&format!("{chip}.click(); {chip}.focus()"));
    assert_eq!(browser.eval(&format!("{chip} === document.activeElement")), true, "the focus stays");
}

#[test]
fn a_run_is_recognized_by_project_prompt_date_duration_model_tokens_and_dollars() {
    let folder = folder();
    write_sessions(folder.path());
    let mut browser = opened(folder.path(), DESKTOP);
    let row = browser.eval("[...document.querySelectorAll('#table tbody tr')].find((row) => row.textContent.includes('aaaa')).innerText");
    let row = row.as_str().unwrap();
    for part in
        ["shop: Repair the login test", "2025-11-03", "31 s", "claude-opus-4-6", "claude-code", "343 k", "~$"]
    {
        assert!(row.contains(part), "{part} in {row}");
    }
    let unpriced = browser.eval("[...document.querySelectorAll('#table tbody tr')].find((row) => row.textContent.includes('eeee')).innerText");
    assert!(unpriced.as_str().unwrap().contains("unpriced"), "{unpriced}");
    // On a phone the same is there, below the id, and the page does not scroll sideways.
    browser.resize(PHONE.0, PHONE.1);
    let row = browser.eval("[...document.querySelectorAll('#table tbody tr')].find((row) => row.textContent.includes('aaaa')).innerText");
    for part in ["shop: Repair the login test", "2025-11-03", "31 s", "claude-opus-4-6", "~$"] {
        assert!(row.as_str().unwrap().contains(part), "{part} in {row}");
    }
    assert!(browser.eval("document.documentElement.scrollWidth").as_u64().unwrap() <= u64::from(PHONE.0));
}

#[test]
fn the_totals_agree_with_json_csv_and_the_terminal() {
    let folder = folder();
    write_sessions(folder.path());
    let mut browser = opened(folder.path(), DESKTOP);
    let spent = text(&mut browser, "#spent");
    let terminal = analyze(folder.path(), &["logs"]).out;
    let line = terminal.lines().find(|line| line.starts_with("you spent")).unwrap();
    assert_eq!(spent, format!("Y{}.", &line[1..]));
    let report = report_of(folder.path(), &["logs"]);
    let totals = &report["totals"]["spending"];
    let dollars = |value: &Value| format!("~${:.2}", value.as_f64().unwrap());
    assert!(
        spent.contains(&dollars(&totals["spent_usd"])) && spent.contains(&dollars(&totals["in_loops_usd"])),
        "{spent}"
    );
    // The figures of the runs add up to the totals, in the page as in the table.
    let sums = browser.eval(
        "(() => { const { runs } = JSON.parse(document.getElementById('runs').textContent);
            return ['c', 'lu', 'lk', 'ls', 's'].map((key) => runs.reduce((sum, run) => sum + (run[key] || 0), 0)); })()",
    );
    let csv = analyze(folder.path(), &["logs", "--csv", "-"]).out;
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    for (index, column, total) in [
        (0, "spent_usd", &totals["spent_usd"]),
        (1, "in_loops_usd", &totals["in_loops_usd"]),
        (2, "tokens_in_loops", &totals["tokens_in_loops"]),
        (3, "steps_in_loops", &totals["steps_in_loops"]),
        (4, "steps_after_ending", &report["totals"]["steps_after_ending"]),
    ] {
        // Reasons with commas are quoted; these columns are counted from the end.
        let from_end = rows[0].len() - rows[0].iter().position(|name| *name == column).unwrap();
        let is_before_reason = column == "steps_after_ending";
        let of_table: f64 =
            rows[1..].iter().map(|row| row[row.len() - from_end].parse::<f64>().unwrap_or(0.0)).sum();
        let (of_page, total) = (sums[index].as_f64().unwrap(), total.as_f64().unwrap());
        assert!((of_page - total).abs() < 1e-4 && total > 0.0, "{column}: {of_page} and {total}");
        assert!((of_table - total).abs() < 1e-4 || is_before_reason, "{column}: {of_table} and {total}");
    }
    // The loops of several runs are those of the report.
    let repeated = totals["repeated_loops"].as_array().unwrap();
    let rows = browser.eval("[...document.querySelectorAll('#loops tbody tr')].map((row) => [...row.cells].slice(1, 4).map((cell) => cell.textContent))");
    let several: Vec<&Value> = rows.as_array().unwrap().iter().filter(|row| row[0] != "1").collect();
    assert_eq!(several.len(), repeated.len(), "{rows}");
    for group in repeated {
        let row = json!([group["runs"].to_string(), group["steps"].to_string(), dollars(&group["cost_usd"])]);
        assert!(several.contains(&&row), "{row} in {rows}");
    }
    // A selection has sums of its own.
    click_chip(&mut browser, "project", "shop");
    let selected = text(&mut browser, ".selected");
    assert!(selected.starts_with("2 of 6 runs: ~$") && selected.contains("of it in loops ("), "{selected}");
}

#[test]
fn columns_sort_the_list_and_chips_with_counts_filter_it() {
    for size in [DESKTOP, PHONE] {
        let folder = folder();
        write_sessions(folder.path());
        let mut browser = opened(folder.path(), size);
        // As in the terminal: what was spent in loops comes first.
        assert_eq!(text(&mut browser, "#table [aria-sort]"), "in loops");
        let terminal = analyze(folder.path(), &["logs"]).out;
        let order: String = terminal
            .lines()
            .filter_map(|line| {
                line.strip_prefix("stop ")
                    .or_else(|| line.strip_prefix("warn "))
                    .or_else(|| line.strip_prefix("clear "))
            })
            .filter_map(|rest| rest.trim_start().chars().next())
            .collect();
        assert_eq!(listed(&mut browser), order);
        browser.eval("document.getElementById('by-run').click()");
        assert_eq!(listed(&mut browser), "abcdef");
        for (column, ids) in [("by-date", "efdbca"), ("by-cost", "fbadce")] {
            browser.eval(&format!("document.getElementById('{column}').click()"));
            if column == "by-date" {
                assert_eq!(listed(&mut browser).len(), ids.len());
                assert!(listed(&mut browser).ends_with('a'), "the newest first");
            }
            let sorted = browser.eval(&format!(
                "document.getElementById('{column}').closest('th').getAttribute('aria-sort')"
            ));
            assert_eq!(sorted, "descending");
        }
        let chips = |browser: &mut TestBrowser, facet: &str| {
            let chips = format!(
                "[...document.querySelectorAll('[data-facet={facet}] .chip')].map((chip) => chip.textContent).join('|')"
            );
            browser.eval(&chips).as_str().unwrap().to_owned()
        };
        // Two projects that end alike are told apart.
        assert_eq!(chips(&mut browser, "project"), "ada/blog 2|shop 2|srv/blog 2");
        assert_eq!(chips(&mut browser, "model"), "claude-opus-4-6 3|claude-sonnet-4-5 2|my-own-model 1");
        click_chip(&mut browser, "project", "shop");
        assert_eq!(chips(&mut browser, "model"), "claude-opus-4-6 2|claude-sonnet-4-5 0|my-own-model 0");
        assert_eq!(
            chips(&mut browser, "project"),
            "ada/blog 2|shop 2|srv/blog 2",
            "the others can still be added"
        );
        click_chip(&mut browser, "project", "ada/blog");
        click_chip(&mut browser, "verdict", "clear");
        browser.eval("document.getElementById('by-run').click()");
        assert_eq!(listed(&mut browser), "cd");
        assert_eq!(browser.eval("document.querySelector('[data-facet=verdict] [data-value=clear]').getAttribute('aria-pressed')"), "true");
        assert!(text(&mut browser, ".selected").starts_with("2 of 6 runs"));
        browser.eval("document.querySelector('.reset').click()");
        assert_eq!(listed(&mut browser), "abcdef");
        assert!(text(&mut browser, ".selected").starts_with("6 runs"));
        // The search finds projects, prompts and models too.
        for (wanted, ids) in [("sitemap", "d"), ("SONNET", "cd"), ("/srv", "ef"), ("<b>", "e")] {
            browser.eval(&format!("{{ const find = document.getElementById('find'); find.value = '{wanted}'; find.dispatchEvent(new Event('input')); }}"));
            assert_eq!(listed(&mut browser), ids, "{wanted}");
        }
    }
}

#[test]
fn a_bar_of_the_time_picture_selects_its_day_with_mouse_and_keyboard() {
    for size in [DESKTOP, PHONE] {
        let folder = folder();
        write_sessions(folder.path());
        let mut browser = opened(folder.path(), size);
        assert_eq!(text(&mut browser, "#time-h"), "Spent in loops per day");
        assert_eq!(text(&mut browser, ".bars .name"), "US dollars");
        let ticks =
            browser.eval("[...document.querySelectorAll('.bars .tick')].map((tick) => tick.textContent)");
        let ticks: Vec<&str> = ticks.as_array().unwrap().iter().map(|tick| tick.as_str().unwrap()).collect();
        assert!(ticks[0].starts_with('$') && ticks.contains(&"3 Nov"), "{ticks:?}");
        let names = browser
            .eval("[...document.querySelectorAll('.bar')].map((bar) => bar.getAttribute('aria-label'))");
        let names: Vec<&str> = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(names.len(), 4, "{names:?}");
        assert!(
            names[1].starts_with("4 November 2025: ~$") && names[1].contains(" in loops, 2 runs"),
            "{names:?}"
        );
        assert!(names[2].starts_with("10 November 2025: $0.00 in loops, 1 run"), "{names:?}");
        assert!(text(&mut browser, ".chart > p").contains("the 7 days before: $0.00"), "the trend in words");
        // A click selects the day, another one all.
        browser.eval(
            "document.querySelectorAll('.bar')[1].dispatchEvent(new MouseEvent('click', { bubbles: true }))",
        );
        browser.eval("document.getElementById('by-run').click()");
        assert_eq!(listed(&mut browser), "bc");
        assert!(text(&mut browser, ".selected").starts_with("2 of 6 runs"));
        assert_eq!(
            browser.eval("document.querySelectorAll('.bar').length"),
            4,
            "the other days stay in the picture"
        );
        browser.eval(
            "document.querySelectorAll('.bar')[1].dispatchEvent(new MouseEvent('click', { bubbles: true }))",
        );
        assert_eq!(listed(&mut browser), "abcdef");
        // One stop for the tab key, arrows from bar to bar, Enter selects.
        assert_eq!(browser.eval("document.querySelectorAll('.bar[tabindex=\"0\"]').length"), 1);
        browser.eval("document.querySelector('.bar[tabindex=\"0\"]').focus()");
        browser.key("Home");
        browser.key("ArrowRight");
        browser.key("Enter");
        assert_eq!(listed(&mut browser), "bc");
        assert_eq!(
            browser.eval("document.activeElement.getAttribute('aria-pressed')"),
            "true",
            "the focus stays"
        );
        browser.eval("document.querySelector('[aria-label=\"Selected time and loop\"] button').click()");
        assert_eq!(listed(&mut browser), "abcdef");
        // The parts of a bar can be projects, models or agents, and the measure all that was spent.
        let legend = |browser: &mut TestBrowser| {
            browser.eval("[...document.querySelectorAll('.chart .legend li')].map((item) => item.textContent).join('|')")
        };
        assert_eq!(legend(&mut browser), "shop|srv/blog|runs without loops");
        browser.eval("document.querySelector('[data-choice=all]').click(); document.querySelector('[data-choice=model]').click()");
        assert_eq!(text(&mut browser, "#time-h"), "Spent per day");
        assert_eq!(legend(&mut browser), "claude-opus-4-6|claude-sonnet-4-5");
        // From the search, the tab key leads to the first chip.
        browser.eval("document.getElementById('find').focus()");
        browser.key("Tab");
        assert_eq!(browser.eval("document.activeElement.dataset.value"), "stop");
    }
}

#[test]
fn without_prices_the_picture_is_in_tokens_and_without_times_there_is_none() {
    let folder = folder();
    let mut log = String::new();
    for turn in 1..=40 {
        let step = json!({"run": "r", "at": format!("2025-11-04T10:{turn:02}:00Z"), "action": {"name": "bash", "args": {"command": "make"}},
            "outcome": "failed", "usage": {"input_tokens": 1000}});
        writeln!(log, "{step}").unwrap();
    }
    fs::write(folder.path().join("tokens.jsonl"), &log).unwrap();
    fs::write(folder.path().join("steps.jsonl"), crate::support::stuck("a", 50)).unwrap();
    analyze(folder.path(), &["tokens.jsonl", "--html", "report.html", "-q"]);
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "#all", folder.path());
    assert_eq!(text(&mut browser, ".bars .name"), "tokens");
    let in_loops = report_of(folder.path(), &["tokens.jsonl"])["totals"]["spending"]["tokens_in_loops"]
        .as_u64()
        .unwrap();
    assert!(in_loops > 20_000, "{in_loops}");
    let spent = format!("You spent 40 k tokens, {} k of them in loops (", in_loops / 1000);
    assert!(text(&mut browser, "#spent").starts_with(&spent), "{spent}");
    drop(browser);
    analyze(folder.path(), &["steps.jsonl", "--html", "report.html", "-q"]);
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "#all", folder.path());
    assert_eq!(browser.eval("document.querySelector('.chart').hidden"), true);
    assert_eq!(browser.eval("document.getElementById('spent')"), Value::Null);
}

#[test]
fn wrong_times_in_a_log_do_not_make_the_picture_huge() {
    let folder = folder();
    let mut log = String::new();
    for (run, at) in [
        ("old", -60_000_000_000_000_i64),
        ("now", 1_762_248_924_000),
        ("then", 1_762_000_000_000),
        ("late", 4_000_000_000_000),
        ("never", i64::MAX),
    ] {
        for turn in 1..=5 {
            writeln!(
                log,
                "{}",
                json!({"run": run, "at": at, "action": format!("do {turn}"), "outcome": "ok"})
            )
            .unwrap();
        }
    }
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    analyze(folder.path(), &["log.jsonl", "--html", "report.html", "-q"]);
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "", folder.path());
    let bars = browser.eval("document.querySelectorAll('.bar').length").as_u64().unwrap();
    assert!((1..=4).contains(&bars), "{bars}");
    assert!(text(&mut browser, "#time-h").ends_with(" per year"));
    assert!(text(&mut browser, ".chart > p").contains("without a usable time"));
    assert_eq!(browser.eval("document.querySelectorAll('.bars svg *').length < 400"), true);
}

#[test]
fn a_loop_of_several_runs_opens_links_to_the_turn_at_which_it_began() {
    for size in [DESKTOP, PHONE] {
        let folder = folder();
        write_sessions(folder.path());
        let mut browser = opened(folder.path(), size);
        let first = "document.querySelector('#loops tbody tr')";
        assert_eq!(browser.eval(&format!("{first}.cells[1].textContent")), "4", "four runs");
        browser.eval("document.querySelector('#loops .opens').focus()");
        browser.key("Enter");
        let links = browser
            .eval("[...document.querySelectorAll('#loops .opened a')].map((link) => link.textContent)");
        let links = links.as_array().unwrap();
        assert_eq!(links.len(), 4, "{links:?}");
        assert!(links[0].as_str().unwrap().contains(", turn "), "{links:?}");
        browser.key("Escape");
        assert_eq!(browser.eval("document.querySelectorAll('#loops .opened').length"), 0);
        browser.key("Enter");
        // Only its runs in the list, then all of them.
        browser.eval("[...document.querySelectorAll('#loops .opened button')].at(-1).click()");
        browser.eval("document.getElementById('by-run').click()");
        assert_eq!(listed(&mut browser), "abef");
        browser.eval("document.querySelector('.reset').click()");
        let link = browser.eval("document.querySelector('#loops .opened a').getAttribute('href')");
        let link = link.as_str().unwrap().to_owned();
        let turn = link.split("&turn=").nth(1).unwrap().to_owned();
        browser.eval("document.querySelector('#loops .opened a').click()");
        browser.wait();
        assert_eq!(browser.eval("location.hash"), link.as_str());
        assert_eq!(browser.eval("document.activeElement.closest('li').dataset.turn"), turn.as_str());
        assert_eq!(browser.eval("document.documentElement.scrollWidth <= innerWidth"), true);
        browser.key("Escape");
        browser.key("Escape");
        browser.key("Escape");
        assert_eq!(browser.eval("document.getElementById('overview').hidden"), false);
    }
}

#[test]
fn the_cards_say_what_their_figures_mean() {
    let folder = folder();
    fs::write(
        folder.path().join("dam.jsonl"),
        fs::read_to_string(root().join("examples/dam.jsonl")).unwrap(),
    )
    .unwrap();
    analyze(folder.path(), &["dam.jsonl", "--html", "report.html", "-q"]);
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "#all", folder.path());
    let cards = browser.eval("[...document.querySelectorAll('.card')].map((card) => card.innerText.replaceAll('\\n', ' ')).join('|')");
    let cards = cards.as_str().unwrap();
    for part in [
        "Progress that a stop would have cost none none of the 1 run that would have ended",
        "Loops that needed help 7 of 13 continued after the point of the first warning, which the agent did not see; 6 stopped on their own",
    ] {
        assert!(cards.contains(part), "{part} in {cards}");
    }
}

#[test]
fn screen_readers_get_captions_states_and_live_counts() {
    let folder = folder();
    write_sessions(folder.path());
    let mut browser = opened(folder.path(), DESKTOP);
    let names = browser.eval("[...document.querySelectorAll('table')].map((table) => table.caption?.textContent || table.closest('[aria-label]')?.getAttribute('aria-label') || '')");
    assert!(names.as_array().unwrap().iter().all(|name| name != ""), "{names}");
    let groups = browser.eval(
        "[...document.querySelectorAll('[role=group]')].every((group) => group.getAttribute('aria-label'))",
    );
    assert_eq!(groups, true);
    let nameless = browser.eval("[...document.querySelectorAll('button, [role=button], a, input')].filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length)).length");
    assert_eq!(nameless, 0);
    assert_eq!(browser.eval("document.querySelector('.selected').getAttribute('role')"), "status");
    assert_eq!(browser.eval("document.querySelectorAll('#table tbody a[tabindex=\"0\"], #loops tbody button[tabindex=\"0\"]').length"), 2);
}
