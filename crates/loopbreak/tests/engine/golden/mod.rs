//! The golden files of `tests/golden`: steps, proposals and settings with the very bytes of every verdict and ruling. All
//! bindings of the engine play them, so that there is one truth.
//!
//! - `golden_player`: plays the lines of a file and gives the answers
//! - `golden_script`: the lines of a file before they are answered
//! - `detector_scripts`, `place_scripts`, `task_scripts`, `settings_scripts`: runs that were made for a pattern or an option
//! - `random_scripts`: runs of random steps with every part, from a fixed seed
//! - `golden_coverage`: the names that occur in the answers
//! - `golden_files`: the tests

mod detector_scripts;
mod golden_coverage;
mod golden_files;
mod golden_player;
mod golden_script;
mod place_scripts;
mod random_scripts;
mod settings_scripts;
mod task_scripts;
