//! Secrets in the events of hooks.

use std::fs;

use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::chore_failure::ChoreFailure;

/// Shapes of secrets, each with `§` in place of the secret. A test of the hooks sends them too.
const SHAPES: &str = include_str!("../../../../crates/loopbreak-cli/tests/fixtures/secret_shapes.json");
const SECRET: &str = "Zq9Xsecret7731";
/// Parts of the secrets. One shape has a secret of its own, in capitals.
const PARTS: [&str; 2] = ["Zq9X", "QZ9X7731"];
/// A text without a secret, to see that steps do reach the store.
const CONTROL: &str = "ordinary-text-8841";

/// F8: no shape of a secret is in the files of the store.
pub(super) fn in_store(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let shapes: Vec<String> = serde_json::from_str(SHAPES)
        .map_err(|error| ChoreFailure::Failed(format!("the list of shapes is not valid: {error}")))?;
    let mut leaked = Vec::new();
    let mut steps = 0;
    for (number, shape) in shapes.iter().enumerate() {
        let home = lab.home()?;
        let text = shape.replace('§', SECRET);
        let mut prompt = home.event("session", "UserPromptSubmit");
        prompt["prompt"] = text.clone().into();
        let mut step = home.event("session", "PostToolUse");
        step["tool_input"]["command"] = format!("{text}\n{CONTROL}").into();
        step["tool_response"] = text.into();
        for event in [prompt, step] {
            home.hook(&event)?;
        }
        let content = files_beside(&home.home.store());
        steps += usize::from(content.contains(CONTROL));
        if PARTS.iter().any(|part| content.contains(part)) {
            leaked.push(format!("{}: {}", number + 1, shape.escape_debug()));
        }
    }
    let count = shapes.len();
    rows.judge(
        "64 shapes of secrets in prompts, calls and outcomes",
        count == 64 && steps == count && leaked.is_empty(),
        format_args!(
            "{steps} of {count} steps stored, {} with a secret in the clear. {}",
            leaked.len(),
            leaked.join("; ")
        ),
    );
    Ok(())
}

/// Reads all files beside the store.
fn files_beside(store: &std::path::Path) -> String {
    let entries = store.parent().and_then(|folder| fs::read_dir(folder).ok());
    let files = entries.into_iter().flatten().flatten().filter_map(|entry| fs::read(entry.path()).ok());
    files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}
