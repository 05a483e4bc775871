//! The load of all benchmarks: steps with a 200-byte action, a 500-byte outcome and every other part.

#[allow(dead_code, reason = "not every benchmark uses it")]
pub(crate) mod typical;

use std::fmt::Write as _;

/// Returns a run as native log lines. Places, actions, outcomes and scores vary, so that every detector has work to do
/// and none of them fires all the time.
pub(crate) fn lines(count: usize) -> Vec<String> {
    (0..count).map(line).collect()
}

fn line(index: usize) -> String {
    let mut line = String::new();
    let place = [20, 15, 18, 3, 7, 9, 11][index % 7];
    let way = ["north", "south", "east", "west"][index % 4];
    let command = pad(&format!("cargo test --package p{} -- case_{}", index % 23, index % 11), 170);
    let reply =
        pad(&format!("running {} tests; {} failed in module m{}", index % 40, index % 5, index % 13), 500);
    let _ = write!(
        line,
        r#"{{"turn":{turn},"at":{at},"action":{{"name":"{name}","args":{{"command":"{command}"}}}},"outcome":{{"text":"{reply}","error":{error}}},"place":{{"id":{place},"name":"Room {place}","exits":["north","south","{way}"]}},"score":{score},"objectives":{{"active":["open the dam","find the wrench"]}},"task":{{"id":"T{task}","status":"in_progress","work":["w{index}"]}},"usage":{{"input_tokens":1200,"output_tokens":80,"cost_usd":0.01}}}}"#,
        turn = index + 1,
        at = 1_762_248_924_000_u64 + 8_000 * index as u64,
        name = if index.is_multiple_of(3) { way } else { "bash" },
        error = index.is_multiple_of(9),
        score = index / 17,
        task = index % 6,
    );
    line
}

fn pad(text: &str, length: usize) -> String {
    let filler = " lorem ipsum dolor sit amet, consectetur adipiscing elit";
    text.chars().chain(filler.chars().cycle()).take(length).collect()
}

#[allow(dead_code, reason = "not every benchmark uses it")]
/// Returns a run of whole iterations: outputs of a given size without an action, each slightly different from the last.
pub(crate) fn iterations(count: usize, bytes: usize) -> Vec<String> {
    let output = |index: usize| {
        pad(&format!("Iteration {index}: fixed src/m{}.rs, then {}", index % 17, index * 7919), bytes)
    };
    (0..count).map(|index| format!(r#"{{"outcome":{{"text":"{}"}}}}"#, output(index))).collect()
}
