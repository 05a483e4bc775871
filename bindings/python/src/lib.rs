//! The Python module of Loopbreak.
//!
//! It converts between Python and the crates of the workspace, and decides nothing. Values stay in Rust until somebody reads
//! them. Every lock is taken without holding the interpreter, so threads that share a guard or a run cannot block each other.
//!
//! The classes for errors, and everything that only arranges what is here, are written in Python, beside this module.

mod engine_call;
mod interruptible_work;
mod json_input;
mod json_output;
mod log_inputs;
mod log_report;
mod python_advice;
mod python_config;
mod python_error;
mod python_finding;
mod python_guard;
mod python_ruling;
mod python_run;
mod python_runs;
mod python_series;
mod python_step;
mod python_step_reader;
mod python_verdict;
mod run_keeper;
mod run_store;
mod table_rows;
mod tool_call;

use pyo3::prelude::*;

/// The part of Loopbreak that is written in Rust.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::json_input::plain_json;
    #[pymodule_export]
    use super::log_report::analyze_logs;
    #[pymodule_export]
    use super::python_advice::PythonAdvice;
    #[pymodule_export]
    use super::python_config::{PythonConfig, load_config};
    #[pymodule_export]
    use super::python_finding::{PythonDecision, PythonFinding, PythonRunStop};
    #[pymodule_export]
    use super::python_guard::PythonGuard;
    #[pymodule_export]
    use super::python_ruling::{PythonAdjustment, PythonCallRuling, PythonRuling};
    #[pymodule_export]
    use super::python_run::PythonRun;
    #[pymodule_export]
    use super::python_runs::PythonRuns;
    #[pymodule_export]
    use super::python_series::{PythonSeries, PythonTaskCheck};
    #[pymodule_export]
    use super::python_step::PythonStep;
    #[pymodule_export]
    use super::python_step_reader::{PythonStepReader, read_logs};
    #[pymodule_export]
    use super::python_verdict::PythonVerdict;
    #[pymodule_export]
    use super::table_rows::analyze_rows;

    /// The version of Loopbreak.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
