//! The documentation is consistent: every relative link leads to a file and, if it has an anchor, to a
//! heading there.

#![expect(clippy::unwrap_used, reason = "a page that cannot be read has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

/// Returns the pages that people read.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
            .map(|page| root().join(page))
            .into();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// Returns the text without fenced and inline code, in which brackets are not links.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let odd =
                |(at, part): (usize, &str)| if at % 2 == 0 { part.to_owned() } else { "code".to_owned() };
            prose.extend(line.split('`').enumerate().map(odd));
            prose.push('\n');
        }
    }
    assert!(!fenced, "a fence is left open");
    prose
}

/// Returns the targets of the links and images of a page.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let reference =
        prose.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split_once("]: "));
    inline.chain(reference.map(|(_, to)| to)).map(|to| to.trim().to_owned()).collect()
}

/// Returns the anchors that the headings of a page create.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings =
        text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    headings
        .map(|heading| {
            let kept = heading.to_lowercase();
            let kept =
                kept.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
            kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
        })
        .collect()
}

/// Returns the problem of a link, if there is one.
fn problem(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if path.is_empty() { page.to_owned() } else { page.parent()?.join(path) };
    if !target.exists() {
        return Some(format!("{}: {link}: there is no such file", page.display()));
    }
    let known = || anchors(&fs::read_to_string(&target).unwrap_or_default()).contains(anchor);
    (!anchor.is_empty() && !known()).then(|| format!("{}: {link}: there is no such heading", page.display()))
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let links = links(&text);
        checked += links.len();
        wrong.extend(links.iter().filter_map(|link| problem(&page, link)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 40, "only {checked} links were found");
}

#[test]
fn a_broken_link_is_found() {
    let page = root().join("docs/README.md");
    let text =
        "[a](guide/analyze.md) ![b](images/none.svg) `[c](none)`\n```text\n[d](none)\n```\n[e]: none.md\n";
    assert_eq!(links(text), ["guide/analyze.md", "images/none.svg", "none.md"]);
    for (link, good) in [
        ("guide/analyze.md", true),
        ("guide/analyze.md#many-runs", true),
        ("guide/analyze.md#few-runs", false),
        ("guide/none.md", false),
        ("#reference", true),
        ("#nothing", false),
        ("https://example.org/none", true),
    ] {
        assert_eq!(problem(&page, link).is_none(), good, "{link}");
    }
}

#[test]
fn every_guide_is_in_the_index() {
    let index_of = |folder: &str| fs::read_to_string(root().join(folder).join("README.md")).unwrap();
    let (all, adapters) = (index_of("docs"), index_of("docs/guide/adapters"));
    for page in pages() {
        let inside = page.strip_prefix(root().join("docs")).map(|inside| inside.to_str().unwrap().to_owned());
        if let Ok(inside) = inside
            && inside != "README.md"
        {
            // The adapters have an index of their own.
            let adapter = inside.strip_prefix("guide/adapters/").filter(|name| *name != "README.md");
            let (index, link) = adapter.map_or((&all, inside.as_str()), |name| (&adapters, name));
            assert!(index.contains(&format!("]({link})")), "{inside} is not in its index");
        }
    }
}

#[test]
fn the_json_lines_of_the_pages_are_steps() {
    let folder = crate::support::folder();
    for page in
        ["docs/formats/README.md", "docs/guide/steps.md", "docs/guide/tasks.md", "docs/guide/analyze.md"]
    {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let blocks: Vec<&str> =
            text.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!blocks.is_empty(), "{page}");
        fs::write(folder.path().join("log.jsonl"), blocks.concat()).unwrap();
        let totals = &crate::support::json(folder.path(), &["log.jsonl"])["totals"];
        assert_eq!((&totals["skipped_lines"], &totals["unknown_keys"]), (&0.into(), &0.into()), "{page}");
    }
}

#[test]
fn a_section_of_the_detectors_guide_names_every_option_of_its_table() {
    let guide = fs::read_to_string(root().join("docs/guide/detectors.md")).unwrap();
    let reference = fs::read_to_string(root().join("docs/reference/configuration.md")).unwrap();
    let options =
        reference.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`')?.split_once('.'));
    let mut named = 0;
    for (table, option) in options {
        let Some((_, section)) = guide.split_once(&format!("\n## `{table}`\n")) else { continue };
        let section = section.split("\n## ").next().unwrap();
        assert!(option == "mode" || section.contains(&format!("`{option}`")), "{table}.{option}");
        named += 1;
    }
    assert!(named > 40, "only {named} options were found");
}

/// One step of a walk in ARCHITECTURE.md: a file and a function in it.
struct WalkStep {
    walk: String,
    file: String,
    function: String,
}

/// Reads the numbered lists of the section "Three walks": "1. `file` `function`: what happens there".
fn walk_steps(page: &str) -> Vec<WalkStep> {
    let section = page.split("\n## Three walks\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut steps = Vec::new();
    let mut walk = String::new();
    for line in section.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            heading.clone_into(&mut walk);
        }
        let is_numbered = line.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
        let code: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        if let [file, function, ..] = code.as_slice()
            && is_numbered
        {
            let (walk, file, function) = (walk.clone(), (*file).to_owned(), (*function).to_owned());
            steps.push(WalkStep { walk, file, function });
        }
    }
    steps
}

#[test]
fn every_file_and_function_of_the_three_walks_exists() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let steps = walk_steps(&page);
    let walks: BTreeSet<&str> = steps.iter().map(|step| step.walk.as_str()).collect();
    assert_eq!(walks.len(), 3, "{walks:?}");
    for WalkStep { walk, file, function } in &steps {
        let text =
            fs::read_to_string(root().join(file)).unwrap_or_else(|_| panic!("{walk}: there is no {file}"));
        let name = function.rsplit("::").next().unwrap();
        let declared = [format!("fn {name}("), format!("fn {name}<")];
        assert!(declared.iter().any(|line| text.contains(line.as_str())), "{walk}: {file} has no {function}");
    }
}

#[test]
fn no_walk_turns_back_more_than_three_times() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let steps = walk_steps(&page);
    for walk in steps.iter().map(|step| step.walk.as_str()).collect::<BTreeSet<_>>() {
        let mut left = BTreeSet::new();
        let mut turned_back = Vec::new();
        let mut here = "";
        for step in steps.iter().filter(|step| step.walk == walk) {
            if step.file != here {
                left.insert(here);
                if left.contains(step.file.as_str()) {
                    turned_back.push(step.file.as_str());
                }
                here = &step.file;
            }
        }
        assert!(turned_back.len() <= 3, "{walk}: {turned_back:?}");
    }
}

#[test]
fn the_architecture_page_is_short() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (before, rest) = page.split_once("\n## Three walks\n").unwrap();
    let after = rest.split_once("\n## ").unwrap().1;
    let words = before.split_whitespace().count() + after.split_whitespace().count();
    assert!(words <= 1_400, "{words} words");
}
