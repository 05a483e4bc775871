//! The page about the step record names the detectors that read a key.

#![expect(clippy::disallowed_methods, reason = "the engine reads no file, but this test reads the page")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use loopbreak::DetectorName;

/// The texts between backquotes.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the cell "read by" of every top-level key. The cells of its inner keys belong to it.
fn readers() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/steps.md");
    let page = fs::read_to_string(path).unwrap();
    let (_, table) = page.split_once("\n## Keys\n").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let mut readers: BTreeMap<String, String> = BTreeMap::new();
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let key = code_spans(cells[0]).next().unwrap().split('.').next().unwrap();
        let cell = readers.entry(key.to_owned()).or_default();
        cell.push(' ');
        cell.push_str(cells.get(2).unwrap_or(&"").trim());
    }
    assert!(readers.len() > 15, "{readers:?}");
    readers
}

/// The page says what the detectors declare to read, in both directions. A cell that says "all" names every detector.
#[test]
fn the_page_about_steps_names_the_detectors_that_read_a_key() {
    let readers = readers();
    for detector in DetectorName::ALL {
        let reads = detector.docs().unwrap().reads;
        for key in code_spans(&reads).map(|span| span.split('.').next().unwrap()) {
            let cell = readers
                .get(key)
                .unwrap_or_else(|| panic!("{detector} reads {key}, which is not on the page"));
            let named = code_spans(cell).any(|name| name == detector.as_str()) || cell.contains(" all");
            assert!(named, "{detector} reads {key}, but the page says:{cell}");
        }
    }
    for (key, cell) in &readers {
        for name in code_spans(cell) {
            let detector = DetectorName::ALL.iter().find(|detector| detector.as_str() == name);
            let reads = detector.unwrap_or_else(|| panic!("{name} is no detector")).docs().unwrap().reads;
            let declared = code_spans(&reads).any(|span| span.split('.').next() == Some(key));
            assert!(declared, "the page says that {name} reads {key}, the detector declares: {reads}");
        }
    }
}
