//! The description of the API of `loopbreak serve`, held against the server by schemathesis: all its checks, on requests that
//! follow the description and on requests that do not, with a token and without one.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::path::Path;
use std::process::Command;

use crate::support::folder;
use crate::support::served_api::ServedApi;

/// Number of examples of each operation. `LOOPBREAK_API_EXAMPLES` sets another one: `cargo xtask api-fuzz` runs many.
const EXAMPLES: &str = "8";

fn check(token: bool) {
    let home = folder();
    let server = ServedApi::start(home.path(), &["--rate", "100000"]);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let program = target.join("venvs/api/bin/schemathesis");
    assert!(
        program.is_file(),
        "{} is missing: `cargo xtask setup` installs it from PyPI; `cargo xtask ci` does it too",
        program.display()
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/api_checks");
    let examples = std::env::var("LOOPBREAK_API_EXAMPLES").unwrap_or_else(|_| EXAMPLES.to_owned());
    let seed = std::env::var("LOOPBREAK_API_SEED").unwrap_or_else(|_| "1".to_owned());
    let mut command = Command::new(program);
    command.arg("--config-file").arg(folder.join("schemathesis.toml")).arg("run");
    command.arg(format!("http://{}/openapi.json", server.address));
    command.args(["--checks", "all", "--max-examples", &examples, "--seed", &seed, "--no-color"]);
    if token {
        command.args(["--header", &format!("Authorization: Bearer {}", server.token)]);
    }
    command.env("PYTHONPATH", &folder).env("PYTHONDONTWRITEBYTECODE", "1").current_dir(home.path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Test cases:") && said.contains("Tested: 26"), "{said}");
}

#[test]
fn requests_with_a_token_get_what_the_description_says() {
    check(true);
}

#[test]
fn requests_without_a_token_get_what_the_description_says() {
    check(false);
}
