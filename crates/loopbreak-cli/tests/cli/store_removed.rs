//! A store may be deleted at any time. Programs that have it open notice, and the limits of a run hold.

use crate::support::agents::{agent, run_with, stdout_of};
use crate::support::folder;

/// The run went on in the deleted file, and a resumed run began at zero.
#[test]
fn a_run_whose_store_was_deleted_keeps_its_limits() {
    let folder = folder();
    let body = agent("if [ $N = 3 ]; then rm -rf state; fi; echo \"chapter $N is written $(date +%N)\"");
    let first = run_with(folder.path(), &["--prompt", "x", "--max-iterations", "5"], &body);
    assert!(first.err.contains("the store was moved, removed or replaced"), "{}", first.err);
    let status = stdout_of(folder.path(), &["status", "--all", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["runs"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(status["tickCount"], 5, "{status}");
    let again = run_with(folder.path(), &["--prompt", "x", "--max-iterations", "7", "--resume"], &body);
    let count = std::fs::read_to_string(folder.path().join("count")).unwrap();
    assert_eq!(count.trim(), "7", "{}", again.err);
}
