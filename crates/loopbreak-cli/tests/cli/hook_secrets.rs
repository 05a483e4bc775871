//! Secrets in the events of hooks are masked before anything is stored.

use std::fs;

use serde_json::json;

use crate::support::hooks::HookHome;

/// Shapes of secrets as agents write them, each with `§` in place of the secret. They must not reach the store by any way.
/// `cargo xtask attack` sends them too.
const SECRET_SHAPES: &str = include_str!("../fixtures/secret_shapes.json");

/// A store, a log and a status with a secret in the clear give it to everybody who may read them.
#[test]
fn no_shape_of_a_secret_reaches_the_store() {
    const SECRET: &str = "Zq9Xsecret7731";
    let home = HookHome::new();
    let shapes: Vec<String> = serde_json::from_str(SECRET_SHAPES).unwrap();
    assert_eq!(shapes.len(), 64);
    for (number, shape) in shapes.iter().enumerate() {
        let text = shape.replace('§', SECRET);
        let id = format!("s{number}");
        let session = home.session(&id);
        session.prompt(&text);
        home.send(&session.tool(
            "PostToolUse",
            "Bash",
            &json!({"command": text}),
            json!({"tool_response": {"stdout": text}}),
        ));
    }
    let mut clear = Vec::new();
    for entry in fs::read_dir(home.store().parent().unwrap()).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap_or_default();
        let content = String::from_utf8_lossy(&bytes);
        for part in ["Zq9X", "QZ9X7731"] {
            clear.extend(content.match_indices(part).map(|(at, _)| {
                let start = content.floor_char_boundary(at.saturating_sub(60));
                content[start..content.floor_char_boundary(at + 20)].to_owned()
            }));
        }
    }
    clear.sort();
    clear.dedup();
    assert!(clear.is_empty(), "{} in the clear:\n{}", clear.len(), clear.join("\n"));
}
