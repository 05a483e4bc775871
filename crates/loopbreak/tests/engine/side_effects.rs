//! Calls that have an effect on others: a message, an issue, a payment, a push. Made again on the same object, the
//! second gives a warning and the fourth is hard. Whatever is not that is healthy.

use crate::signals::{
    answered, assert_broken, assert_rounds_broken, assert_spared, edited, fresh, fresh_uuid, ran, read, said,
    worked,
};
use crate::steps::{call, failing, played};
use serde_json::{Value, json};

/// Returns a message that was sent and got a fresh id.
fn sent(to: &str, text: &str, n: u64) -> Value {
    let reply =
        json!({"ok": true, "message": {"id": format!("msg_{}", fresh(n)), "ts": 1_778_000_000 + n * 31}});
    answered("send_message", &json!({"to": to, "text": text}), &reply)
}

/// The worst loop of all: the same message to a person, each time answered by a fresh id.
#[test]
fn the_same_message_to_a_person_gives_a_warning_at_2_and_is_hard_at_4() {
    assert_broken(
        &played((0..10).map(|n| sent("ana@shop.example", "The report is ready for review.", n))),
        2,
        4,
    );
}

/// The same message in slightly other words: three are enough for a warning, six for a hard finding.
#[test]
fn the_same_message_in_slightly_other_words_is_broken() {
    let texts = [
        "Hi Ana, the report for May is ready for review.",
        "Hi Ana, the report for May is ready for your review.",
        "Hello Ana, the report for May is now ready for review.",
        "Hi Ana, the May report is ready for review.",
        "Hi Ana, the report for May is ready for review!",
        "Hi Ana, just to say that the report for May is ready for review.",
        "Hi Ana, the report for May is ready for review, thanks.",
        "Hello Ana, the report for May is ready for your review.",
    ];
    let records = texts.iter().zip(0..).map(|(text, n)| sent("ana@shop.example", text, n));
    assert_broken(&played(records), 3, 6);
}

/// The same issue is created again, each time under the next number.
#[test]
fn the_same_issue_created_again_gives_a_warning_at_2_and_is_hard_at_4() {
    let records = (0..10_u64).map(|n| {
        let args =
            json!({"repo": "shop/web", "title": "Checkout fails on Safari", "body": "Steps: open the cart."});
        let url = format!("https://git.example/shop/web/issues/{}", 311 + n);
        answered("create_issue", &args, &json!({"number": 311 + n, "url": url, "node_id": fresh_uuid(n)}))
    });
    assert_broken(&played(records), 2, 4);
}

/// A payment with a fresh key is a second payment.
#[test]
fn the_same_payment_with_fresh_keys_gives_a_warning_at_2_and_is_hard_at_4() {
    let records = (0..8_u64).map(|n| {
        let args = json!({"customer": "cus_81", "amount": 4_200, "currency": "eur", "idempotency_key": fresh_uuid(n)});
        answered("create_payment", &args, &json!({"id": format!("pay_{}", fresh(n)), "status": "succeeded"}))
    });
    assert_broken(&played(records), 2, 4);
}

/// `anomalyco/opencode#5356`: the same commit is made and pushed again and again, and only the hashes differ.
#[test]
fn opencode_5356_the_same_commit_pushed_again_gives_a_warning_at_2_and_is_hard_at_4() {
    let lead = vec![edited("README.md", "v1", "v2"), ran("git status --short", 0, " M README.md")];
    let rounds = (0..10_u64).map(|n| {
        let reply = format!(
            "[main {}] Update the readme\nTo git.example:shop/web.git\n   {}..{}  main -> main",
            fresh(n),
            fresh(n + 40),
            fresh(n)
        );
        let push = ran("git commit --allow-empty -m 'Update the readme' && git push", 0, &reply);
        vec![push, ran("git status --short", 0, "")]
    });
    assert_rounds_broken(lead, rounds, 2, 4);
}

/// Readings between the calls do not hide them.
#[test]
fn a_ticket_created_again_after_looking_is_broken() {
    let rounds = (0..8_u64).map(|n| {
        let ticket = json!({"project": "OPS", "summary": "Renew the certificate of the gateway"});
        vec![
            read("docs/runbook.md", 0),
            answered("jira_create_ticket", &ticket, &json!({"key": format!("OPS-{}", 870 + n)})),
            worked("jira_search", &json!({"jql": "project = OPS"}), &format!("{} tickets", 40 + n)),
        ]
    });
    assert_rounds_broken(Vec::new(), rounds, 2, 4);
}

/// A tool whose server declares that it changes something is one, whatever its name.
#[test]
fn an_annotated_tool_gives_a_warning_at_2_and_is_hard_at_4() {
    let records = (0..8_u64).map(|n| {
        let action = json!({
            "name": "mcp__crm__merge", "args": {"from": "c-17", "into": "c-4"},
            "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false},
        });
        json!({"action": action, "outcome": format!("merged, operation {}", fresh(n))})
    });
    assert_broken(&played(records), 2, 4);
}

/// A request that posts is seen in the shell too, as a repeat at least: the third and the eighth.
#[test]
fn the_same_post_request_in_the_shell_is_broken() {
    let records = (0..12_u64).map(|n| {
        let reply = json!({"deployment": format!("dep_{}", fresh(n)), "state": "queued"}).to_string();
        ran("curl -s -X POST https://ci.example/api/deploy -d '{\"ref\":\"main\"}'", 0, &reply)
    });
    assert_broken(&played(records), 3, 8);
}

/// Healthy: a commit and a push after each change, with the same message.
#[test]
fn a_commit_and_a_push_after_each_change_are_healthy() {
    let records = (0..10_u64).flat_map(|n| {
        [
            edited("docs/guide.md", &format!("Step {n}."), &format!("Step {n}, explained.")),
            ran(
                "git commit -am 'Improve the guide'",
                0,
                &format!("[main {}] Improve the guide\n 1 file changed", fresh(n)),
            ),
            ran("git push origin main", 0, &format!("   {}..{}  main -> main", fresh(n + 30), fresh(n))),
        ]
    });
    assert_spared(records);
}

/// Healthy: one text to many recipients.
#[test]
fn one_message_to_many_recipients_is_healthy() {
    let people = ["ana", "ben", "cem", "dora", "emil", "fay", "gus", "hana", "ivo", "jan", "kim", "leo"];
    let to = |n: usize| format!("{}@shop.example", people[n]);
    assert_spared((0..12).map(|n| sent(&to(n), "The office is closed on Friday.", n as u64)));
}

/// Healthy: many issues with titles of their own, and many files.
#[test]
fn a_batch_with_other_titles_or_files_is_healthy() {
    let titles = [
        "Cart total is wrong",
        "Login times out",
        "Menu overlaps",
        "Search ignores accents",
        "Dark mode flickers",
        "Export lacks a header",
        "Zip code is rejected",
        "Mail footer is old",
    ];
    assert_spared(titles.iter().zip(500..).map(|(title, number)| {
        let args = json!({"repo": "shop/web", "title": title, "body": "Found in the release test.", "labels": ["bug"]});
        answered("create_issue", &args, &json!({"number": number}))
    }));
    assert_spared((0..12).map(|n| {
        let args = json!({"bucket": "invoices", "file": format!("2026/{n:02}.pdf")});
        call("upload_file", &args, "uploaded")
    }));
}

/// Healthy: another try after an error that says that nothing was done.
#[test]
fn a_retry_after_an_error_that_did_nothing_is_healthy() {
    let args = json!({"to": "ana@shop.example", "text": "The report is ready for review."});
    let issue = json!({"repo": "shop/web", "title": "Checkout fails on Safari"});
    assert_spared([
        failing("send_message", &args, "503 Service Unavailable: the message was not sent"),
        sent("ana@shop.example", "The report is ready for review.", 1),
        failing("create_issue", &issue, "502 Bad Gateway: no issue was created"),
        failing("create_issue", &issue, "connect ECONNREFUSED: no issue was created"),
        answered("create_issue", &issue, &json!({"number": 12})),
        said("The message is sent and the issue is created."),
    ]);
}

/// Healthy: writes of which a second one changes nothing.
#[test]
fn idempotent_writes_made_twice_are_healthy() {
    let file = json!({"path": "config/app.yaml", "content": "replicas: 3\n"});
    let write = worked("write_file", &file, "Wrote 12 bytes to config/app.yaml");
    let put =
        worked("http_put", &json!({"url": "https://api.example/items/7", "body": {"price": 5}}), "200 OK");
    let status =
        worked("set_status", &json!({"issue": 41, "status": "in_progress"}), "status is in_progress");
    let apply = ran("kubectl apply -f deploy.yaml", 0, "deployment.apps/web configured");
    for again in [write, put, status, apply] {
        assert_spared([
            again.clone(),
            read("docs/runbook.md", 0),
            ran("make check", 0, "ok"),
            again,
            read("docs/deploy.md", 0),
        ]);
    }
    let action = json!({"name": "create_or_update_label", "args": {"name": "bug"}, "annotations": {"idempotentHint": true}});
    let label = json!({"action": action, "outcome": "label bug"});
    assert_spared([label.clone(), read("docs/labels.md", 0), label]);
}

/// Healthy: a deployment is triggered again after its result led to an edit.
#[test]
fn a_deployment_after_each_fix_is_healthy() {
    let records = (0..5_u64).flat_map(|n| {
        [
            answered(
                "create_deployment",
                &json!({"ref": "main"}),
                &json!({"id": format!("dep_{}", fresh(n))}),
            ),
            worked("get_logs", &json!({"service": "web"}), &format!("step {n}: missing variable KEY_{n}")),
            edited(".env.production", &format!("# KEY_{n}"), &format!("KEY_{n}=on")),
        ]
    });
    assert_spared(records);
}

/// Healthy: the user asks for the message once more.
#[test]
fn a_message_that_the_user_wants_again_is_healthy() {
    let records = (0..4).flat_map(|n| {
        let ask = json!({"user": "It did not arrive, please send it again."});
        [ask, sent("ana@shop.example", "The report is ready for review.", n), said("Sent again.")]
    });
    assert_spared(records);
}

/// Healthy: several different messages about the work to one channel.
#[test]
fn different_news_to_one_channel_are_healthy() {
    let news = [
        "Starting the release of 4.2.",
        "All 812 tests pass on main.",
        "Images are built and signed.",
        "Canary is at 5 % without errors.",
        "Rollout reached every region.",
        "Release notes are published.",
    ];
    let records = news.iter().zip(0_u64..).flat_map(|(text, n)| {
        [ran(&format!("./release.sh stage{n}"), 0, &format!("stage {n} done")), sent("#releases", text, n)]
    });
    assert_spared(records);
}
