//! The packages that the program is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, root, stdout_of};

/// The package of the program.
const PROGRAM: &str = "loopbreak-cli";

/// A package that the program is made of, or built with.
#[derive(Debug)]
pub(super) struct ProgramPackage {
    pub(super) name: String,
    pub(super) version: String,
    /// SPDX expression.
    pub(super) licence: String,
    /// Folder with its sources.
    pub(super) folder: PathBuf,
    /// SHA-256 sum of the published package. `None` for packages of the workspace.
    pub(super) checksum: Option<String>,
    /// The package only takes part in the build.
    pub(super) is_build_only: bool,
    /// Addresses of the packages that it uses.
    pub(super) uses: BTreeSet<String>,
}

impl ProgramPackage {
    /// Returns the address of the package, by which others refer to it.
    pub(super) fn url(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version.replace('+', "%2B"))
    }

    /// Returns whether it is the program itself.
    pub(super) fn is_program(&self) -> bool {
        self.name == PROGRAM
    }
}

#[derive(Deserialize)]
struct MetadataOutput {
    packages: Vec<MetadataPackage>,
    resolve: MetadataGraph,
}

#[derive(Deserialize)]
struct MetadataPackage {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct MetadataGraph {
    nodes: Vec<MetadataNode>,
}

#[derive(Deserialize)]
struct MetadataNode {
    id: String,
    deps: Vec<MetadataEdge>,
}

#[derive(Deserialize)]
struct MetadataEdge {
    pkg: String,
    dep_kinds: Vec<MetadataEdgeKind>,
}

#[derive(Deserialize)]
struct MetadataEdgeKind {
    kind: Option<String>,
}

/// Lists the packages of the program for a platform, sorted by name and version. Those that only tests use are left out.
pub(super) fn list_packages(triple: &str) -> Result<Vec<ProgramPackage>, ChoreFailure> {
    let mut command = cargo(["metadata", "--format-version", "1", "--locked", "--filter-platform", triple]);
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        ChoreFailure::Failed(format!("cannot read {what}: {error}"))
    };
    let output = stdout_of(&mut command)?;
    let output: MetadataOutput =
        serde_json::from_slice(&output).map_err(|error| failed("the output of `cargo metadata`", &error))?;
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|error| failed("Cargo.lock", &error))?;
    select_packages(&output, &lock)
}

fn select_packages(output: &MetadataOutput, lock: &str) -> Result<Vec<ProgramPackage>, ChoreFailure> {
    let packages: BTreeMap<&str, &MetadataPackage> =
        output.packages.iter().map(|package| (package.id.as_str(), package)).collect();
    let edges: BTreeMap<&str, &[MetadataEdge]> =
        output.resolve.nodes.iter().map(|node| (node.id.as_str(), node.deps.as_slice())).collect();
    let uses = |edge: &MetadataEdge, is_wanted: fn(Option<&str>) -> bool| {
        edge.dep_kinds.iter().any(|kind| is_wanted(kind.kind.as_deref()))
    };
    let reachable = |is_wanted: fn(Option<&str>) -> bool| {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = packages
            .values()
            .filter(|package| package.name == PROGRAM)
            .map(|package| package.id.as_str())
            .collect();
        while let Some(id) = open.pop() {
            if found.insert(id) {
                let edges = edges.get(id).copied().unwrap_or_default();
                open.extend(edges.iter().filter(|edge| uses(edge, is_wanted)).map(|edge| edge.pkg.as_str()));
            }
        }
        found
    };
    let linked = reachable(|kind| kind.is_none());
    let all = reachable(|kind| kind != Some("dev"));
    let checksums = checksums_of(lock);
    let mut selected = Vec::new();
    for id in &all {
        let Some(package) = packages.get(id) else { continue };
        let targets = edges.get(id).copied().unwrap_or_default().iter();
        let targets =
            targets.filter(|edge| uses(edge, |kind| kind != Some("dev")) && all.contains(edge.pkg.as_str()));
        let mut found = ProgramPackage {
            name: package.name.clone(),
            version: package.version.clone(),
            licence: package.license.as_deref().unwrap_or("NOASSERTION").replace('/', " OR "),
            folder: package.manifest_path.parent().map(PathBuf::from).unwrap_or_default(),
            checksum: checksums
                .get(&(package.name.as_str(), package.version.as_str()))
                .map(ToString::to_string),
            is_build_only: !linked.contains(id),
            uses: BTreeSet::new(),
        };
        for edge in targets {
            if let Some(other) = packages.get(edge.pkg.as_str()) {
                found.uses.insert(format!("pkg:cargo/{}@{}", other.name, other.version.replace('+', "%2B")));
            }
        }
        selected.push(found);
    }
    selected.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    if selected.iter().any(ProgramPackage::is_program) {
        return Ok(selected);
    }
    Err(ChoreFailure::Failed(format!("`cargo metadata` does not list {PROGRAM}")))
}

/// Reads the sums of the lock file by name and version. Each package is a table with one value per line.
fn checksums_of(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let tables = lock.split("[[package]]").skip(1);
    tables
        .filter_map(|table| {
            let package = (value_in(table, "name")?, value_in(table, "version")?);
            Some((package, value_in(table, "checksum")?))
        })
        .collect()
}

fn value_in<'t>(table: &'t str, key: &str) -> Option<&'t str> {
    table.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_tests_are_left_out_and_those_of_the_build_are_marked() {
        let package = |name: &str| {
            format!(
                r#"{{"id":"{name}","name":"{name}","version":"1.0.0","license":"MIT/Apache-2.0","manifest_path":"/x/{name}/Cargo.toml"}}"#
            )
        };
        let edge = |name: &str, kind: &str| format!(r#"{{"pkg":"{name}","dep_kinds":[{{"kind":{kind}}}]}}"#);
        let names = ["loopbreak-cli", "linked", "builder", "tester", "deep", "xtask"];
        let packages = names.map(package).join(",");
        let edges =
            [edge("linked", "null"), edge("builder", "\"build\""), edge("tester", "\"dev\"")].join(",");
        let json = format!(
            r#"{{"packages":[{packages}],"resolve":{{"nodes":[{{"id":"loopbreak-cli","deps":[{edges}]}},
                {{"id":"linked","deps":[]}},{{"id":"tester","deps":[]}},{{"id":"deep","deps":[]}},
                {{"id":"builder","deps":[{}]}},{{"id":"xtask","deps":[{}]}}]}}}}"#,
            edge("deep", "null"),
            edge("linked", "null"),
        );
        let lock = "version = 4\n\n[[package]]\nname = \"linked\"\nversion = \"1.0.0\"\nsource = \"x\"\nchecksum = \"abc\"\n";
        let packages = select_packages(&serde_json::from_str(&json).unwrap(), lock).unwrap();
        let seen: Vec<(&str, bool)> =
            packages.iter().map(|package| (package.name.as_str(), package.is_build_only)).collect();
        assert_eq!(seen, [("builder", true), ("deep", true), ("linked", false), ("loopbreak-cli", false)]);
        assert_eq!(packages[2].checksum.as_deref(), Some("abc"));
        assert_eq!(packages[2].licence, "MIT OR Apache-2.0");
        assert_eq!(packages[2].folder, PathBuf::from("/x/linked"));
        let used: Vec<&str> = packages[3].uses.iter().map(String::as_str).collect();
        assert_eq!(used, ["pkg:cargo/builder@1.0.0", "pkg:cargo/linked@1.0.0"]);
    }
}
