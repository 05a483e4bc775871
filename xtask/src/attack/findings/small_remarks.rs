//! F28: the small remarks of the review.

use std::fmt::Write as _;
use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::{slow_ends, supply_chain};
use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::attack::http_client::HttpServer;
use crate::attack::limited_command::{MEGABYTE, megabytes};
use crate::attack::mcp_dialog::McpDialog;
use crate::chore_failure::ChoreFailure;

/// Memory of a server with very many sessions.
const SESSIONS_MEMORY: u64 = 400 * MEGABYTE;
/// Steps of a run after which its oldest events are removed, with what is recorded until the next look.
const MOST_EVENTS: u64 = 82_000;

/// Makes the attacks of the list.
pub(super) fn rest(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    open_input(lab, rows)?;
    log_pipe(lab, rows)?;
    slow_ends::worlds(lab, rows)?;
    slow_ends::notifications(lab, rows)?;
    huge_turn(lab, rows)?;
    long_run(lab, rows)?;
    many_sessions(lab, rows)?;
    hard_link(lab, rows)?;
    reversed_text(lab, rows)?;
    supply_chain::files(rows)?;
    Ok(())
}

fn open_input(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let end = home.hook_command(&home.event("session", "PostToolUse")).stays_open().run()?;
    let steps = home.loopbreak("log session").run()?;
    rows.judge(
        "a hook whose standard input is never closed",
        end.code() == Some(0) && end.is_within(lab.hook_time()) && steps.code() == Some(0),
        format_args!(
            "{}, step {}",
            end.describe(),
            if steps.code() == Some(0) { "recorded" } else { "not recorded" }
        ),
    );
    Ok(())
}

fn log_pipe(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    home.prepare("mkdir -p \"$XDG_STATE_HOME/loopbreak\" && mkfifo \"$XDG_STATE_HOME/loopbreak/hook.log\"")?;
    let broken = home.loopbreak("hook claude-code").input("{\"hook_event_name\": 7").run()?;
    let good = home.step("session", "PostToolUse")?;
    rows.judge(
        "`hook.log` is a pipe",
        [&broken, &good].iter().all(|end| end.code() == Some(0) && end.is_within(lab.hook_time())),
        format_args!("broken event: {}; good event: {}", broken.describe(), good.describe()),
    );
    Ok(())
}

fn huge_turn(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let mut log = String::new();
    for turn in 1..=40_u64 {
        let turn = if turn == 20 { u64::MAX } else { turn };
        // Writing to a text cannot fail.
        _ = writeln!(
            log,
            "{{\"run\":\"r\",\"turn\":{turn},\"action\":\"x\",\"outcome\":\"same\",\"score\":0}}"
        );
    }
    home.write("project/log.jsonl", log)?;
    let end = home.loopbreak("analyze log.jsonl --json").run()?;
    let text = home.loopbreak("analyze log.jsonl --verbose").run()?;
    let shown: Vec<&str> =
        ["18446744073709551616", "18446744073709551615 turns", "1.8e19", "18446744073709552000"]
            .into_iter()
            .filter(|number| end.out.contains(number) || text.out.contains(number))
            .collect();
    rows.judge(
        "a record with the turn 18446744073709551615",
        end.code() == Some(0) && text.code() == Some(0) && shown.is_empty(),
        if shown.is_empty() { "no number of that size in the report".to_owned() } else { shown.join(", ") },
    );
    Ok(())
}

fn long_run(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let attack = "one run of 90,000 steps";
    if !lab.is_full {
        rows.not_tried(attack, "takes minutes: `--slow`");
        return Ok(());
    }
    let home = lab.home()?;
    let mut dialog = McpDialog::initialized(&home)?;
    for number in 0..90_000 {
        dialog.call("record_step", &json!({"run": "x", "action": format!("a{number}"), "outcome": "1"}))?;
    }
    let events = home.home.sql("SELECT count(*) FROM events").map_err(ChoreFailure::Failed)?;
    let size = fs::metadata(home.home.store()).map_or(0, |file| file.len());
    let is_trimmed = events.parse().is_ok_and(|count: u64| count > 0 && count <= MOST_EVENTS);
    rows.judge(attack, is_trimmed, format_args!("{events} events kept, {}", megabytes(size)));
    Ok(())
}

fn many_sessions(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let mut server = HttpServer::start(&home, "", |command| command)?;
    let sessions = lab.size(4000, 300);
    let failed = |error: std::io::Error| ChoreFailure::io("talk to the server", &error);
    for _ in 0..sessions {
        let mut client = server.client(lab.seconds(20)).map_err(failed)?;
        client.initialize().map_err(failed)?;
        let answer = client.call("status", &json!({})).map_err(failed)?;
        if answer.status != 200 {
            return Err(ChoreFailure::Failed(format!("the server answers {}", answer.status)));
        }
    }
    // A new session is still accepted.
    thread::sleep(Duration::from_millis(200));
    let answer = server.client(lab.seconds(20)).and_then(|mut client| client.initialize()).map_err(failed)?;
    let peak = server.program.peak();
    rows.judge(
        "MCP sessions over HTTP that are left open",
        peak > 0 && peak < SESSIONS_MEMORY && answer.status == 200,
        format_args!("{sessions} sessions, at most {}", megabytes(peak)),
    );
    Ok(())
}

fn hard_link(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    home.write("project/.claude/settings.json", "{}\n")?;
    home.prepare("ln .claude/settings.json other-name.json")?;
    let end = home.loopbreak("hook install claude-code").run()?;
    let is_told = end.out.contains("hard link") || end.err.contains("hard link");
    let is_cut = home.read("project/other-name.json") == "{}\n";
    rows.judge(
        "`hook install` with settings that have a second name (hard link)",
        end.code() == Some(0) && (is_told || !is_cut),
        match (is_cut, is_told) {
            (false, _) => "both names have the new content",
            (true, true) => "the other name keeps the old content, and the user is told",
            (true, false) => "the other name keeps the old content, and nobody is told",
        },
    );
    Ok(())
}

fn reversed_text(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    const REVERSED: char = '\u{202e}';
    let home = lab.home()?;
    let step = json!({"run": format!("run{REVERSED}name"), "action": format!("act{REVERSED}ion"), "outcome": "same", "score": 0});
    home.write("project/log.jsonl", format!("{step}\n").repeat(60))?;
    let end = home
        .loopbreak("analyze log.jsonl --csv r.csv --markdown r.md --sarif r.sarif --junit r.xml")
        .run()?;
    let outputs = ["r.csv", "r.md", "r.sarif", "r.xml"];
    let texts = outputs.map(|name| home.read(&format!("project/{name}")));
    let open: Vec<&str> = outputs
        .into_iter()
        .zip(&texts)
        .filter(|(_, text)| text.contains(REVERSED))
        .map(|(name, _)| name)
        .collect();
    rows.judge(
        "U+202E in names, in CSV, Markdown, SARIF and JUnit",
        end.code() == Some(0) && open.is_empty() && texts.iter().all(|text| !text.is_empty()),
        if open.is_empty() { "in none of them".to_owned() } else { format!("in {}", open.join(", ")) },
    );
    Ok(())
}
