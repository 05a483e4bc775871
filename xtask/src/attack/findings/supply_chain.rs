//! The supply chain: workflows, requirements and policies in the files of the repository.

use std::fs;
use std::path::PathBuf;

use crate::attack::attack_rows::AttackRows;
use crate::chore_failure::ChoreFailure;
use crate::process::root;

/// Letters of the hash of a commit.
const COMMIT: usize = 40;

/// Looks at workflows, requirements and policies. The database of advisories needs a network.
pub(super) fn files(rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let (mut actions, mut loose, mut installs) = (0, Vec::new(), Vec::new());
    for path in workflows()? {
        let text = read(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for line in text.lines() {
            if let Some(action) = used_action(line) {
                actions += 1;
                if !is_pinned(action) {
                    loose.push(format!("{name}: {action}"));
                }
            }
            // Without an index, only files that were built here are installed.
            let is_checked = ["--require-hashes", "--no-index"].iter().any(|option| line.contains(option));
            if line.contains("pip install") && !is_checked {
                installs.push(format!("{name}: {}", line.trim()));
            }
        }
    }
    rows.judge(
        "actions of workflows that are not named by a commit",
        actions > 0 && loose.is_empty(),
        format_args!("{} of {actions}. {}", loose.len(), loose.join(", ")),
    );
    let (mut packages, mut unhashed) = (0, Vec::new());
    for path in requirements()? {
        let text = read(&path)?;
        let logical = text.replace("\\\n", " ");
        for line in
            logical.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with(['#', '-']))
        {
            packages += 1;
            if !line.contains("--hash=sha256:") {
                unhashed.push(line.trim().to_owned());
            }
        }
    }
    unhashed.extend(installs);
    rows.judge(
        "Python packages that are installed without a hash",
        packages > 0 && unhashed.is_empty(),
        format_args!("{} of {packages}. {}", unhashed.len(), unhashed.join(", ")),
    );
    let dependabot = read(&root().join(".github/dependabot.yml"))?;
    let policy = read(&root().join("deny.toml"))?;
    let ci = read(&root().join(".github/workflows/ci.yml"))?;
    let security = read(&root().join("SECURITY.md"))?;
    let missing: Vec<&str> = [
        ("updates of crates", dependabot.contains("package-ecosystem: cargo")),
        ("updates of actions", dependabot.contains("package-ecosystem: github-actions")),
        ("updates of Python packages", dependabot.contains("package-ecosystem: pip")),
        ("advisories", policy.contains("[advisories]")),
        ("licences", policy.contains("[licenses]")),
        ("sources", policy.contains("[sources]")),
        ("cargo deny in the workflow", ci.contains("cargo deny") || ci.contains("cargo-deny")),
        ("a threat model", security.contains("## Threat model")),
        ("an address for reports", security.contains("## Reporting")),
    ]
    .into_iter()
    .filter(|(_, is_there)| !is_there)
    .map(|(what, _)| what)
    .collect();
    rows.judge(
        "policies: Dependabot, `deny.toml`, SECURITY.md",
        missing.is_empty(),
        if missing.is_empty() { "all there".to_owned() } else { format!("missing: {}", missing.join(", ")) },
    );
    rows.not_tried(
        "advisories about the dependencies",
        "needs a network; `cargo deny check` in the workflow",
    );
    rows.not_tried("folders of the builder in the binary", "needs a release archive; `cargo xtask dist`");
    Ok(())
}

/// Returns the action that a line of a workflow uses.
fn used_action(line: &str) -> Option<&str> {
    let action = line.trim().trim_start_matches("- ").strip_prefix("uses:")?.trim();
    // One of this repository has no version.
    (!action.starts_with("./")).then_some(action)
}

fn is_pinned(action: &str) -> bool {
    let version = action.split_once('@').map_or("", |(_, version)| version);
    let commit = version.split_whitespace().next().unwrap_or_default();
    commit.len() == COMMIT && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn workflows() -> Result<Vec<PathBuf>, ChoreFailure> {
    let mut files = in_folder(".github/workflows", "yml")?;
    files.push(root().join("action.yml"));
    Ok(files)
}

fn requirements() -> Result<Vec<PathBuf>, ChoreFailure> {
    let mut files = in_folder("xtask/python", "txt")?;
    files.extend(in_folder("crates/loopbreak-cli/tests/cli/mcp_client", "txt")?);
    Ok(files)
}

fn in_folder(folder: &str, ending: &str) -> Result<Vec<PathBuf>, ChoreFailure> {
    let entries = fs::read_dir(root().join(folder))
        .map_err(|error| ChoreFailure::io(format_args!("read {folder}"), &error))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == ending)).collect();
    paths.sort();
    Ok(paths)
}

fn read(path: &std::path::Path) -> Result<String, ChoreFailure> {
    fs::read_to_string(path)
        .map_err(|error| ChoreFailure::io(format_args!("read {}", path.display()), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_pinned_by_a_commit_only() {
        let commit = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2";
        assert_eq!(used_action(&format!("      - uses: {commit}")), Some(commit));
        assert!(is_pinned(commit));
        for action in ["actions/checkout@v4", "actions/checkout@main", "actions/checkout", "a@11bd719"] {
            assert!(!is_pinned(action), "{action}");
        }
        assert_eq!(used_action("        run: cargo xtask ci"), None);
        assert_eq!(used_action("- uses: ./"), None);
    }
}
