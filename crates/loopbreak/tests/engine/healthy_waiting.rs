//! Waiting that other guards took for a loop. Waiting is a state: equal waiting steps are warned of at 10, and
//! waiting that moves on never is.

use crate::signals::{
    answered, assert_spared, by, edited, first_hard, first_warning, fresh, notification, ran, said, timed,
    worked,
};
use crate::steps::{call, failing, played};
use serde_json::{Value, json};

/// `lobehub/lobehub#18989`: the status of a job by its id, every 45 seconds. It was killed at the fifth.
#[test]
fn lobehub_18989_nine_equal_polls_45_seconds_apart_are_waiting() {
    let poll = answered("get_job_status", &json!({"jobId": "img-77"}), &json!({"state": "processing"}));
    let done = answered(
        "get_job_status",
        &json!({"jobId": "img-77"}),
        &json!({"state": "done", "url": "/i/77.png"}),
    );
    assert_spared(timed(std::iter::repeat_n(poll, 9).chain([done]), 45_000));
}

/// `lobehub/lobehub#18989`: with a percentage that moves, there is no limit.
#[test]
fn lobehub_18989_polls_that_move_on_are_waiting() {
    let records = (0..40_u64).map(|n| {
        answered(
            "get_job_status",
            &json!({"jobId": "vid-9"}),
            &json!({"state": "processing", "progress": format!("{} %", n * 5 / 2)}),
        )
    });
    assert_spared(timed(records, 45_000));
}

/// `tinyhumansai/openhuman#4230`: a wait that timed out twice may be made a third time.
#[test]
fn openhuman_4230_a_wait_that_timed_out_may_be_made_again() {
    let wait = |reply: &str| call("wait_subagent", &json!({"id": "sub-3", "timeout_seconds": 60}), reply);
    let records = std::iter::repeat_n(wait("timed out after 60 s, the subagent is still running"), 6);
    assert_spared(timed(records.chain([wait("finished: 14 files reviewed")]), 60_000));
}

/// `typeclaw/typeclaw#669`: six subagents are polled in turn. Nine rounds are waiting; 75 polls are no reason to stop.
#[test]
fn typeclaw_669_six_running_subagents_may_be_polled_in_turn() {
    let poll = |n: u64| {
        let id = format!("sub-{}", n % 6);
        answered("subagent_status", &json!({"id": id}), &json!({"id": id, "status": "running"}))
    };
    let run = played(timed((0..75).map(poll), 2_000));
    assert_eq!(first_hard(&run), None);
    let warned = first_warning(&run);
    assert!(warned.is_none_or(|turn| turn > 54), "warned at {warned:?}");
}

/// `zeroclaw-labs/zeroclaw#8213`, `Intrect-io/OpenSwarm#262`: a burst of equal 429s says that one has to wait.
#[test]
fn zeroclaw_8213_a_burst_of_429s_is_waiting() {
    let busy = "429 Too Many Requests: rate limit reached, retry after 20 s";
    let args = json!({"query": "open invoices", "limit": 50});
    let burst = std::iter::repeat_n(failing("crm_search", &args, busy), 8);
    let then = worked("crm_search", &args, "{\"total\":12}");
    assert_spared(timed(burst.chain([then, edited("report.md", "?", "12")]), 21_000));
}

/// `Intrect-io/OpenSwarm#262`: the provider itself is overloaded, and the log has no call.
#[test]
fn openswarm_262_a_provider_that_is_overloaded_is_waited_for() {
    let busy = json!({"outcome": {"text": "API Error: 529 overloaded_error: the model is at capacity", "error": true}});
    let quota =
        json!({"outcome": {"text": "API Error: 429 quota exceeded, resets in 2 minutes", "error": true}});
    for outage in [busy, quota] {
        let records = std::iter::repeat_n(outage, 6).chain([ran("cargo test", 0, "ok. 12 passed")]);
        assert_spared(timed(records, 30_000));
    }
}

/// Returns an empty poll of a session of a command.
fn empty_poll(n: u64, output: &str) -> Value {
    let reply = format!(
        "Chunk ID: {}\nWall time: 1.0{} seconds\nProcess running with session ID 41827\nOutput:\n{output}",
        fresh(n),
        n % 10
    );
    call("write_stdin", &json!({"session_id": 41_827, "chars": "", "yield_time_ms": 1_000}), &reply)
}

/// `weave-os/router#1123`: a command is launched, and its session is polled by empty writes.
#[test]
fn router_1123_a_launch_and_empty_polls_are_healthy() {
    let launch = || {
        let reply = "Process running with session ID 41827\nOutput:\n";
        call("exec_command", &json!({"cmd": "cargo build --release", "yield_time_ms": 1_000}), reply)
    };
    let end = || {
        call(
            "write_stdin",
            &json!({"session_id": 41_827, "chars": ""}),
            "Process exited with code 0\nOutput:\nFinished",
        )
    };
    assert_spared([launch()].into_iter().chain((0..9).map(|n| empty_poll(n, ""))).chain([end()]));
    let moving = (0..40).map(|n| empty_poll(n, &format!("Compiling crate_{n} ({n} of 60)")));
    assert_spared([launch()].into_iter().chain(moving).chain([end()]));
}

/// An empty command that is answered by "still running" is waiting.
#[test]
fn nine_empty_commands_answered_by_still_running_are_waiting() {
    let wait =
        worked("execute_bash", &json!({"command": "", "is_input": true}), "[The command is still running.]");
    let start = worked("execute_bash", &json!({"command": "make world"}), "[The command is still running.]");
    let end = worked("execute_bash", &json!({"command": "", "is_input": true}), "world built\n[exit code 0]");
    assert_spared([start].into_iter().chain(std::iter::repeat_n(wait, 9)).chain([end]));
}

/// `browser-use/browser-use#4033`: waits, scrolls and ways back between different pages.
#[test]
fn browser_use_4033_waits_scrolls_and_ways_back_are_healthy() {
    let items = ["the oak table", "the pine shelf", "the steel lamp", "the wool rug"];
    let records = items.iter().enumerate().flat_map(|(n, item)| {
        let open = json!({"action": format!("click('{}')", 210 + n * 11), "say": format!("I open {item}.")});
        let found = format!("{} costs {} euros.", item, 40 + n * 23);
        vec![
            open,
            json!({"action": "wait(2)"}),
            json!({"action": "scroll(0, 400)"}),
            json!({"action": "scroll(0, 400)"}),
            json!({"action": "go_back()", "say": found}),
        ]
    });
    assert_spared(records);
}

/// `Lumvale/amir-loop#134`: a gate takes forty minutes, and its shards finish one after the other.
#[test]
fn amir_loop_134_sixty_polls_of_a_gate_that_moves_on_are_waiting() {
    let records = (0..60_u64).map(|n| {
        ran(
            "gh pr checks 77 --watch=false",
            0,
            &format!("gate\tpending\t{} of 60 shards done\t{}m{}s", n, n * 40 / 60, n * 40 % 60),
        )
    });
    assert_spared(timed(records, 40_000));
}

/// `Lumvale/amir-loop#134`: a few minutes at a gate that tells nothing, between other work.
#[test]
fn amir_loop_134_a_gate_between_other_work_is_waiting() {
    let records = (0..6_u64).flat_map(|n| {
        let mut steps = vec![edited(&format!("docs/d{n}.md"), "draft", "final")];
        steps.extend(std::iter::repeat_n(ran("gh run view 991", 0, "status: in_progress"), 5));
        steps.push(ran("gh run view 991", 0, &format!("status: completed, conclusion: success, run {n}")));
        steps
    });
    assert_spared(timed(records, 35_000));
}

/// `rjwalters/loom#1460`: twelve minutes of thinking, then done.
#[test]
fn loom_1460_twelve_minutes_of_thinking_are_healthy() {
    let records = [
        ran("git diff --stat", 0, " 14 files changed, 220 insertions(+)"),
        said("I think about the order in which the locks are taken before I change anything."),
        edited("src/lock.rs", "a.lock(); b.lock();", "b.lock(); a.lock();"),
        ran("cargo test", 0, "test result: ok. 77 passed"),
    ];
    assert_spared(timed(records, 720_000));
}

/// Healthy: a sleep before every look at a training that gets on.
#[test]
fn sleeps_between_looks_that_move_on_are_healthy() {
    let records = (1..=25_u64).map(|n| {
        let line = format!("step {}/20000 loss {}.{:02}", n * 800, 3 - n / 10, 97 - n * 3 % 90);
        ran("sleep 60 && tail -n 1 train.log", 0, &line)
    });
    assert_spared(timed(records, 61_000));
    let apart = (1..=20_u64).flat_map(|n| {
        [
            ran("sleep 30", 0, ""),
            ran("aws s3 ls s3://backup --summarize", 0, &format!("Total Objects: {}", n * 113)),
        ]
    });
    assert_spared(apart);
}

/// Healthy: several background jobs, each ended by a notification, with a look at each.
#[test]
fn background_jobs_that_end_one_by_one_are_healthy() {
    let records = (0..8_u64).flat_map(|n| {
        [
            by("main", call("bash_output", &json!({"id": format!("job{n}")}), "(running)")),
            by("main", call("bash_output", &json!({"id": format!("job{n}")}), "(running)")),
            notification(),
            by(
                "main",
                call("bash_output", &json!({"id": format!("job{n}")}), &format!("done: {} files", n * 3 + 1)),
            ),
        ]
    });
    assert_spared(records);
}
