//! Calls that are invalid, refused or failing, each a little different from the one before.

use crate::signals::{
    answered, assert_broken, assert_rounds_broken, by, edited, fresh, ran, read, timed, worked,
};
use crate::steps::{failing, played};
use serde_json::{Value, json};

/// `Kilo-Org/kilocode#14143`: malformed edits of a background subagent. Promised there: a breaker after three.
#[test]
fn kilocode_14143_three_malformed_edits_give_a_warning() {
    let records = (0..20).map(|n| {
        let args = json!({"filePath": "src/routes.ts", "oldString": format!("router.get('/v{n}')")});
        let reply =
            "The edit tool was called with invalid arguments: newString: Required. Please rewrite the input.";
        by("worker-2", failing("edit", &args, reply))
    });
    assert_broken(&played(records), 3, 8);
}

/// `pydantic/pydantic-ai#267`: a field is missing in 50 requests, in which all else differs.
#[test]
fn pydantic_ai_267_fifty_results_without_the_same_field_are_broken() {
    let records = (0..50).map(|n| {
        let args = json!({"number": format!("2026-{:04}", n * 7), "total": 100 + n * 13});
        let reply = format!(
            "1 validation error for Invoice\ncurrency\n  Field required [type=missing, input_value={args}, input_type=dict]\n\nFix the errors and try again."
        );
        failing("final_result", &args, &reply)
    });
    assert_broken(&played(records), 4, 9);
}

/// `cline/cline#1511`, `cline/cline#2126`: another search block each time, the file read again after each failure.
#[test]
fn cline_1511_edits_with_ever_other_search_blocks_are_broken() {
    let rounds = (0..20).map(|n| {
        let block = format!("<<<<<<< SEARCH\n  const rows = load({n});\n=======\n  const rows = await load({n});\n>>>>>>> REPLACE");
        let args = json!({"path": "src/table.tsx", "diff": block});
        let reply = "Diff Edit Failed: The SEARCH block does not match anything in the file.";
        vec![failing("replace_in_file", &args, reply), read("src/table.tsx", 0)]
    });
    assert_rounds_broken(vec![read("src/table.tsx", 0)], rounds, 4, 9);
}

/// `QwenLM/qwen-code#5932`: an edit that worked is applied again and finds nothing to replace.
#[test]
fn qwen_code_5932_an_edit_that_already_worked_is_broken() {
    let reply = "Failed to edit, 0 occurrences found for old_string in src/app.py. No edits made.";
    let args = json!({"file_path": "src/app.py", "old_string": "port = 80", "new_string": "port = 8080"});
    let lead = vec![read("src/app.py", 0), edited("src/app.py", "port = 80", "port = 8080")];
    assert_rounds_broken(lead, (0..20).map(|_| vec![failing("edit", &args, reply)]), 3, 8);
}

/// `anthropics/claude-code#73601`: messages to agents whose ids differ in the last letters, for three hours.
#[test]
fn claude_code_73601_messages_to_ids_that_nobody_has_are_broken() {
    let endings = ["a1", "a7", "b3", "c9", "d2", "e4", "f8", "07", "1b", "2c", "3d", "5f"];
    let records = (0..36).map(|n| {
        let to = format!("agent-6f20c4{}", endings[n % 12]);
        let args = json!({"to": to, "message": "Please report the state of your part."});
        by("coordinator", failing("SendMessage", &args, &format!("No agent with id '{to}' is reachable.")))
    });
    assert_broken(&played(timed(records, 280_000)), 4, 9);
}

/// Returns the attempts to reach one missing tool, in turn and with other options each time.
fn attempt_at_missing_tool(n: usize) -> Value {
    let slice = format!("S{:02}", n / 6 + 1);
    match n % 6 {
        0 => ran(&format!("gsd_plan_slice --slice {slice}"), 127, "bash: gsd_plan_slice: command not found"),
        1 => ran(
            &format!("node -e \"require('gsd').planSlice('{slice}')\""),
            1,
            "Error: Cannot find module 'gsd'\nRequire stack:\n- [eval]",
        ),
        2 => ran(&format!("npx gsd plan-slice {slice}"), 1, "error: unknown command 'plan-slice'"),
        3 => failing("gsd_plan_slice", &json!({"slice": slice}), "Tool gsd_plan_slice not found"),
        4 => ran(
            &format!("node ./node_modules/.bin/gsd_plan_slice {slice}"),
            1,
            "Error: Cannot find module './node_modules/.bin/gsd_plan_slice'",
        ),
        _ => ran(&format!("which gsd_plan_slice gsd-{}", n / 6), 1, ""),
    }
}

/// `open-gsd/gsd-pi#783`: a tool that is missing is tried through the shell, `node -e` and the command line. Twelve
/// failures without anything learned give a warning; the loop goes on and is escalated.
#[test]
fn gsd_pi_783_a_missing_tool_tried_by_every_way_is_broken() {
    assert_broken(&played((0..51).map(attempt_at_missing_tool)), 12, 48);
}

/// `alvinunreal/oh-my-opencode-slim#1120`: a status in which only the idle time moves. The limits of waiting hold.
#[test]
fn oh_my_opencode_slim_1120_a_status_that_only_grows_older_is_broken() {
    let records = (0..50_u64).map(|n| {
        let reply =
            json!({"task_id": "ses_4d1", "state": "idle", "idle_for_seconds": 11 + n * 4, "messages": 6});
        answered("task_status", &json!({"task_id": "ses_4d1"}), &reply)
    });
    assert_broken(&played(timed(records, 4_100)), 10, 20);
}

/// Identical calls with fresh ids in the arguments are identical.
#[test]
fn fresh_request_ids_do_not_make_a_failing_call_new() {
    let records = (0..20_u64).map(|n| {
        let args = json!({"account": "acme", "request_id": format!("req_{}", fresh(n))});
        failing(
            "get_balance",
            &args,
            &format!("403 Forbidden: scope balance:read is missing (trace {})", fresh(n + 90)),
        )
    });
    assert_broken(&played(records), 3, 8);
}

/// Counters in the arguments and in the reply move by themselves.
#[test]
fn counters_in_arguments_and_replies_do_not_make_a_call_new() {
    let records = (1..=20_u64).map(|n| {
        let args = json!({"query": "select * from orders where state = 'stuck'", "attempt": n});
        let reply = format!(
            "Attempt {n}: relation \"orders\" does not exist in schema public (execution #{})",
            7_700 + n
        );
        failing("run_sql", &args, &reply)
    });
    assert_broken(&played(records), 3, 8);
}

/// Durations in fields of the reply move by themselves.
#[test]
fn elapsed_seconds_in_the_reply_do_not_make_a_call_new() {
    let records = (0..20_u64).map(|n| {
        let reply =
            json!({"rows": [], "warning": "index is empty", "elapsed_seconds": 0.31 + n as f64 * 0.07});
        answered("search_index", &json!({"index": "docs", "query": "refund policy"}), &reply)
    });
    assert_broken(&played(records), 3, 8);
}

/// The line number of an error moves with the text above it.
#[test]
fn line_numbers_in_the_error_do_not_make_it_new() {
    let records = (0..20_u64).map(|n| {
        let line = 41 + n * 3;
        let reply = format!(
            "src/total.ts({line},17): error TS2345: Argument of type 'string' is not assignable to 'number'."
        );
        ran("npx tsc --noEmit", 2, &reply)
    });
    assert_broken(&played(records), 3, 8);
}

/// A reading tool that gives one answer, whatever is asked: five questions are enough for a warning.
#[test]
fn one_answer_to_every_question_is_broken() {
    let asked = [
        "How are refunds booked?",
        "Which account gets the VAT?",
        "When is the ledger closed?",
        "Who approves a write-off?",
        "Where are exchange rates kept?",
        "How long are invoices stored?",
        "Which report lists open items?",
        "How is a reversal marked?",
        "What does code 4711 mean?",
        "Is there a limit for cash?",
        "How are tips booked?",
        "Which currency is the base?",
        "What is a suspense account?",
        "Who may reopen a month?",
    ];
    let answer = "The accounting handbook describes all processes of the department. It has 14 chapters and was last revised in May. Please see the handbook.";
    let records = asked.map(|question| worked("ask_handbook", &json!({"question": question}), answer));
    assert_broken(&played(records), 5, 10);
}
