//! The number of names that users meet first.

/// Names in the root of the crate, modules included. A longer list is not read.
const LIMIT: usize = 35;

#[test]
fn the_root_of_the_crate_stays_short() {
    let source = include_str!("../../src/lib.rs");
    let modules = source.lines().filter(|line| line.starts_with("pub mod ")).count();
    let names: usize = source
        .split("\npub use ")
        .skip(1)
        .filter_map(|rest| rest.split_once(';'))
        .map(|(path, _)| path.rsplit("::").next().unwrap_or(path).matches(',').count() + 1)
        .sum();
    assert!(names > 10 && modules > 5, "{names} names and {modules} modules: the list was not found");
    assert!(names + modules <= LIMIT, "{names} names and {modules} modules in the root of the crate");
}
