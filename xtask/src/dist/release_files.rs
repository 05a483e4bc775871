//! The files that a release has once: the sums of all others, the script that installs, and the formula of Homebrew.

use std::fs;
use std::process::Command;

use super::{VERSION, dist_folder};
use crate::chore_failure::ChoreFailure;
use crate::process::{root, stdout_of, works};

const SUMS: &str = "SHA256SUMS";
const SCRIPT: &str = "install.sh";
const FORMULA: &str = "loopbreak.rb";
/// The formula, with placeholders such as `@VERSION@`.
const FORMULA_TEMPLATE: &str = include_str!("formula_template.rb");
/// The line of the script that says where the releases are.
const EMPTY_URL: &str = "\nRELEASES_URL=\"\"\n";

/// Writes the list of sums of everything that is published.
pub(super) fn write_sums() -> Result<(), ChoreFailure> {
    let names = published_files()?;
    if names.is_empty() {
        return Err(ChoreFailure::Failed("dist/ has no archive".to_owned()));
    }
    let mut command = if works(Command::new("sha256sum").arg("--version")) {
        Command::new("sha256sum")
    } else {
        let mut shasum = Command::new("shasum");
        shasum.args(["--algorithm", "256"]);
        shasum
    };
    let sums = stdout_of(command.current_dir(dist_folder()).args(&names))?;
    // Some builds mark names as binary, which is the same for all programs that check the list.
    let sums = String::from_utf8_lossy(&sums).replace(" *", "  ");
    write(SUMS, &sums)
}

/// Writes all files that a release has once.
pub(super) fn finish(releases_url: &str, tag: Option<&str>) -> Result<(), ChoreFailure> {
    if tag.is_some_and(|tag| tag != format!("v{VERSION}")) {
        let tag = tag.unwrap_or_default();
        return Err(ChoreFailure::Failed(format!("the tag is {tag}, but the version is {VERSION}")));
    }
    let failed = |error| ChoreFailure::io(format_args!("read {SCRIPT}"), &error);
    let script = fs::read_to_string(root().join(SCRIPT)).map_err(failed)?;
    write(SCRIPT, &fill_script(&script, releases_url)?)?;
    write_sums()?;
    let path = dist_folder().join(SUMS);
    let sums = fs::read_to_string(&path)
        .map_err(|error| ChoreFailure::io(format_args!("read {}", path.display()), &error))?;
    match fill_formula(FORMULA_TEMPLATE, VERSION, releases_url, &sums) {
        Ok(formula) => write(FORMULA, &formula),
        Err(missing) => {
            eprintln!("xtask: dist/{FORMULA} is not written: there is no {missing}");
            Ok(())
        }
    }
}

/// Returns the names of the files of this version, sorted.
fn published_files() -> Result<Vec<String>, ChoreFailure> {
    let failed = |error| ChoreFailure::io("list dist", &error);
    let mut names = Vec::new();
    for entry in fs::read_dir(dist_folder()).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_own = name.starts_with(&format!("loopbreak-{VERSION}-")) && entry.path().is_file();
        if is_own || name == SCRIPT {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn write(name: &str, text: &str) -> Result<(), ChoreFailure> {
    fs::write(dist_folder().join(name), text)
        .map_err(|error| ChoreFailure::io(format_args!("write dist/{name}"), &error))?;
    println!("dist/{name}");
    Ok(())
}

/// Puts the address of the releases into the script.
fn fill_script(script: &str, releases_url: &str) -> Result<String, ChoreFailure> {
    if script.matches(EMPTY_URL).count() != 1 {
        return Err(ChoreFailure::Failed(format!("{SCRIPT} has no line for the address of the releases")));
    }
    Ok(script.replace(EMPTY_URL, &format!("\nRELEASES_URL=\"{releases_url}\"\n")))
}

/// Puts version, address and sums into the formula. `@SUM TARGET@` is the sum of an archive. Fails with the name of the archive
/// that is missing.
fn fill_formula(template: &str, version: &str, releases_url: &str, sums: &str) -> Result<String, String> {
    let homepage = releases_url.strip_suffix("/releases").unwrap_or(releases_url);
    let text = template.replace("@VERSION@", version).replace("@RELEASES@", releases_url);
    let text = text.replace("@HOMEPAGE@", homepage);
    let mut parts = text.split("@SUM ");
    let mut formula = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once('@').unwrap_or((part, ""));
        let name = format!("loopbreak-{version}-{target}.tar.gz");
        let sum = sums.lines().find_map(|line| line.strip_suffix(&format!("  {name}"))).ok_or(name)?;
        formula.push_str(sum);
        formula.push_str(rest);
    }
    Ok(formula)
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://example.org/owner/loopbreak/releases";

    #[test]
    fn the_script_gets_the_address_of_its_releases() {
        let script = fs::read_to_string(root().join(SCRIPT)).unwrap();
        let filled = fill_script(&script, URL).unwrap();
        assert!(filled.contains(&format!("\nRELEASES_URL=\"{URL}\"\n")));
        assert!(fill_script(&filled, URL).is_err(), "it is filled once");
    }

    #[test]
    fn the_formula_gets_the_sum_of_every_archive() {
        let targets = [
            "aarch64-apple-darwin",
            "x86_64-apple-darwin",
            "aarch64-unknown-linux-musl",
            "x86_64-unknown-linux-musl",
        ];
        let mut sums = Vec::new();
        for (target, number) in targets.iter().zip(1..) {
            sums.push(format!("{}  loopbreak-1.2.3-{target}.tar.gz", number.to_string().repeat(64)));
        }
        let sums = sums.join("\n");
        let formula = fill_formula(FORMULA_TEMPLATE, "1.2.3", URL, &sums).unwrap();
        assert!(!formula.contains('@'), "{formula}");
        for (target, number) in targets.iter().zip(1..) {
            let url = format!("url \"{URL}/download/v1.2.3/loopbreak-1.2.3-{target}.tar.gz\"\n");
            let (_, after) = formula.split_once(&url).unwrap_or_else(|| panic!("{target} in {formula}"));
            let sum = format!("sha256 \"{}\"", number.to_string().repeat(64));
            assert!(after.trim_start().starts_with(&sum), "{target}: {after}");
        }
        assert!(formula.contains("homepage \"https://example.org/owner/loopbreak\"\n"));
        let missing = fill_formula(FORMULA_TEMPLATE, "1.2.3", URL, "").unwrap_err();
        assert_eq!(missing, "loopbreak-1.2.3-aarch64-apple-darwin.tar.gz");
    }
}
