//! Work that is done again after a compaction, because the agent no longer knows that it did it. A round is one
//! life between two compactions.

use crate::signals::{assert_rounds_broken, assert_spared, compaction, edited, ran, read, said, worked};
use crate::steps::failing;
use serde_json::{Value, json};

const MODULES: [&str; 12] = [
    "auth", "billing", "cache", "catalog", "checkout", "events", "mail", "orders", "pricing", "search",
    "session", "tax",
];

/// Returns readings of modules, beginning with another one for each start.
fn reads(count: usize, start: usize) -> impl Iterator<Item = Value> {
    (0..count).map(move |n| read(&format!("src/{}.rs", MODULES[(start + n) % count]), 0))
}

/// Returns rounds that begin with a compaction.
fn compacted(rounds: usize, steps: impl Fn(usize) -> Vec<Value>) -> Vec<Vec<Value>> {
    (0..rounds).map(|round| [vec![compaction()], steps(round)].concat()).collect()
}

/// `openai/codex#13279`: twelve files are read, compacted away, and read again.
#[test]
fn codex_13279_twelve_files_read_again_after_every_compaction_are_broken() {
    assert_rounds_broken(reads(12, 0).collect(), compacted(8, |_| reads(12, 0).collect()), 2, 5);
}

/// `openai/codex#36665`: 74 compactions, nearly each followed by the files and tests of before.
#[test]
fn codex_36665_files_and_tests_of_before_every_compaction_are_broken() {
    let life = |n: usize| {
        let tests =
            format!("test result: FAILED. 40 passed; 2 failed; finished in {}.{}3s", 3 + n % 4, n % 10);
        let mut steps: Vec<Value> = reads(6, n).collect();
        steps.push(ran("cargo test -p orders", 101, &tests));
        steps.push(said("Two tests of the orders fail. Next I will look at the pricing rules."));
        steps
    };
    assert_rounds_broken(life(0), compacted(12, |n| life(n + 1)), 2, 6);
}

/// `openai/codex#35935`: edits that were made before the compaction are tried again, and each finds itself done.
#[test]
fn codex_35935_completed_edits_tried_again_after_every_compaction_are_broken() {
    let args = |module: &str| json!({"file_path": format!("src/{module}.rs"), "old_string": "fn load(", "new_string": "async fn load("});
    let first = MODULES[..5].iter().flat_map(|module| {
        [read(&format!("src/{module}.rs"), 0), worked("edit", &args(module), "The file has been updated.")]
    });
    let again = |_: usize| {
        let tried = MODULES[..5].iter().flat_map(|module| {
            let missing = "String to replace not found in file: fn load(";
            [read(&format!("src/{module}.rs"), 1), failing("edit", &args(module), missing)]
        });
        tried.chain([ran("cargo check", 0, "Finished `dev` profile")]).collect()
    };
    assert_rounds_broken(first.collect(), compacted(8, again), 2, 6);
}

/// `github/copilot-cli#3157`: 217 rounds of reading the plan and planning, without an edit.
#[test]
fn copilot_cli_3157_planning_again_after_every_compaction_is_broken() {
    let life = |n: usize| {
        let words =
            ["First the schema, then the resolver.", "I begin with the schema.", "Schema first, as planned."];
        vec![
            read("PLAN.md", 3),
            read("src/schema.graphql", 0),
            read("src/resolver.ts", 0),
            said(&format!("The plan is clear now. {} After that, the tests.", words[n % 3])),
        ]
    };
    assert_rounds_broken(life(0), compacted(20, |n| life(n + 1)), 3, 8);
}

/// `anomalyco/opencode#37871`: the same Java files in changing order, a compaction after every second pass.
#[test]
fn opencode_37871_the_same_files_in_changing_order_are_broken() {
    let files = ["Order", "Invoice", "Customer", "Ledger", "Payment", "Refund"];
    let life = |n: usize| -> Vec<Value> {
        let order = (0..6).map(|k| files[(k * 5 + n * 7 + n / 3) % 6]);
        order.map(|class| read(&format!("src/main/java/shop/{class}.java"), 0)).collect()
    };
    assert_rounds_broken(life(0), compacted(20, |n| life(n + 1)), 3, 8);
}

/// `RooCodeInc/Roo-Code#10017`: a condensation that condenses nothing.
#[test]
fn roo_code_10017_a_condensation_that_changes_nothing_is_broken() {
    let lead = vec![read("src/auth.rs", 0), edited("src/auth.rs", "fn check(", "pub fn check(")];
    let text = "Context of 19474 tokens exceeds the limit of 200000, truncating to 75 %";
    let rounds = (0..20).map(|_| vec![json!({"harness": "compaction", "outcome": text})]);
    assert_rounds_broken(lead, rounds, 5, 10);
}

/// `anomalyco/opencode#27924`, `anomalyco/opencode#19410`, `openclaw/openclaw#66058`, `anthropics/claude-code#9579`:
/// a compaction triggers the next one, and nothing is done in between.
#[test]
fn opencode_27924_compactions_that_follow_each_other_are_broken() {
    let lead = || vec![read("src/auth.rs", 0), edited("src/auth.rs", "fn check(", "pub fn check(")];
    assert_rounds_broken(lead(), (0..20).map(|_| vec![compaction()]), 5, 10);
    let summary = |n: usize| {
        said(&format!(
            "Summary: the check in src/auth.rs is public now, its callers are next ({} tokens).",
            900 + n
        ))
    };
    assert_rounds_broken(lead(), compacted(20, |n| vec![summary(n * 13)]), 5, 10);
}

/// Healthy: to pick up the thread takes a few readings, and then the work goes on.
#[test]
fn picking_up_the_thread_after_a_compaction_is_healthy() {
    let before = reads(6, 0).chain([
        edited("src/auth.rs", "fn check(", "pub fn check("),
        ran("cargo test -p auth", 101, "test result: FAILED. 11 passed; 1 failed"),
    ]);
    let after = [
        compaction(),
        read("PLAN.md", 0),
        read("src/auth.rs", 1),
        read("src/billing.rs", 0),
        ran("git status --short", 0, " M src/auth.rs"),
        edited("src/billing.rs", "check(user)", "auth::check(user)"),
        ran("cargo test -p auth", 0, "test result: ok. 12 passed; 0 failed"),
        edited("src/cache.rs", "check(user)", "auth::check(user)"),
    ];
    assert_spared(before.chain(after));
}

/// Healthy: a long job with a compaction after every module, and the plan read at the start of each life.
#[test]
fn a_long_job_with_eight_compactions_is_healthy() {
    let records = MODULES[..8].iter().enumerate().flat_map(|(n, module)| {
        let path = format!("src/{module}.rs");
        vec![
            compaction(),
            read("PLAN.md", n),
            ran("git log --oneline -1", 0, &format!("c0ffee{n} Port module {n}")),
            read("src/lib.rs", 0),
            read(&path, 0),
            edited(&path, "Result<(), String>", "Result<(), ShopError>"),
            edited(&path, "Err(\"", "Err(ShopError::new(\""),
            ran(&format!("cargo test -p shop {module}"), 0, &format!("test result: ok. {} passed", 4 + n)),
            edited("PLAN.md", &format!("- [ ] {module}"), &format!("- [x] {module}")),
            ran(&format!("git commit -am 'Port {module}'"), 0, &format!("[main 77ab{n}c1] Port {module}")),
        ]
    });
    assert_spared(records);
}

/// Healthy: files that were edited before the compaction are read once more after it.
#[test]
fn files_that_were_edited_before_the_compaction_may_be_read_again() {
    let before = MODULES[..6].iter().flat_map(|module| {
        let path = format!("src/{module}.rs");
        [read(&path, 0), edited(&path, "\"r0\"", "\"r1\"")]
    });
    let after = MODULES[..6].iter().map(|module| read(&format!("src/{module}.rs"), 1));
    let then = [
        ran("cargo test", 0, "test result: ok. 88 passed"),
        ran("git commit -am 'Raise revision'", 0, "6 files changed"),
    ];
    assert_spared(before.chain([compaction()]).chain(after).chain(then));
}
