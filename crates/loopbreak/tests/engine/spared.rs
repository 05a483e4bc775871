//! Healthy work that other detectors stopped. None of it gives a warning here.

use crate::steps::{RunDriver, call, config, sh};
use loopbreak::{DetectorName, Severity};
use serde_json::{Value, json};

const REPEATING: [DetectorName; 5] = [
    DetectorName::Cycle,
    DetectorName::Recurrence,
    DetectorName::Drift,
    DetectorName::FailingTarget,
    DetectorName::Poll,
];

fn edit(path: &str, n: usize) -> Value {
    let args = json!({"file_path": path, "old_string": format!("v{n}"), "new_string": format!("v{}", n + 1)});
    call("edit", &args, "The file was updated.")
}

#[track_caller]
fn assert_spared_in(mut run: RunDriver, records: impl IntoIterator<Item = Value>) {
    for record in records {
        run.see(&record);
    }
    for detector in REPEATING {
        let bad = run.findings(detector).into_iter().filter(|finding| finding.severity >= Severity::Warn);
        let seen: Vec<_> = bad.map(|finding| (finding.turn, finding.pattern)).collect();
        assert!(seen.is_empty(), "{detector:?} {seen:?}");
    }
}

#[track_caller]
fn assert_spared(records: impl IntoIterator<Item = Value>) {
    assert_spared_in(RunDriver::new(), records);
}

#[test]
fn roo_code_9502_fifty_pages_with_the_same_arguments_are_not_a_loop() {
    for tool in ["read_output", "fetch_page"] {
        assert_spared(
            (1..=50).map(|n| {
                call(tool, &json!({"id": "cmd-1"}), &format!("8192 bytes read, total {}", n * 8192))
            }),
        );
    }
}

#[test]
fn pi_go_102_a_running_job_with_changing_output_may_be_polled() {
    assert_spared(
        (1..=60).map(|n| call("bash_output", &json!({"id": "make"}), &format!("[{n}/400] CC f{n}.o"))),
    );
}

#[test]
fn openhands_762_four_polls_five_minutes_apart_are_waiting() {
    for error in [false, true] {
        assert_spared((0..4_u64).map(|n| {
            let mut record = sh("gh run view 42", "not ready: the run is in progress");
            record["outcome"] = json!({"text": record["outcome"], "error": error});
            record["at"] = json!(1_762_248_924_000_u64 + n * 300_000);
            record
        }));
    }
}

#[test]
fn qwen_code_3236_five_parallel_reads_are_not_a_loop() {
    let files = ["README.md", "Cargo.toml", "src/lib.rs", "src/main.rs", "LICENSE"];
    assert_spared(files.map(|path| call("read_file", &json!({"path": path}), "(empty file)")));
}

#[test]
fn gemini_cli_8234_a_batch_over_30_files_with_identical_replies_is_not_a_loop() {
    assert_spared((0..30).map(|n| sh(&format!("git mv old/c{n}.tsx new/c{n}.tsx"), "ok")));
    assert_spared((0..30).map(|n| call("convert", &json!({"path": format!("d{n}.csv")}), "ok")));
}

#[test]
fn gemini_cli_5873_grep_move_grep_edit_for_each_file_is_not_a_loop() {
    assert_spared((0..30).flat_map(|n| {
        let grep = |what: &str| {
            call(
                "grep",
                &json!({"pattern": format!("{what}/Widget{n}"), "path": "src", "glob": "*.tsx"}),
                &format!("src/app{n}.tsx:1"),
            )
        };
        [
            grep("old"),
            sh(&format!("git mv old/Widget{n}.tsx new/Widget{n}.tsx"), ""),
            grep("import"),
            edit(&format!("src/app{n}.tsx"), 0),
        ]
    }));
}

#[test]
fn tests_after_every_edit_with_fewer_failures_each_time_are_progress() {
    assert_spared((0..10).flat_map(|n| {
        [edit("src/lib.rs", n), sh("cargo test", &format!("test result: FAILED. {} failed", 10 - n))]
    }));
}

#[test]
fn the_same_failure_after_three_different_edits_is_three_experiments() {
    assert_spared((0..3).flat_map(|n| [edit("src/lib.rs", n), sh("cargo test", "error: 1 test failed")]));
}

#[test]
fn traceroost_215_tests_may_be_run_again_after_each_of_ten_fixes() {
    assert_spared((0..10).flat_map(|n| {
        [edit(&format!("src/m{n}.rs"), n), sh("cargo test", "test result: ok. 12 passed; 0 failed")]
    }));
}

#[test]
fn a_todo_list_may_be_updated_between_work() {
    assert_spared((0..12).flat_map(|n| {
        let todos = json!({"todos": [{"content": "port the modules", "done": n}]});
        [edit(&format!("src/m{n}.rs"), n), call("TodoWrite", &todos, "Todos have been modified.")]
    }));
}

#[test]
fn the_status_between_commits_is_always_clean() {
    assert_spared((0..12).flat_map(|n| {
        [
            edit(&format!("src/m{n}.rs"), n),
            sh(&format!("git commit -am 'Port m{n}'"), "1 file changed"),
            sh("git status", "nothing to commit, working tree clean"),
        ]
    }));
}

#[test]
fn twelve_different_searches_without_a_match_are_not_a_loop() {
    let sought = [
        "parse_config",
        "TokenBucket",
        "retry_after",
        "fn open_session",
        "DeadlineExceeded",
        "impl Drop",
        "x-request-id",
        "unsafe",
        "json!",
        "lazy_static",
        "spawn_blocking",
        "#[must_use]",
    ];
    assert_spared(sought.map(|pattern| {
        let args =
            json!({"pattern": pattern, "path": "crates/loop/src", "output_mode": "files_with_matches"});
        call("grep", &args, "No matches found")
    }));
}

#[test]
fn walking_five_rooms_east_is_not_a_loop() {
    assert_spared(
        (0..5).map(|n| json!({"action": "east", "outcome": "You walk on.", "place": format!("Passage {n}")})),
    );
}

#[test]
fn waiting_three_times_because_the_game_requires_it_is_not_a_loop() {
    assert_spared(vec![json!({"action": "wait", "outcome": "Time passes.", "place": "Dock"}); 3]);
}

#[test]
fn a_file_may_be_read_again_after_it_was_edited() {
    assert_spared((0..8).flat_map(|n| {
        [call("read_file", &json!({"path": "a.rs"}), &format!("const A: &str = \"v{n}\";")), edit("a.rs", n)]
    }));
}

#[test]
fn a_poll_loop_under_an_allow_rule_is_not_reported() {
    let run = RunDriver::with(config(json!({"allow": [{"tool": "bash_output", "args": "*watcher*"}]})));
    assert_spared_in(run, vec![call("bash_output", &json!({"id": "watcher"}), ""); 100]);
}

#[test]
fn parallel_steps_of_different_agents_are_judged_separately() {
    assert_spared((0..2).flat_map(|_| {
        ["a", "b", "c", "d"].map(|agent| {
            let mut record = sh("cargo check", "error: could not compile");
            record["agent"] = json!(agent);
            record
        })
    }));
}

fn spaced(records: impl IntoIterator<Item = Value>, seconds: u64) -> Vec<Value> {
    let mut at = 1_762_248_924_000_u64;
    let stamp = |mut record: Value| {
        at += seconds * 1000;
        record["at"] = json!(at);
        record
    };
    records.into_iter().map(stamp).collect()
}

#[test]
fn a_job_may_be_checked_eight_times_with_a_sleep_before_each() {
    assert_spared(
        (0..8).flat_map(|_| [sh("sleep 30", ""), sh("kubectl get job build", "build 0/1 running")]),
    );
}

#[test]
fn sleeping_thirty_times_between_pieces_of_work_is_not_a_dead_poll() {
    assert_spared(
        (0..30).flat_map(|n| [sh("sleep 5", ""), sh(&format!("curl api/items/{n}"), &format!("item {n}"))]),
    );
    assert_spared(
        (0..30).flat_map(|n| [sh("sleep 5", ""), sh("tail -1 build.log", &format!("[{n}/400] CC"))]),
    );
}

#[test]
fn a_rollout_may_be_checked_eight_times_half_a_minute_apart() {
    assert_spared(spaced(vec![sh("kubectl rollout status deploy/web", "Waiting: 1 of 3 updated"); 8], 30));
}

#[test]
fn the_pages_of_a_long_file_may_be_read_to_the_end() {
    assert_spared((0..60).map(|n| {
        let args = json!({"path": "src/engine.rs", "offset": n * 40, "limit": 40});
        call("read_file", &args, &format!("{}: fn part_{n}() {{}}", n * 40))
    }));
}

#[test]
fn a_batch_over_many_ids_with_identical_replies_is_not_a_sweep() {
    assert_spared((0..60).map(|n| call("archive_ticket", &json!({"id": n}), "archived")));
}

#[test]
fn a_few_growing_depths_and_timeouts_are_not_a_sweep() {
    assert_spared(
        (1..=4).map(|n| call("analyze", &json!({"path": ".", "max_depth": n}), &"x".repeat(n * 9))),
    );
}

#[test]
fn the_same_failure_after_six_different_edits_is_six_experiments() {
    assert_spared((0..6).flat_map(|n| [edit("src/lib.rs", n), sh("cargo test", "error: 1 test failed")]));
}

#[test]
fn edits_that_describe_their_change_are_not_failures() {
    let snippet = "The file src/a.rs has been edited. Here is a part of it: if not ready { return Nothing }";
    assert_spared((0..20).map(|n| {
        call(
            "str_replace_editor",
            &json!({"path": "src/a.rs", "old_str": format!("{n}"), "new_str": "x"}),
            snippet,
        )
    }));
}
