//! The Python package: its wheel, its checks, the tests of its adapters, its benchmarks and its reference page.
//!
//! - `wheel_options`: the arguments of `cargo xtask wheel`
//! - `wheel`: builds the wheel, with the program in it
//! - `package_checks`: the step of `cargo xtask ci`
//! - `adapter_environment`, `adapters`: `cargo xtask adapters`
//! - `python_bench`: `cargo xtask python-bench`
//! - `reference_page`, `adapter_index`: pages that `cargo xtask generate` writes

mod adapter_environment;
mod adapter_index;
mod adapters;
mod package_checks;
mod python_bench;
mod reference_page;
mod wheel;
mod wheel_options;

pub(crate) use adapter_index::render as render_adapter_index;
pub(crate) use adapters::run as run_adapters;
pub(crate) use package_checks::check;
pub(crate) use python_bench::run as run_bench;
pub(crate) use reference_page::render as render_reference_page;
pub(crate) use wheel::run as run_wheel;

/// The folder of the package.
const PACKAGE: &str = "bindings/python";
