//! Three weeks of a coding agent in three projects: `examples/sessions.jsonl`.
//!
//! The sessions have the form of Claude Code's logs. Projects, texts and figures are made up here; no model wrote them. The file has
//! to come out the same on every machine: no clock, no system randomness.

use serde_json::{Value, json};

use crate::split_mix::SplitMix;

/// A project, and the model that works on it.
struct MadeProject {
    folder: &'static str,
    model: &'static str,
    /// The call that fails in the same way every time, and its output up to its duration.
    failing: (&'static str, &'static str),
    /// Commands that go well.
    commands: [&'static str; 4],
}

const PROJECTS: [MadeProject; 3] = [
    MadeProject {
        folder: "/home/ada/shop",
        model: "claude-opus-4-6",
        failing: (
            "npm test -- checkout",
            "FAIL src/checkout.test.ts\n  expected status 200, received 401\n1 failed",
        ),
        commands: [
            "git diff --stat HEAD~",
            "npx tsc --noEmit -p packages/",
            "rg -n 'total' src/cart/",
            "npm run lint -- src/page",
        ],
    },
    MadeProject {
        folder: "/home/ada/blog",
        model: "claude-sonnet-4-5",
        failing: (
            "hugo --minify",
            "Error: failed to render pages: execute of template failed at <.Site.Feed>: nil pointer",
        ),
        commands: [
            "ls content/posts/",
            "git log --oneline -",
            "rg -n 'summary' layouts/",
            "wc -w content/posts/",
        ],
    },
    MadeProject {
        folder: "/home/ada/firmware",
        model: "claude-haiku-4-5",
        failing: (
            "cargo build --release",
            "error: linking with `rust-lld` failed: section .text will not fit in region FLASH",
        ),
        commands: [
            "cargo check --features v",
            "rg -n 'unsafe' src/driver/",
            "cargo size --release -- -A ",
            "git show --stat HEAD~",
        ],
    },
];

/// Day since the first one, project, prompt, number of calls that go well, number of failing ones.
const SESSIONS: [(u32, usize, &str, u32, u32); 18] = [
    (0, 0, "Make the checkout test pass", 6, 22),
    (0, 1, "Add a feed of the newest posts", 8, 0),
    (1, 0, "Try the checkout test again", 3, 26),
    (2, 2, "Fit the image into flash again", 9, 12),
    (3, 1, "Show the summary of each post", 11, 0),
    (4, 0, "Round the totals of the cart", 12, 0),
    (7, 0, "The checkout test fails on main, repair it", 4, 18),
    (7, 2, "Shrink the driver of the display", 10, 9),
    (8, 1, "The site does not build, find out why", 5, 14),
    (9, 0, "Add a coupon field to the cart", 13, 0),
    (10, 2, "Read the sensor every second", 9, 0),
    (11, 1, "Rename the tags", 7, 0),
    (14, 0, "Checkout test once more", 5, 9),
    (15, 2, "Update the board support", 11, 0),
    (16, 1, "Write the page about the author", 9, 0),
    (17, 0, "Show the stock of each article", 14, 0),
    (18, 2, "Link the new bootloader", 8, 6),
    (18, 0, "Prepare the release notes", 10, 0),
];

/// Renders the whole file, one entry per line.
pub(crate) fn jsonl() -> Result<String, String> {
    let mut file = String::new();
    let mut dice = SplitMix(7);
    for (number, session) in SESSIONS.iter().enumerate() {
        for entry in entries(number, session, &mut dice) {
            file += &serde_json::to_string(&entry).map_err(|error| format!("session {number}: {error}"))?;
            file.push('\n');
        }
    }
    Ok(file)
}

fn entries(number: usize, session: &(u32, usize, &str, u32, u32), dice: &mut SplitMix) -> Vec<Value> {
    let (day, project, prompt, going_well, failing) = *session;
    let project = &PROJECTS[project];
    let id = format!("{:04x}{number:04x}-0000-4000-8000-{number:012}", dice.below(0xffff));
    let mut seconds = (8 + dice.below(8)) * 3600 + dice.below(3600);
    let mut entry = |wait: u32, message: Value| {
        seconds += wait;
        // From 20 October to 7 November 2025.
        let date = if day < 12 { format!("10-{}", 20 + day) } else { format!("11-{:02}", day - 11) };
        let time = format!("2025-{date}T{:02}:{:02}:{:02}Z", seconds / 3600, seconds / 60 % 60, seconds % 60);
        json!({"type": message["role"], "sessionId": id, "cwd": project.folder, "timestamp": time, "message": message})
    };
    let mut all = vec![entry(0, json!({"role": "user", "content": prompt}))];
    for call in 0..going_well + failing {
        let fails = call >= going_well;
        let (command, output) = if fails {
            let (command, output) = project.failing;
            (command.to_owned(), format!("{output}\n(0.{} s)", 31 + dice.below(60)))
        } else {
            let command = project.commands[call as usize % project.commands.len()];
            (format!("{command}{call}"), format!("{} lines, the last about part {call}", 4 + dice.below(90)))
        };
        let tool = format!("t{number}-{call}");
        let usage = json!({"input_tokens": 900, "output_tokens": 80 + dice.below(200), "cache_read_input_tokens": 18_000 + 700 * call});
        let content =
            json!([{"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": command}}]);
        let message = json!({"role": "assistant", "id": format!("m{number}-{call}"), "model": project.model, "content": content, "usage": usage});
        all.push(entry(4 + dice.below(9), message));
        let result =
            json!([{"type": "tool_result", "tool_use_id": tool, "content": output, "is_error": fails}]);
        all.push(entry(1 + dice.below(30), json!({"role": "user", "content": result})));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sessions_are_the_same_every_time_and_small() {
        let file = jsonl().unwrap();
        assert_eq!(file, jsonl().unwrap());
        assert!(file.len() < 250_000, "{}", file.len());
        assert_eq!(
            file.lines()
                .filter(|line| line.contains("\"content\":\""))
                .filter(|line| !line.contains("tool_result"))
                .count(),
            SESSIONS.len()
        );
    }
}
