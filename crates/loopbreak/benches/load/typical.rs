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
