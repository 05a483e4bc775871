//! Agents that their harness sends on although nothing is left to do, or nothing can be done before somebody else
//! acts. A round is a turn that the harness started.

use crate::signals::{
    announced, answered, assert_broken, assert_rounds_broken, assert_spared, continuation, edited,
    first_warning, notification, ran, read, said, timed_rounds, worked,
};
use crate::steps::{call, played};
use serde_json::{Value, json};

/// Returns rounds that the harness starts, each with the steps of its number.
fn sent_on(rounds: u64, steps: impl Fn(u64) -> Vec<Value>) -> Vec<Vec<Value>> {
    (0..rounds).map(|round| [vec![continuation()], steps(round)].concat()).collect()
}

/// Returns the launch of a background agent.
fn launch(job: &str) -> Value {
    let args =
        json!({"description": job, "prompt": "Audit the module and report", "run_in_background": true});
    worked("Task", &args, &format!("Agent for '{job}' was started in the background."))
}

/// `anthropics/claude-code#55754`: a stop hook sends the agent on while a background agent works. Waiting is a
/// state, so the limits of waiting hold: 10 and 20.
#[test]
fn claude_code_55754_fifty_minutes_of_saying_that_it_waits_are_broken() {
    let words = [
        "Waiting for the background agent.",
        "Still waiting for the background agent to finish.",
        "The background agent is still running. Waiting.",
    ];
    let rounds = sent_on(50, |n| vec![said(words[n as usize % 3])]);
    let rounds = timed_rounds(rounds, 30_000);
    assert_rounds_broken(vec![launch("audit the billing module")], rounds, 10, 20);
}

/// `openai/codex#22833`: a goal that asks for a confirmation all night, in other words each time.
#[test]
fn codex_22833_asking_for_the_same_confirmation_all_night_is_broken() {
    let words = [
        "I still need explicit billing confirmation before I can provision the cluster. Please confirm $42 a month.",
        "Provisioning stays blocked until billing for the cluster is confirmed explicitly.",
        "No change: explicit billing confirmation is required to provision the cluster.",
        "I cannot go on without your explicit confirmation of the billing for the cluster.",
        "Blocked. The cluster cannot be provisioned before you confirm the billing.",
    ];
    let lead = vec![
        read("infra/cluster.tf", 0),
        ran("terraform plan -no-color", 0, "Plan: 7 to add, 0 to change, 0 to destroy."),
        said("The plan is ready. Before I apply it I need explicit billing confirmation."),
    ];
    assert_rounds_broken(lead, sent_on(40, |n| vec![said(words[(n * 3 % 5) as usize])]), 6, 12);
}

/// `openai/codex#44909`: an idle thread is continued at once; each turn polls and reads the context again.
#[test]
fn codex_44909_an_idle_thread_that_only_reads_its_context_is_broken() {
    let rounds = sent_on(30, |n| {
        vec![
            answered(
                "list_agents",
                &json!({}),
                &json!({"agents": [{"name": "reviewer", "state": "running"}]}),
            ),
            read("AGENTS.md", 0),
            said(["No change yet.", "Nothing new.", "No update so far."][n as usize % 3]),
        ]
    });
    let rounds = timed_rounds(rounds, 30);
    assert_rounds_broken(vec![launch("review the change")], rounds, 5, 10);
}

/// `fitchmultz/pi-codex-goal#47`: a run that only looks at its own status.
#[test]
fn pi_codex_goal_47_a_run_that_only_looks_at_its_goal_is_broken() {
    let rounds = sent_on(30, |n| {
        let goal =
            json!({"goal": "publish the package", "status": "active", "tokens_used": 41_000 + n * 15_213});
        vec![
            answered("get_goal", &json!({}), &goal),
            said("Still blocked: the registry token is missing and only the user can provide it."),
        ]
    });
    let lead =
        vec![ran("npm publish", 1, "npm ERR! code ENEEDAUTH\nnpm ERR! need auth"), read("package.json", 0)];
    assert_rounds_broken(lead, rounds, 5, 10);
}

/// Returns one pass over work that is already done, up to the words that end it.
fn finished_pass() -> Vec<Value> {
    vec![
        ran("git log --oneline -3", 0, "4be1d02 Bump the parser\n91aa3cd Add tests\n77c02ef Start"),
        ran("gh pr checks 118", 0, "build\tpass\nlint\tpass\ntest\tpass"),
        read("docs/release.md", 4),
        worked(
            "slack_post_message",
            &json!({"channel": "#releases", "text": "PR 118 is green and merged."}),
            "ok",
        ),
        said("PR 118 is merged and announced. Loop terminates."),
    ]
}

/// `anthropics/claude-code#57660`: a loop that has ended is woken and does its finished work again.
#[test]
fn claude_code_57660_finished_work_done_again_after_each_waking_is_broken() {
    assert_rounds_broken(finished_pass(), sent_on(8, |_| finished_pass()), 2, 8);
}

/// `anthropics/claude-plugins-official#1699`: 6,239 iterations, because the promised word was never printed.
#[test]
fn claude_plugins_official_1699_iterations_with_nothing_left_to_do_are_broken() {
    let rounds = sent_on(60, |_| {
        vec![
            worked("read_file", &json!({"path": "PLAN.md"}), "- [x] parser\n- [x] printer\n- [x] docs\n"),
            said("All items of the plan are done. Nothing is left to implement."),
        ]
    });
    let lead =
        vec![edited("src/printer.rs", "todo!()", "self.write(node)"), ran("cargo test", 0, "ok. 31 passed")];
    assert_rounds_broken(lead, rounds, 5, 10);
}

/// `openai/codex#37937`: a stop hook that blocks for ever, although its demand is met each time.
#[test]
fn codex_37937_a_stop_hook_that_is_never_content_is_broken() {
    let rounds = sent_on(40, |n| {
        let output = format!(
            "Test Files  14 passed (14)\n     Tests  203 passed (203)\n  Duration  {}.41s",
            6 + n % 4
        );
        vec![ran("npx vitest run", 0, &output), said("All 203 tests pass, so the work is complete.")]
    });
    let lead = vec![edited("src/cart.ts", "total * 1", "total * (1 + vat)")];
    assert_rounds_broken(lead, rounds, 5, 10);
}

/// `openai/codex#37937`: words alone, equal each time.
#[test]
fn codex_37937_equal_short_words_after_every_continuation_are_broken() {
    let lead = vec![edited("src/cart.ts", "total * 1", "total * (1 + vat)"), said("Done.")];
    assert_rounds_broken(lead, sent_on(30, |_| vec![said("Done.")]), 5, 10);
}

/// An injected "continue" is nobody's word: the third identical call is the third one all the same.
#[test]
fn a_continuation_between_identical_calls_ends_no_streak() {
    let look = ran("kubectl get pods -n shop", 0, "web-0   0/1   CrashLoopBackOff   14");
    let run = played((0..12).flat_map(|_| [look.clone(), continuation()]));
    assert_broken(&run, 5, 15);
}

/// A log may mark the message of the agent itself, or have a record of its own for the continuation.
#[test]
fn a_continuation_counts_alike_on_its_own_record_and_on_that_of_the_words() {
    let words = "Still blocked on the review of the maintainers.";
    let apart = played((0..20).flat_map(|_| [continuation(), said(words)]));
    let joined = played((0..20).map(|_| announced(continuation(), words)));
    let rounds = first_warning(&apart).map(|turn| turn.div_ceil(2));
    assert!(rounds.is_some());
    assert_eq!(rounds, first_warning(&joined));
}

/// Healthy: a goal that gets on at every continuation, announced in the same few words.
#[test]
fn twenty_continuations_with_new_work_in_each_are_healthy() {
    let rounds = sent_on(20, |n| {
        vec![
            said("Continuing with the next item."),
            read(&format!("src/handlers/h{n}.rs"), 0),
            edited(&format!("src/handlers/h{n}.rs"), "fn handle(", "async fn handle("),
            ran("cargo check", 0, &format!("Checking shop v0.1.0\nFinished in {}.{}s", n % 7, n % 10)),
        ]
    });
    assert_spared(rounds.into_iter().flatten());
}

/// Healthy: two short turns of waiting for each background job, until its notification.
#[test]
fn short_waits_that_a_notification_ends_are_healthy() {
    let records = (0..4_u64).flat_map(|n| {
        let file = format!("reports/part{n}.md");
        vec![
            launch(&format!("audit part {n}")),
            continuation(),
            said("Waiting for the background agent."),
            continuation(),
            said("Still waiting for the background agent."),
            notification(),
            read(&file, n as usize),
            edited("SUMMARY.md", &format!("<!-- part {n} -->"), &format!("Part {n}: {} findings", n + 2)),
        ]
    });
    assert_spared(records);
}

/// Healthy: a person who says "continue" speaks, and the agent answers with something new.
#[test]
fn a_user_who_says_continue_is_heard() {
    let records = (1..=12).flat_map(|n| {
        [
            json!({"user": "continue"}),
            call(
                "generate_page",
                &json!({"chapter": n}),
                &format!("Chapter {n} written, {} words", 800 + n * 37),
            ),
            said("The next chapter is ready."),
        ]
    });
    assert_spared(records);
}
