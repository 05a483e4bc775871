//! Steps as real agents log them. None has every part.

use super::pad;

/// A coding agent: it reads, searches, runs and edits, with JSON arguments and an outcome of some hundred bytes.
pub(crate) fn coding(count: usize) -> Vec<String> {
    let step = |index: usize| match index % 4 {
        0 => call(
            index,
            "Read",
            &format!(r#"{{"file_path":"/repo/src/m{}.rs","offset":{}}}"#, index % 29, index % 7 * 40),
        ),
        1 => call(index, "Grep", &format!(r#"{{"pattern":"fn case_{}","path":"src"}}"#, index % 53)),
        2 => call(
            index,
            "Bash",
            &format!(
                r#"{{"command":"cd /repo && cargo test -p p{} 2>&1 | tail -40","timeout":120000}}"#,
                index % 31
            ),
        ),
        _ => edit(index),
    };
    (0..count).map(step).collect()
}

/// The same calls with the output of programs, of 1 to 120 lines.
pub(crate) fn outputs(count: usize) -> Vec<String> {
    let mut dice = 7_u64;
    let mut below = |sides: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % sides
    };
    let mut output_line = || {
        let (number, part) = (below(5000), below(40));
        match below(5) {
            0 => format!(r"test parser::case_{number} ... ok\n"),
            1 => format!(r"src/part_{part}.rs:{number}:9: warning: unused variable `value_{part}`\n"),
            2 => format!(r#"    let total = sum(\"part {part}\", {number}); // see above\n"#),
            3 => format!(r"Compiling part_{part} v0.{part}.{number}\n"),
            _ => format!(r"-rw-r--r-- 1 agent agent {number} Nov  4 09:35 part_{part}.rs\n"),
        }
    };
    let step = |index: usize| {
        let text: String = (0..[1, 4, 12, 40, 120][index % 5]).map(|_| output_line()).collect();
        let (part, number) = (index * 7 % 40, index * 31 % 900);
        let action = match index % 4 {
            0 => {
                format!(r#"{{"name":"Read","args":{{"file_path":"src/part_{part}.rs","offset":{number}}}}}"#)
            }
            1 => format!(r#"{{"name":"Grep","args":{{"pattern":"value_{number}","path":"src"}}}}"#),
            2 => {
                format!(r#"{{"name":"Bash","args":{{"command":"cargo test -p part_{part} case_{number}"}}}}"#)
            }
            _ => format!(
                r#"{{"name":"Edit","args":{{"file_path":"src/part_{part}.rs","old_string":"value_{number}","new_string":"total_{number}"}}}}"#
            ),
        };
        let error = index.is_multiple_of(12);
        format!(
            r#"{{"run":"a","at":{},"action":{action},"outcome":{{"text":"{text}","error":{error}}},"usage":{{"input_tokens":{number},"output_tokens":80}}}}"#,
            1_762_248_924_000_u64 + 4_000 * index as u64
        )
    };
    (0..count).map(step).collect()
}

/// Edits only, all of them different.
pub(crate) fn edits(count: usize) -> Vec<String> {
    (0..count).map(edit).collect()
}

fn edit(index: usize) -> String {
    call(
        index,
        "Edit",
        &format!(
            r#"{{"file_path":"/repo/src/m{}.rs","old_string":"let limit = {index};\n    run(limit)","new_string":"let limit = {};\n    run(limit)?"}}"#,
            index % 29,
            index + 1
        ),
    )
}

fn call(index: usize, name: &str, args: &str) -> String {
    let reply = pad(&format!("{index} lines of m{}.rs are shown below;", index % 29), 300);
    format!(
        r#"{{"at":{},"action":{{"name":"{name}","args":{args}}},"outcome":{{"text":"{reply}"}}}}"#,
        1_762_248_924_000_u64 + 8_000 * index as u64
    )
}

/// A text adventure: commands in natural language, a place, a score, a reply.
pub(crate) fn game(count: usize) -> Vec<String> {
    let step = |index: usize| {
        let place = [20, 15, 18, 3, 7, 9, 11][index / 2 % 7];
        let command = match index % 5 {
            0 => format!("take lamp {}", index % 37),
            1 => "open the grating with the key".to_owned(),
            2 => format!("examine box {}", index % 41),
            3 => "north".to_owned(),
            _ => "go south".to_owned(),
        };
        let reply = pad(&format!("You see {} torches and a passage.", index % 97), 180);
        format!(
            r#"{{"action":"{command}","outcome":{{"text":"{reply}"}},"place":{{"id":{place},"name":"Room {place}","exits":["north","south"]}},"score":{}}}"#,
            index / 17
        )
    };
    (0..count).map(step).collect()
}

/// Two rooms to and fro, with a critic that likes both moves.
pub(crate) fn oscillation(count: usize) -> Vec<String> {
    let step = |index: usize| {
        let (way, place) = if index.is_multiple_of(2) { ("north", "Lobby") } else { ("south", "Dam") };
        format!(r#"{{"action":"{way}","place":"{place}"}}"#)
    };
    (0..count).map(step).collect()
}

/// A web agent, logged without outcomes. The ids of elements change with every load.
pub(crate) fn web(count: usize) -> Vec<String> {
    let step = |index: usize| match index % 4 {
        0 => format!(r#"{{"action":"fill('a{}', 'red shoes size {}')"}}"#, index % 900, index % 47),
        1 => format!(r#"{{"action":"click('{}')"}}"#, index % 900),
        2 => r#"{"action":"scroll(0, 300)"}"#.to_owned(),
        _ => format!(
            r#"{{"action":{{"name":"type","args":{{"index":{},"text":"shoes {}"}}}}}}"#,
            index % 90,
            index % 43
        ),
    };
    (0..count).map(step).collect()
}
