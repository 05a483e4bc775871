//! Configuration for [Loopbreak](loopbreak), the circuit breaker for autonomous agents.
//!
//! The engine takes a checked [`Config`](loopbreak::Config) and does not care where it comes from. This crate builds
//! one from layers. Each layer overrides the one before it:
//!
//! 1. the defaults of a profile, and of a task preset if one is selected,
//! 2. the user's own configuration file,
//! 3. the configuration file of a project: `loopbreak.toml`, or `[tool.loopbreak]` in `pyproject.toml`,
//! 4. environment variables such as `LOOPBREAK_STAGNATION__MAX_TURNS`,
//! 5. assignments such as `stagnation.max_turns=30`, as given on a command line.
//!
//! Where Loopbreak guards an agent that can write files, [`ConfigLoader::load_guarded`] trusts the file of a project less than
//! the others: it may tighten and tune the guard, and loosen it only if the user has trusted it ([`TrustedFiles`]).
//!
//! [`ConfigLayers`] works on texts and does no IO. [`ConfigLoader`] also finds and reads the file. Both return a
//! [`LoadedConfig`], which knows the origin of every value, or all problems at once, each with its location in the
//! file.
//!
//! ```
//! use loopbreak_config::{ConfigLayers, ConfigSource};
//!
//! # fn main() -> Result<(), loopbreak_config::ConfigError> {
//! let file = ConfigSource::new("loopbreak.toml", "[stagnation]\nmax_turns = 50\n");
//! let loaded = ConfigLayers::default().file(file).set("stagnation.warn_at=25").load()?;
//! assert_eq!(loaded.config.stagnation.max_turns, 50);
//! assert_eq!(loaded.origin("stagnation.max_turns").to_string(), "loopbreak.toml:2:13");
//!
//! let typo = ConfigSource::new("loopbreak.toml", "[stagnation]\nmax_turn = 50\n");
//! let error = ConfigLayers::default().file(typo).load().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "loopbreak.toml:2:1: unknown key \"max_turn\" in [stagnation]; did you mean max_turns?"
//! );
//! # Ok(())
//! # }
//! ```
//!
//! All information about options is read from the settings of the engine: [`options`] lists them,
//! [`schema`] is the JSON schema of a configuration file, [`reference_page`](reference::reference_page) is the reference page.

mod allow_rule;
mod check_result;
mod layers;
mod legacy_key;
mod load;
mod nearest;
mod options;
mod problem;
mod profile;
mod read;
pub mod reference;
mod schema;
pub mod settings_json;
mod settings_tree;
mod source;
#[cfg(test)]
mod tests;
mod trust;

pub use allow_rule::AllowRuleEdit;
pub use layers::{ConfigLayers, EffectiveOption, LoadedConfig};
pub use legacy_key::{LEGACY_KEYS, LegacyKey, LegacyMeaning};
pub use load::{ConfigLoader, LoadError, loopbreak_variables};
pub use nearest::nearest_name;
pub use options::{
    NumberRange, OptionChoice, OptionInfo, OptionType, TableInfo, find_option, options, tables,
};
pub use problem::{ConfigError, ConfigProblem, ProblemLabel};
pub use profile::{UnknownProfile, parse_profile};
pub use schema::schema;
pub use source::{
    ConfigFileError, ConfigFileLayout, ConfigSource, SourceLocation, ValueOrigin, find_config_file,
    has_loopbreak_tables, read_config_file, read_limited_file, user_config_path,
};
pub use trust::{
    GuardedConfig, IgnoredOption, ProjectFile, TrustedFiles, TrustedFilesError, UnusedFile, UnusedVariable,
};

/// Compiles and runs the snippets of the guide with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../../docs/guide/library.md")]
struct ReadmeAndLibraryGuide;
