//! Healthy work that other guards stopped, or that looks like a loop to one who reads too little. None of it gives
//! a warning.

use crate::signals::{
    announced, answered, assert_healthy, assert_spared, edited, fresh, fresh_uuid, in_batch, ran, read, said,
    unanswered, worked,
};
use crate::steps::{RunDriver, call};
use serde_json::{Value, json};

/// `Runfusion/Fusion#2404`: 174 different events in one step of a plan. Volume is not a repetition.
#[test]
fn fusion_2404_many_different_events_in_one_step_of_a_plan_are_healthy() {
    let records = (0..58_usize).flat_map(|n| {
        let path = format!("packages/p{}/src/view{n}.tsx", n % 7);
        [
            read(&path, n),
            edited(&path, &format!("<Button kind=\"k{n}\">"), &format!("<Action kind=\"k{n}\">")),
            ran(&format!("npx eslint {path}"), 0, &format!("{path}: {} problems fixed", n * 5 % 11)),
        ]
    });
    assert_spared(records);
}

/// `HKUDS/DeepCode#177`: a guard that is asked, even with nothing, must not count its own question.
#[test]
fn deepcode_177_asking_the_guard_does_not_count() {
    let mut run = RunDriver::new();
    for n in 0..12 {
        for command in ["", "", "write_file", "write_file src/net.py"] {
            run.weigh(command, 0.9);
        }
        run.see(&edited(&format!("src/layer{n}.py"), "pass", "return self.forward(x)"));
    }
    assert_healthy(&run);
}

/// `mozilla/pilo#640`: "Next month" in a date picker. Each click works, and the page shows another month.
#[test]
fn pilo_640_a_date_picker_is_turned_on_by_equal_clicks() {
    let months = ["May", "June", "July", "August", "September", "October", "November", "December"];
    let records = months.iter().enumerate().map(|(n, month)| {
        let page = format!(
            "heading \"{month} 2026\"\ngrid: first day {}, {} days\nbutton \"Next month\"",
            n * 3 % 7,
            30 + n % 2
        );
        worked("click", &json!({"ref": "E51", "element": "Next month"}), &page)
    });
    assert_spared(records);
}

/// Healthy: pages are turned by equal clicks, and the words tell that the agent gets on. No outcome is logged.
#[test]
fn pages_turned_by_equal_clicks_are_healthy_if_the_words_get_on() {
    let records = (2..=12).map(|n| {
        let words = format!("Nothing suitable there, now on page {n} of 12. Going on to the next one.");
        json!({"action": "click('next')", "say": words})
    });
    assert_spared(records);
}

/// Healthy: subagents are started for different parts of the work, and each start is acknowledged in the same words.
#[test]
fn subagents_started_for_different_parts_are_healthy() {
    let reply = "The agent was started in the background. You will be notified when it finishes its work.";
    let records =
        ["architecture", "tests", "naming", "security", "performance", "documentation"].map(|part| {
            worked(
                "Task",
                &json!({"description": format!("Review the {part}"), "prompt": "Read the diff."}),
                reply,
            )
        });
    assert_spared(records);
}

/// `google-gemini/gemini-cli#10620`, `google-gemini/gemini-cli#5440`, `google-gemini/gemini-cli#18551`: the user asks
/// for the same thing again, and the wish of the user is not a loop.
#[test]
fn gemini_cli_10620_what_the_user_asks_for_again_is_healthy() {
    let records = (0..8).flat_map(|_| {
        [
            json!({"user": "Show me the log of the last deployment again."}),
            ran("tail -n 3 deploy.log", 0, "pulled image\nstarted container\nhealthy"),
            said("Here it is: the container is healthy."),
        ]
    });
    assert_spared(records);
}

/// `RooCodeInc/Roo-Code#5879`: the path stands deep in the arguments, and the files are different ones.
#[test]
fn roo_code_5879_different_files_in_nested_arguments_are_healthy() {
    let records = (0..14).map(|n| {
        let args = json!({"args": {"file": [{"path": format!("src/models/m{n}.py"), "line_range": "1-40"}]}});
        worked("read_file", &args, &format!("class Model{n}(Base):\n    id = Column(Integer)\n"))
    });
    assert_spared(records);
}

/// `QwenLM/qwen-code` PR 3236: parallel readings of one message.
#[test]
fn qwen_code_3236_parallel_readings_of_one_message_are_healthy() {
    let files =
        ["README.md", "package.json", "src/index.ts", "src/cli.ts", "src/loop.ts", "LICENSE", "docs/api.md"];
    let batches = (0..3).flat_map(|n| {
        files.map(|file| in_batch(&format!("m{n}"), read(&format!("packages/k{n}/{file}"), 0)))
    });
    assert_spared(batches);
}

/// Healthy: other patterns in neighbouring folders, whose paths share their words.
#[test]
fn other_patterns_in_neighbouring_folders_are_healthy() {
    let asked = [
        ("handlers", "parse_token"),
        ("middleware", "RateLimiter"),
        ("routes", "axum::Router"),
        ("sessions", "fn evict"),
        ("errors", "impl From<"),
        ("metrics", "histogram!"),
        ("queries", "sqlx::query"),
        ("models", "derive(Serialize"),
        ("workers", "tokio::spawn"),
        ("tests", "#[ignore"),
    ];
    let records = asked.iter().enumerate().map(|(n, (folder, pattern))| {
        let path = format!("crates/shop-server/src/http/api/v2/{folder}");
        let reply =
            if n % 3 == 0 { "No matches found".to_owned() } else { format!("{path}/mod.rs:{}", n * 9 + 4) };
        worked(
            "grep",
            &json!({"pattern": pattern, "path": path, "output_mode": "content", "-n": true}),
            &reply,
        )
    });
    assert_spared(records);
}

/// Healthy: the words "error" and "failed" stand in what was read, and the log marks success.
#[test]
fn words_of_failure_in_what_was_read_are_healthy() {
    let records = (0..8).flat_map(|n| {
        let source = format!(
            "fn check_{n}() -> Result<(), Error> {{\n    // error: permission denied, command not found\n    Err(Error::Failed(\"operation {n} failed\"))\n}}"
        );
        let log = format!("{} Fix failed build: error in parser {n}\n{} Revert: tests failed with a fatal error", fresh(n), fresh(n + 50));
        [
            worked("read_file", &json!({"path": format!("src/errors/e{n}.rs")}), &source),
            ran(&format!("git log --oneline -2 -- src/errors/e{n}.rs"), 0, &log),
        ]
    });
    assert_spared(records);
}

/// Healthy: edits are made again after a checkout took them back.
#[test]
fn edits_made_again_after_a_checkout_are_healthy() {
    let pass = |n: usize| {
        let edits = (0..5).map(|k| edited(&format!("src/m{k}.c"), "malloc(", "xmalloc("));
        let failures = format!("{} of 60 tests fail", 9 - n * 4);
        let end =
            [ran("make test", 1, &failures), ran("git checkout -- src", 0, "Updated 5 paths from the index")];
        edits.chain(end).collect::<Vec<Value>>()
    };
    assert_spared((0..3).flat_map(pass));
}

/// Healthy: a bisection runs the same test at other commits, with the same failure at each.
#[test]
fn the_same_failing_test_at_other_commits_is_healthy() {
    let subjects = ["Add tax", "Round totals", "Cache rates", "Split orders", "Drop v1", "Move tests"];
    let records = subjects.iter().zip(0_u64..).flat_map(|(subject, n)| {
        let commit = fresh(n);
        [
            ran(&format!("git checkout {commit}"), 0, &format!("HEAD is now at {commit} {subject}")),
            ran("cargo test rounding", 101, "test rounding ... FAILED\nassertion failed: 10.00 == 10.01"),
        ]
    });
    assert_spared(records);
}

/// Returns an output of a whole iteration, as a command-line agent prints it.
fn envelope(n: u64, result: &str) -> Value {
    let text = json!({
        "type": "result", "subtype": "success", "is_error": false, "duration_ms": 61_000 + n * 977,
        "duration_api_ms": 58_000 + n * 911, "num_turns": 14, "result": result, "session_id": fresh_uuid(n),
        "total_cost_usd": 0.21, "usage": {"input_tokens": 1_204, "cache_read_input_tokens": 91_000, "output_tokens": 2_210},
        "permission_denials": [], "uuid": fresh_uuid(n + 500),
    });
    json!({"outcome": text.to_string()})
}

/// Healthy: outputs of iterations in one and the same envelope, in which the result differs.
#[test]
fn envelopes_around_different_results_are_healthy() {
    let results = [
        "Added the parser for dates.",
        "Wrote tests for leap years.",
        "Fixed the time zone bug.",
        "Documented the format.",
        "Removed the old reader.",
        "Ported the exporter.",
        "Sped up the index.",
        "Closed the file handle leak.",
        "Renamed the module.",
        "Released 0.4.",
    ];
    assert_spared(results.iter().zip(0_u64..).map(|(result, n)| envelope(n, result)));
}

/// Healthy: the words before the calls are alike, and every call finds something else.
#[test]
fn a_batch_announced_in_the_same_words_is_healthy() {
    let records = (0..15).map(|n| {
        let record = answered(
            "get_order",
            &json!({"id": 9_100 + n * 7}),
            &json!({"total": n * 31 + 5, "items": n % 4 + 1}),
        );
        announced(record, "Next, I look up the following order on the list.")
    });
    assert_spared(records);
}

/// Healthy: a form whose controls have fresh ids is filled in, each field announced.
#[test]
fn a_form_with_fresh_ids_is_healthy() {
    let fields = ["first name", "last name", "street", "city", "zip code", "country", "phone", "email"];
    let records = fields.iter().enumerate().map(|(n, field)| {
        let action = format!("fill('{}{}', 'value of {field}')", ['a', 'b', 'c'][n % 3], 30 + n * 17);
        json!({"action": action, "say": format!("Now I fill in the {field}.")})
    });
    assert_spared(records);
}

/// Healthy: the same look at the status after each piece of work.
#[test]
fn the_same_status_after_each_piece_of_work_is_healthy() {
    let records = (0..12).flat_map(|n| {
        [
            edited(&format!("site/page{n}.md"), "TODO", &format!("Text of page {n}.")),
            call("check_links", &json!({"folder": "site"}), "0 broken links"),
        ]
    });
    assert_spared(records);
}

/// Healthy: outcomes are not logged, and every call is another one.
#[test]
fn different_calls_without_outcomes_are_healthy() {
    let records =
        (0..30).map(|n| unanswered("open_document", &json!({"title": format!("Minutes of meeting {n}")})));
    assert_spared(records);
}
