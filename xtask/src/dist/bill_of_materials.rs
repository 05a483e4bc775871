//! The bill of materials of an archive: which packages the program was made of, as `CycloneDX` JSON.

use serde_json::{Value, json};

use super::VERSION;
use super::program_packages::ProgramPackage;
use super::source_date::rfc3339;

/// Renders the bill of materials. `time` is that of the commit, in seconds since 1970.
pub(super) fn render_bill(packages: &[ProgramPackage], triple: &str, time: u64) -> Value {
    let (program, others): (Vec<&ProgramPackage>, Vec<&ProgramPackage>) =
        packages.iter().partition(|package| package.is_program());
    let program = program.first().map(|package| {
        let mut component = component(package, "application");
        component["name"] = "loopbreak".into();
        component["properties"] = json!([{"name": "cargo:target", "value": triple}]);
        component
    });
    let dependencies: Vec<Value> = packages
        .iter()
        .map(|package| json!({"ref": package.url(), "dependsOn": package.uses.iter().collect::<Vec<_>>()}))
        .collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": rfc3339(time),
            "tools": {"components": [{"type": "application", "name": "loopbreak-xtask", "version": VERSION}]},
            "component": program,
        },
        "components": others.iter().map(|package| component(package, "library")).collect::<Vec<_>>(),
        "dependencies": dependencies,
    })
}

fn component(package: &ProgramPackage, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": package.url(),
        "name": package.name,
        "version": package.version,
        "scope": if package.is_build_only { "excluded" } else { "required" },
        "licenses": [{"expression": package.licence}],
        "purl": package.url(),
    });
    if let Some(checksum) = &package.checksum {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    component
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::dist::dist_target::DistTarget;
    use crate::dist::program_packages::list_packages;

    fn text<'v>(value: &'v Value, key: &str) -> &'v str {
        value[key].as_str().unwrap_or_else(|| panic!("{key} in {value}"))
    }

    /// The parts that readers of the format rely on. The whole schema is too large to keep here.
    #[test]
    fn the_bill_of_this_workspace_has_the_shape_of_the_format() {
        let host = DistTarget::host().unwrap();
        let bill = render_bill(&list_packages(&host.triple).unwrap(), &host.triple, 1_798_761_599);
        assert_eq!((text(&bill, "bomFormat"), text(&bill, "specVersion")), ("CycloneDX", "1.5"));
        assert_eq!(text(&bill["metadata"], "timestamp"), "2026-12-31T23:59:59Z");
        let program = &bill["metadata"]["component"];
        assert_eq!(
            (text(program, "type"), text(program, "name"), text(program, "version")),
            ("application", "loopbreak", VERSION)
        );

        let components = bill["components"].as_array().unwrap();
        let mut refs = BTreeSet::from([text(program, "bom-ref")]);
        for component in components {
            let (name, version) = (text(component, "name"), text(component, "version"));
            assert_eq!(text(component, "purl"), format!("pkg:cargo/{name}@{}", version.replace('+', "%2B")));
            assert!(refs.insert(text(component, "bom-ref")), "{name} {version} twice");
            assert!(!text(&component["licenses"][0], "expression").is_empty());
            assert!(["required", "excluded"].contains(&text(component, "scope")));
            let is_own = name.starts_with("loopbreak");
            let sum = component["hashes"][0]["content"].as_str();
            assert_eq!(sum.is_none(), is_own, "{name}");
            assert!(
                sum.is_none_or(|sum| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()))
            );
        }
        assert!(components.len() > 100, "{}", components.len());
        let named = |name: &str| components.iter().find(|component| component["name"] == name);
        assert_eq!(named("rusqlite").map(|package| text(package, "scope")), Some("required"));
        assert_eq!(named("cc").map(|package| text(package, "scope")), Some("excluded"));
        assert!(
            named("assert_cmd").is_none() && named("xtask").is_none(),
            "tests and chores are not part of the program"
        );

        let dependencies = bill["dependencies"].as_array().unwrap();
        assert_eq!(dependencies.len(), refs.len());
        for dependency in dependencies {
            let used = dependency["dependsOn"].as_array().unwrap().iter().map(|used| used.as_str().unwrap());
            for known in used.chain([text(dependency, "ref")]) {
                assert!(refs.contains(known), "{known}");
            }
        }
    }
}
