//! Runs of tool calls and of texts: one for each pattern that is about them.

use serde_json::{Value, json};

use super::golden_script::GoldenScript;
use crate::steps::{call, failing, sh};

/// Returns calls of one kind, made from their numbers.
fn times(count: u64, step: impl Fn(u64) -> Value) -> impl Iterator<Item = Value> {
    (0..count).map(step)
}

fn said(text: &str) -> Value {
    json!({"say": text})
}

fn action(text: &str) -> Value {
    json!({"action": text})
}

fn edit(path: &str, old: &str, new: &str, reply: &str) -> Value {
    call("edit", &json!({"path": path, "oldText": old, "newText": new}), reply)
}

/// Tool calls: their repetition, their failures, their effects.
pub(super) fn calls() -> GoldenScript {
    let mut script = GoldenScript::new("calls");
    repetition(&mut script);
    failures(&mut script);
    fields(&mut script);
    effects(&mut script);
    rework(&mut script);
    script
}

fn repetition(script: &mut GoldenScript) {
    let test = failing(
        "bash",
        &json!({"command": "cargo test"}),
        "error[E0425]: cannot find value `größe` in this scope",
    );
    script.run("cycle of one call", times(40, |_| test.clone()));
    script.weigh(&json!({"action": {"name": "bash", "args": {"command": "cargo test"}}}));
    script.weigh(&json!({"action": {"name": "bash", "args": {"command": "cargo check"}}, "score": 0.75}));
    script.see(&json!({"user": "Please go on."})).see_all(times(4, |_| test.clone()));
    script.run(
        "cycle of two calls",
        times(24, |n| {
            if n % 2 == 0 { sh("make lint", "2 warnings") } else { sh("make docs", "nothing to be done") }
        }),
    );
    // Refused calls that the agent insists on, until the run ends.
    let refused = json!({"action": {"name": "bash", "args": {"command": "make lint"}}, "refused": true});
    script.weigh(&json!({"action": {"name": "bash", "args": {"command": "make lint"}}}));
    script.see_all(times(7, |_| refused.clone()));
    script.see_all([json!({"user": "All right, once more."}), sh("make lint", "2 warnings")]);
    script.run(
        "a call that returns between others",
        times(48, |n| match n % 3 {
            0 => call("read_file", &json!({"path": "a.rs"}), "fn a() {}"),
            1 => call("read_file", &json!({"path": format!("b{n}.rs")}), &format!("fn b{n}() {{}}")),
            _ => sh(&format!("ls part{n}"), &format!("file{n}")),
        }),
    );
    script.run(
        "a lap of many reads",
        times(90, |n| {
            let offset = n % 25 * 40 + 1;
            let args = json!({"path": "src/engine.rs", "offset": offset, "limit": 40});
            call("read_file", &args, &format!("{offset}: fn part_{offset}() {{}}"))
        }),
    );
    let poll = call("process", &json!({"action": "log", "sessionId": "calm-reef"}), "(no new output)");
    script.run("dead poll", times(24, |_| poll.clone()));
    script.run(
        "agents of their own",
        times(24, |n| {
            let mut step = sh("ls -la dist", "total 0");
            step["agent"] = json!(["planner", "tester"][(n % 2) as usize]);
            step["batch"] = json!(4_294_967_296_u64 + n / 4);
            step
        }),
    );
}

fn failures(script: &mut GoldenScript) {
    script.run(
        "one failure of many calls",
        times(12, |n| {
            let id = format!("item-{}", 400 + n);
            failing("get_item", &json!({"id": id}), &format!("Request failed: 404 Not Found for \"{id}\""))
        }),
    );
    script.run(
        "edits that do not help",
        times(36, |n| {
            if n % 2 == 0 {
                edit("a.rs", &format!("v{n}"), &format!("v{}", n + 2), "The file was updated.")
            } else {
                failing("bash", &json!({"command": "cargo test"}), "1 failed: it_adds")
            }
        }),
    );
    let asked = [
        "rust tokio runtime shutdown hangs",
        "tokio runtime shutdown hangs rust why",
        "why rust tokio runtime hangs on shutdown",
        "tokio runtime hangs at shutdown rust fix",
        "fix rust tokio runtime shutdown hangs",
        "rust fix tokio shutdown runtime hangs",
    ];
    script.run(
        "a search that is reworded",
        asked
            .iter()
            .cycle()
            .take(18)
            .map(|query| call("web_search", &json!({"query": query, "lang": "en"}), query)),
    );
    script.run(
        "pages beyond the last one",
        times(14, |n| call("read_file", &json!({"path": "a.rs", "offset": n * 40}), "(end of file)")),
    );
    script.run(
        "one answer to every question",
        times(14, |n| {
            let topics =
                ["shipping", "refunds", "opening hours", "vouchers", "returns", "gift wrapping", "parking"];
            let question = format!("{} {n}", topics[n as usize % topics.len()]);
            call(
                "search_docs",
                &json!({"query": question}),
                "Please contact our support team by phone for any question about your order.",
            )
        }),
    );
    script.run(
        "rounds with a rejected edit",
        times(36, |n| {
            let round = n / 3;
            match n % 3 {
                0 => call("read_file", &json!({"path": "src/cart.rs", "offset": round * 7}), &format!("line {round}")),
                1 => failing(
                    "edit",
                    &json!({"path": "src/cart.rs", "oldText": format!("total_{round}"), "newText": format!("sum_{round}")}),
                    "The text to replace was not found in src/cart.rs",
                ),
                _ => call("grep", &json!({"pattern": format!("total_{round}"), "path": "src"}), &format!("src/lib.rs:{round}: use cart;")),
            }
        }),
    );
    let verbs = ["open", "pull", "pry", "kick", "lift", "break", "shake", "push", "move", "cut"];
    script.run(
        "a target that keeps failing",
        verbs
            .iter()
            .map(|verb| json!({"action": format!("{verb} grating"), "outcome": "You can't do that."})),
    );
    script.weigh(&json!({"action": "burn grating", "score": 0.9}));
    script.see(&json!({"action": "burn grating", "critic": {"score": 0.9}, "outcome": "You can't do that."}));
    script.see(&json!({"action": "burn grating", "critic": {"score": 0.9}, "refused": true}));
    script.see(&json!({"action": "burn grating", "critic": {"score": 0.9}, "refused": true}));
    let kinds = [
        "disk full",
        "permission denied",
        "no such host",
        "segmentation fault",
        "timeout",
        "bad magic number",
        "killed",
    ];
    script.run(
        "errors of many kinds",
        kinds.iter().enumerate().map(|(n, text)| {
            json!({"action": {"name": "bash", "args": {"command": format!("./job{n}")}}, "outcome": {"text": format!("Error: {text}"), "error": true, "exit": n + 1}})
        }),
    );
    script.run(
        "calls that were denied",
        times(9, |n| {
            let denied = ["user", "guard", "policy"][n as usize % 3];
            json!({"action": {"name": "bash", "args": {"command": "rm -r build"}}, "outcome": {"text": "denied", "denied": denied}})
        }),
    );
}

/// Actions of web agents, whose results are not logged.
fn fields(script: &mut GoldenScript) {
    script.run(
        "one field with ever other values",
        times(34, |n| {
            let price = 45 + n * 7 % 31;
            if n % 2 == 0 {
                action(&format!("fill('max_price', '{price}')"))
            } else {
                action("click('apply')")
            }
        }),
    );
    let words = [
        "I will click on the orders link to find the invoice of March.",
        "I will click the orders link again to find the invoice of March.",
        "Let me click on the orders link to find the invoice of March.",
        "I will click on the orders link to find the March invoice.",
    ];
    script.run(
        "calls that are announced in the same words",
        times(18, |n| json!({"action": format!("click('{}')", 140 + n * 37), "say": words[n as usize % 4]})),
    );
    script.run("waits that are not logged", times(22, |_| action("wait(3000)")));
    script.run("one click", times(10, |_| action("click('a51')")));
}

fn effects(script: &mut GoldenScript) {
    script.run(
        "edits that change nothing",
        times(9, |n| {
            let text = format!("const limit = {n};");
            edit("src/app.ts", &text, &text, "No changes made to src/app.ts")
        }),
    );
    let file = "export function retry() {\n  const attempts = 3; // too few\n}\n";
    script.run(
        "edits that take no effect",
        times(18, |n| {
            if n % 2 == 0 {
                let new = format!("const attempts = {}; // enough", n + 4);
                edit("src/app.ts", "const attempts = 3; // too few", &new, "File updated.")
            } else {
                call("read", &json!({"path": "src/app.ts"}), file)
            }
        }),
    );
    script.run(
        "edits that undo each other",
        times(32, |n| match n % 4 {
            0 => edit("src/app.ts", "timeout: 30", "timeout: 60", "File updated."),
            2 => edit("src/app.ts", "timeout: 60", "timeout: 30", "File updated."),
            _ => sh("npm test", &format!("{} of 40 failed in suite {n}", n % 7)),
        }),
    );
    script.run(
        "a message that is sent again",
        times(6, |n| {
            let args = json!({"to": "zoë@shop.example", "text": "Der Bericht für Mai ist fertig. 📦"});
            call(
                "send_message",
                &args,
                &format!("{{\"ok\":true,\"id\":\"msg_{}\"}}", 9_007_199_254_740_993 + n),
            )
        }),
    );
    script.weigh(&json!({"action": {"name": "send_message", "args": {"to": "zoë@shop.example", "text": "Der Bericht für Mai ist fertig. 📦"}}}));
}

fn rework(script: &mut GoldenScript) {
    let compaction = || json!({"harness": "compaction"});
    let reads = |count| {
        times(count, |number| {
            let path = format!("src/part{number}.rs");
            call("read_file", &json!({"path": path}), &format!("pub fn part{number}() {{}}"))
        })
    };
    script.run("reads of before a compaction", reads(12).chain([compaction()]).chain(reads(12)));
    let rounds = (0..9).flat_map(|_| reads(4).chain([compaction()]).collect::<Vec<_>>());
    script.run("compactions with the same reads", rounds);
    script.run("compactions with nothing between", times(8, |_| compaction()));
    script.run(
        "turns that the harness starts",
        times(22, |n| match n % 2 {
            0 => json!({"harness": "continuation"}),
            _ => said("Nothing has changed. I am waiting for the review."),
        }),
    );
    script.run(
        "a notification in between",
        times(12, |n| match n % 3 {
            0 => json!({"harness": "notification", "user": "Background job 7 ended."}),
            1 => json!({"harness": "continuation"}),
            _ => said("Still waiting."),
        }),
    );
}

/// Texts: repeated words, messages without deeds, outputs of iterations; and the runs of a series.
pub(super) fn words() -> GoldenScript {
    let mut script = GoldenScript::new("words");
    script.run("one word", [said(&format!("The appeal was brought before the {}", "court ".repeat(900)))]);
    let text = "Let me reconsider. The function returns early, so the cache is never filled, and so it returns early. \
                I should look at the caller.\n";
    script.run(
        "a paragraph",
        [said(&text.repeat(5)), said(&text.repeat(11)), said(&"再試行します。".repeat(90))],
    );
    script.run(
        "promises to change",
        times(10, |n| {
            let mut step = failing("memory", &json!({"content": "likes tea"}), "Missing argument: action");
            step["say"] =
                json!(format!("I see the mistake now. On attempt {n} I will pass the action argument."));
            step
        }),
    );
    script.run("blank messages", times(8, |_| said(" \n")));
    let talk =
        times(14, |n| said(&format!("Next I am going to look into part {n} of the migration, carefully.")));
    script.run("only talk after a call", [sh("ls", "a b")].into_iter().chain(talk));
    script.run(
        "only talk",
        times(14, |n| {
            said(&format!("My view on point {n} is that we should weigh it against the others first."))
        }),
    );
    let outputs = [
        "Error: TypeError - Cannot read property 'id' of null at auth.ts:45",
        "Error: TypeError - Cannot read property 'id' of null at auth.ts:51",
        "Fixed auth.ts - added null check",
        "2 failed: parse_date, parse_zone",
    ];
    for profile in ["auto", "iterations", "documents"] {
        for output in outputs {
            script.guard(&format!("outputs in {profile}"), &json!({"profile": profile}));
            script
                .see_all(times(5, |n| json!({"outcome": output, "at": 1_762_248_924_000_u64 + n * 61_000})));
        }
    }
    let report = |n: u64| {
        let lines: Vec<String> =
            (0..12).map(|line| format!("module {line} was checked and has {} problems", line * 3)).collect();
        json!({"outcome": format!("Pass {n}: {}", lines.join(", "))})
    };
    script.run("outputs that are nearly the same", times(6, report));
    restarts(&mut script);
    script
}

/// Runs that end early, and runs that start runs.
fn restarts(script: &mut GoldenScript) {
    script.series(&json!({}));
    for n in 0..7_u64 {
        let at = 1_762_248_924_000 + n * 300_000;
        let steps = [
            json!({"at": at, "user": format!("Iteration {n}: implement the next item of PLAN.md")}),
            json!({"at": at + 1, "outcome": {"text": "Error: context window exceeded", "error": true}}),
        ];
        script.conclude(&format!("run {n}"), &steps);
    }
    script.series(&json!({"restart": {"mode": "observe"}}));
    for n in 0..22_u64 {
        let at = 1_762_248_924_000 + n * 320;
        let task = json!({"name": "Task", "args": {"prompt": "Delegate this to a subagent"}});
        let steps = [
            json!({"at": at, "user": "Delegate this to a subagent, then report."}),
            json!({"at": at + 1, "action": task}),
        ];
        script.conclude(&format!("child {n}"), &steps);
    }
}
