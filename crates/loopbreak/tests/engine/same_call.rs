//! The same call, without end. The third one with the same outcome gives a warning, the eighth at the latest is hard.

use crate::signals::{
    announced, assert_broken, assert_rounds_broken, by, continuation, edited, fresh, notification, ran, said,
    timed, unanswered, worked,
};
use crate::steps::{call, failing, played};
use serde_json::{Value, json};

/// `anthropics/claude-code#15909`: a subagent whose installation times out 300 times. Wanted: two or three tries.
#[test]
fn claude_code_15909_an_installation_that_times_out_again_and_again_is_broken() {
    let records = (0..60_u64).map(|n| {
        let args = json!({"command": "npm install -D vitest@2 @vitest/coverage-v8", "timeout": 120_000});
        let reply = format!("Command timed out after 2m 0.{}s", n * 7 % 10);
        by("test-writer", failing("Bash", &args, &reply))
    });
    assert_broken(&played(timed(records, 55_000)), 3, 8);
}

/// `anthropics/claude-code#67812`: a deterministic provider repeats one call.
#[test]
fn claude_code_67812_a_provider_that_repeats_one_call_is_broken() {
    let args = json!({"file_path": "/srv/app/settings.py", "limit": 80});
    assert_broken(
        &played(vec![worked("Read", &args, "DEBUG = False\nALLOWED_HOSTS = ['shop.example']"); 40]),
        3,
        8,
    );
}

/// `openai/codex#3797`: `git status -sb` 50 times in one answer, with other readings in between. A look at the
/// status now and then is usual, so the sixth one is soon enough for a warning.
#[test]
fn codex_3797_fifty_looks_at_the_same_status_between_reads_are_broken() {
    let rounds = (0..50_usize).map(|n| {
        let lines = format!("sed -n '{},{}p' src/part{}.ts", n * 30 + 1, n * 30 + 30, n % 9);
        let mut steps = vec![ran("git status -sb", 0, "## main...origin/main\n M src/app.ts\n?? notes.md")];
        steps.push(ran(&lines, 0, &format!("export function step{n}() {{ return {n}; }}")));
        if n % 3 == 1 {
            steps.push(ran(
                &format!("rg -n step{n} src"),
                0,
                &format!("src/app.ts:{}: step{n}()", n * 4 + 2),
            ));
        }
        steps
    });
    assert_rounds_broken(Vec::new(), rounds, 6, 14);
}

/// `openai/codex#37835`: the arguments do not match the schema of an MCP tool, and are sent again as fast as they can.
#[test]
fn codex_37835_the_same_schema_error_of_an_mcp_tool_is_broken() {
    let args = json!({"owner": "shop", "repo": "web", "labels": "bug"});
    let reply =
        "MCP error -32602: Invalid arguments for tool list_issues: labels: expected array, received string";
    assert_broken(&played(timed(vec![failing("mcp__github__list_issues", &args, reply); 50], 900)), 3, 8);
}

/// `earendil-works/pi#9637`: `echo noop`, of which only the title counts up. A background job wakes the agent after
/// each abort.
#[test]
fn pi_9637_a_noop_with_a_counting_title_is_broken() {
    let records = (1..=80_u64).flat_map(|n| {
        let args = json!({"command": "echo noop", "title": format!("No-op {n}")});
        let noop = worked("bash", &args, "noop");
        if n % 20 == 0 { vec![noop, notification()] } else { vec![noop] }
    });
    assert_broken(&played(timed(records, 6_800)), 4, 9);
}

/// `ai-forever/langchain-gigachat#69`: an empty list of tasks is written for ever.
#[test]
fn langchain_gigachat_69_an_empty_list_of_tasks_is_broken() {
    assert_broken(
        &played(vec![call("write_todos", &json!({"todos": []}), "Updated todo list to []"); 30]),
        3,
        8,
    );
}

/// `langchain-ai/langgraph#4231`: the answer is known, and the same memory is saved to the limit.
#[test]
fn langgraph_4231_the_same_memory_saved_to_the_limit_is_broken() {
    let lead =
        vec![call("search_web", &json!({"query": "weather Lisbon today"}), "Lisbon: 24 degrees, clear")];
    let rounds = (0..25_u64).map(|n| {
        let args = json!({"content": "The user lives in Lisbon and likes short answers."});
        vec![call("save_memory", &args, &format!("Memory saved under mem_{}", fresh(n)))]
    });
    assert_rounds_broken(lead, rounds, 3, 8);
}

/// `langchain-ai/langgraph-supervisor-py#208`: a supervisor hands over a job that its subagent has answered.
#[test]
fn langgraph_supervisor_208_a_job_handed_over_after_it_was_answered_is_broken() {
    let rounds = (0..20).map(|_| {
        let job = json!({"task": "Find the revenue of the third quarter"});
        vec![
            by("supervisor", call("transfer_to_researcher", &job, "Successfully transferred to researcher")),
            by(
                "researcher",
                said("The revenue of the third quarter was 4.1 million, see page 12 of the report."),
            ),
            by(
                "researcher",
                call("transfer_back_to_supervisor", &json!({}), "Successfully transferred to supervisor"),
            ),
        ]
    });
    assert_rounds_broken(Vec::new(), rounds, 4, 9);
}

/// Returns the words that a framework gives in place of a repeated call.
fn refusal() -> &'static str {
    "I tried reusing the same input, I must stop using this action input. I'll try something else instead."
}

/// `crewAIInc/crewAI#518`, `crewAIInc/crewAI#737`: the words of the guard come back for ever.
#[test]
fn crewai_518_a_refusal_that_leads_nowhere_is_broken() {
    let search =
        call("Search the internet", &json!({"search_query": "AI trends 2026"}), "1. Agents 2. Chips");
    let again = call("Search the internet", &json!({"search_query": "AI trends 2026"}), refusal());
    assert_rounds_broken(vec![search], (0..25).map(|_| vec![again.clone()]), 3, 8);
}

/// `crewAIInc/crewAI#737`: a call that a guard denies is made again and again.
#[test]
fn crewai_737_a_denied_call_that_is_insisted_on_is_broken() {
    let outcome = json!({"text": refusal(), "error": true, "denied": "guard"});
    let record =
        json!({"action": {"name": "search", "args": {"query": "AI trends 2026"}}, "outcome": outcome});
    assert_broken(&played(vec![record; 25]), 3, 8);
}

/// `browser-use/browser-use#191`: every step scrolls, and every reply is "Success". Long pages are read by
/// scrolling, so the tenth is soon enough.
#[test]
fn browser_use_191_scrolling_with_success_at_every_step_is_broken() {
    let scroll = call("scroll_down", &json!({"amount": null}), "Success");
    assert_broken(&played(vec![scroll; 40]), 10, 20);
}

/// `aaif-goose/goose#9136`, `aaif-goose/goose#9758`, `aaif-goose/goose#12150`: an inspector of repetition that never
/// acts.
#[test]
fn goose_9136_identical_calls_do_not_get_past_the_guard() {
    let look = call("developer__shell", &json!({"command": "cat Makefile"}), "all:\n\tcc -o app main.c");
    assert_broken(&played(vec![look; 60]), 3, 8);
}

/// `anomalyco/opencode#50073`: the loop spans messages, with words in each.
#[test]
fn opencode_50073_a_loop_over_many_messages_is_broken() {
    let words =
        ["Let me check.", "I will look at it once more.", "Checking the build output again.", "One moment."];
    let records = (0..40).map(|n| announced(ran("ls -la dist", 0, "total 0"), words[n % 4]));
    assert_broken(&played(records), 3, 8);
}

/// A call that is repeated between turns that the harness starts is counted over them.
#[test]
fn identical_calls_over_turns_of_the_harness_are_broken() {
    let look: Value = worked("get_issue", &json!({"number": 4411}), "{\"state\":\"open\",\"comments\":3}");
    assert_rounds_broken(Vec::new(), (0..20).map(|_| vec![continuation(), look.clone()]), 3, 8);
}

/// A call without a logged outcome is warned of at the fourth.
#[test]
fn identical_calls_without_outcomes_are_broken() {
    let open = unanswered("browser_navigate", &json!({"url": "https://shop.example/cart"}));
    assert_broken(&played(vec![open; 20]), 4, 8);
}

/// Rounds with new text in each: create, refused, remove, create, run.
#[test]
fn rounds_of_creating_and_removing_with_new_text_are_broken() {
    let rounds = (0..12_usize).map(|n| {
        let text = format!(
            "import csv\nROWS = {}\nprint(sum(r.amount for r in load('data_{n}.csv')))\n",
            n * 13 + 5
        );
        let write = json!({"path": "report.py", "content": text});
        vec![
            failing("create_file", &write, "Error: report.py already exists. Use another path."),
            ran("rm report.py", 0, ""),
            worked("create_file", &write, "Created report.py"),
            ran("python report.py", 1, "NameError: name 'load' is not defined"),
        ]
    });
    let lead = vec![worked(
        "create_file",
        &json!({"path": "report.py", "content": "print(1)"}),
        "Created report.py",
    )];
    assert_rounds_broken(lead, rounds, 4, 9);
}

/// Edits that really change something, and the same failing test after each of twenty: warned of, then escalated.
#[test]
fn twenty_edits_with_the_same_failing_test_are_escalated() {
    let rounds = (0..20_usize).map(|n| {
        let fail = "FAIL tests/total.test.ts > rounds half up\nAssertionError: expected 10.00 to be 10.01";
        vec![
            edited("src/total.ts", &format!("round(x, {n})"), &format!("round(x, {})", n + 1)),
            ran("npx vitest run tests/total.test.ts", 1, fail),
        ]
    });
    assert_rounds_broken(Vec::new(), rounds, 10, 20);
}
