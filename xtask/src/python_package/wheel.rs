//! `cargo xtask wheel`: builds the wheel, with the program in it.
//!
//! Maturin builds the module. The program is built first and copied into the folder from which maturin takes what belongs into
//! the `bin` folder of an environment, so that `pip install loopbreak` brings both.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::PACKAGE;
use super::wheel_options::WheelOptions;
use crate::builder_paths;
use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, root, run as run_process, stdout_of, works};
use crate::python::{WHEEL_BUILDER, ZIG};
use crate::workspace_program::WorkspaceProgram;

/// The folder of what is installed beside the module, in that of the package. Maturin knows it by its name, which is that of the module.
const DATA: &str = "loopbreak._native.data";

/// Builds a wheel, and prints its path and its size.
#[expect(clippy::print_stdout, reason = "the path is the result of the chore")]
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let wheel = build(&WheelOptions::parse(arguments)?)?;
    let bytes = fs::metadata(&wheel).map_or(0, |metadata| metadata.len());
    println!("{}\n{:.1} MB", wheel.display(), bytes as f64 / 1e6);
    Ok(())
}

/// Builds a wheel and returns where it is.
pub(super) fn build(options: &WheelOptions) -> Result<PathBuf, ChoreFailure> {
    WHEEL_BUILDER.install()?;
    if options.glibc.is_some() {
        ZIG.install()?;
    }
    let scripts = root().join(PACKAGE).join(DATA).join("scripts");
    if options.is_module_only {
        clear(&scripts)?;
    } else {
        put_program(&build_program(options)?, &scripts)?;
    }
    let folder = wheel_folder(options);
    // A wheel of before would be taken for the one that is built now.
    clear(&folder)?;
    build_module(options, &folder)?;
    only_wheel(&folder)
}

fn build_program(options: &WheelOptions) -> Result<PathBuf, ChoreFailure> {
    if options.is_quick {
        return WorkspaceProgram::Loopbreak.build_in(&root(), &["--quiet"]);
    }
    let build = if options.glibc.is_some() { "zigbuild" } else { "build" };
    let mut command = cargo([build, "--profile", "dist", "--locked", "--package", "loopbreak-cli"]);
    command.arg("--message-format=json-render-diagnostics");
    if let Some(triple) = &options.target {
        let glibc = options.glibc.iter().map(|glibc| format!(".{glibc}"));
        command.arg("--target").arg(glibc.fold(triple.clone(), |triple, glibc| triple + &glibc));
    }
    command.env("PATH", path_with(options)?);
    WorkspaceProgram::Loopbreak.find_in(&stdout_of(&mut command)?)
}

/// Copies the program, without the names and lines that only a debugger reads.
fn put_program(program: &Path, scripts: &Path) -> Result<(), ChoreFailure> {
    clear(scripts)?;
    fs::create_dir_all(scripts)
        .map_err(|error| ChoreFailure::io(format_args!("make {}", scripts.display()), &error))?;
    let copy = scripts.join(program.file_name().unwrap_or("loopbreak".as_ref()));
    fs::copy(program, &copy)
        .map_err(|error| ChoreFailure::io(format_args!("copy the program to {}", copy.display()), &error))?;
    // Without it the wheel is only larger.
    works(Command::new("strip").arg("--strip-debug").arg(&copy));
    Ok(())
}

fn build_module(options: &WheelOptions, folder: &Path) -> Result<(), ChoreFailure> {
    let mut command = Command::new(WHEEL_BUILDER.program("maturin"));
    command.args(["build", "--locked", "--quiet", "--strip", "--profile", options.profile()]);
    command.arg("--manifest-path").arg(root().join(PACKAGE).join("Cargo.toml")).arg("--out").arg(folder);
    if let Some(triple) = &options.target {
        command.args(["--target", triple]);
    }
    if let Some(interpreter) = &options.interpreter {
        command.args(["--interpreter", interpreter]);
    }
    if let Some(tag) = options.compatibility() {
        command.args(["--compatibility", &tag]);
    }
    if options.glibc.is_some() {
        command.arg("--zig");
    }
    command.current_dir(root()).env("PATH", path_with(options)?);
    if !options.is_quick && !options.is_module_only {
        builder_paths::hide_in(&mut command);
        if env::var_os("SOURCE_DATE_EPOCH").is_none() {
            let date = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()).output();
            let date = date.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
            command.env(
                "SOURCE_DATE_EPOCH",
                date.ok().filter(|date| !date.is_empty()).unwrap_or("315532800".into()),
            );
        }
    }
    run_process(&mut command)
}

/// Returns the search path with the programs that link for an older glibc.
fn path_with(options: &WheelOptions) -> Result<OsString, ChoreFailure> {
    let path = env::var_os("PATH").unwrap_or_default();
    if options.glibc.is_none() {
        return Ok(path);
    }
    let zig = ZIG.program("python").parent().map(PathBuf::from).unwrap_or_default();
    env::join_paths(std::iter::once(zig).chain(env::split_paths(&path)))
        .map_err(|error| ChoreFailure::Failed(format!("cannot extend PATH: {error}")))
}

fn wheel_folder(options: &WheelOptions) -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let name = match options {
        WheelOptions { is_quick: true, .. } => "quick".to_owned(),
        WheelOptions { is_module_only: true, .. } => "module".to_owned(),
        WheelOptions { target, .. } => target.clone().unwrap_or("host".into()),
    };
    root().join(target).join("wheels").join(name)
}

fn clear(folder: &Path) -> Result<(), ChoreFailure> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ChoreFailure::io(format_args!("clear {}", folder.display()), &error))
        }
        _ => Ok(()),
    }
}

fn only_wheel(folder: &Path) -> Result<PathBuf, ChoreFailure> {
    let entries = fs::read_dir(folder)
        .map_err(|error| ChoreFailure::io(format_args!("list {}", folder.display()), &error))?;
    let mut wheels = entries.filter_map(|entry| Some(entry.ok()?.path()));
    wheels
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .ok_or_else(|| ChoreFailure::Failed(format!("maturin wrote no wheel into {}", folder.display())))
}
