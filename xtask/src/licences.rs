//! The licences of all dependencies, and crates that must not come back.
//!
//! `deny.toml` says the same to `cargo deny`, which also checks advisories; that needs a database from the network, so
//! it runs in the workflow only.

use serde::Deserialize;

use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, stdout_of};

/// Licences that may stand behind the program. All of them allow redistribution with a notice.
const ALLOWED_LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that are not used, and why.
const BANNED_CRATES: &[(&str, &str)] = &[
    ("bincode", "unmaintained; use postcard"),
    ("openssl", "needs headers on the user's machine; rustls is used"),
    ("openssl-sys", "needs headers on the user's machine; rustls is used"),
    ("native-tls", "needs headers on the user's machine; rustls is used"),
    ("serde_yaml", "unmaintained, and no format here is YAML"),
    ("sqlx", "cannot share a dependency graph with rusqlite, and takes three times as long to build"),
];

#[derive(Deserialize)]
struct CargoMetadata {
    packages: Vec<PackageMetadata>,
}

#[derive(Deserialize)]
struct PackageMetadata {
    name: String,
    version: String,
    license: Option<String>,
}

/// Checks every package of the lock file.
pub(crate) fn check() -> Result<(), ChoreFailure> {
    let metadata = stdout_of(&mut cargo(["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: CargoMetadata = serde_json::from_slice(&metadata).map_err(|error| {
        ChoreFailure::Failed(format!("cannot read what `cargo metadata` printed: {error}"))
    })?;
    let problems: Vec<String> = metadata.packages.iter().filter_map(problem).collect();
    if problems.is_empty() {
        eprintln!("xtask: licences: {} packages, no problem", metadata.packages.len());
        return Ok(());
    }
    Err(ChoreFailure::Failed(problems.join("\n")))
}

fn problem(package: &PackageMetadata) -> Option<String> {
    let PackageMetadata { name, version, license } = package;
    if let Some((_, why)) = BANNED_CRATES.iter().find(|(banned, _)| banned == name) {
        return Some(format!("{name} {version} is banned: {why}"));
    }
    match license {
        Some(expression) if is_allowed(expression) => None,
        Some(expression) => Some(format!("{name} {version}: the licence {expression:?} is not in the list")),
        None => Some(format!("{name} {version} has no licence")),
    }
}

/// Evaluates an SPDX expression: `OR` needs one side, `AND` both. The old separator `/` means `OR`.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = expression.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_alternative(&mut rest) && rest.is_empty()
}

fn any_alternative(rest: &mut &[&str]) -> bool {
    let mut allowed = all_parts(rest);
    while let Some((&"OR", after)) = rest.split_first() {
        *rest = after;
        // Both sides have to be read, whatever the first one says.
        allowed |= all_parts(rest);
    }
    allowed
}

fn all_parts(rest: &mut &[&str]) -> bool {
    let mut allowed = one_licence(rest);
    while let Some((&"AND", after)) = rest.split_first() {
        *rest = after;
        allowed &= one_licence(rest);
    }
    allowed
}

fn one_licence(rest: &mut &[&str]) -> bool {
    let Some((&first, after)) = rest.split_first() else { return false };
    *rest = after;
    if first == "(" {
        let allowed = any_alternative(rest);
        *rest = rest.strip_prefix(&[")"]).unwrap_or(rest);
        return allowed;
    }
    if let ["WITH", exception, after @ ..] = rest {
        let name = format!("{first} WITH {exception}");
        *rest = after;
        return ALLOWED_LICENCES.contains(&name.as_str());
    }
    ALLOWED_LICENCES.contains(&first)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::process::root;

    #[test]
    fn expressions_are_evaluated_as_spdx_says() {
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "Apache-2.0 AND ISC",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in
            ["GPL-3.0", "MIT AND GPL-3.0", "", "(MIT OR Apache-2.0) AND GPL-3.0", "Apache-2.0 WITH other"]
        {
            assert!(!is_allowed(bad), "{bad}");
        }
    }

    #[test]
    fn a_banned_crate_and_a_missing_licence_are_named() {
        let package = |name: &str, license: Option<&str>| PackageMetadata {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
        };
        assert_eq!(problem(&package("serde", Some("MIT"))), None);
        assert!(problem(&package("openssl", Some("MIT"))).unwrap().contains("is banned"));
        assert!(problem(&package("x", None)).unwrap().contains("no licence"));
        assert!(problem(&package("x", Some("GPL-3.0"))).unwrap().contains("GPL-3.0"));
    }

    #[test]
    fn deny_toml_has_the_same_lists() {
        let deny = fs::read_to_string(root().join("deny.toml")).unwrap();
        for licence in ALLOWED_LICENCES {
            assert!(deny.contains(&format!("\"{licence}\"")), "{licence}");
        }
        for (banned, _) in BANNED_CRATES {
            assert!(deny.contains(&format!("\"{banned}\"")), "{banned}");
        }
    }
}
