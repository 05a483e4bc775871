//! The script of the GitHub Action, in an environment such as that of a runner.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::release_archive::release_archive;
use crate::support::release_server::ReleaseServer;
use crate::support::{FinishedProgram, folder, healthy, root, stuck};

/// The archives that fit the machines on which this test runs. The program in all of them is the one of this build.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
];

/// The folder of a job.
struct JobFolder(tempfile::TempDir);

impl JobFolder {
    fn new() -> Self {
        let job = JobFolder(folder());
        for name in ["temp", "workspace/logs"] {
            fs::create_dir_all(job.path(name)).unwrap();
        }
        fs::write(job.path("workspace/logs/stuck.jsonl"), stuck("night", 60)).unwrap();
        fs::write(job.path("workspace/healthy run.jsonl"), healthy("day", 60)).unwrap();
        job
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Runs the step with these inputs.
    fn step(&self, inputs: &[(&str, &str)]) -> FinishedProgram {
        let mut command = Command::new("sh");
        command.arg(root().join("integrations/github-action/analyze.sh")).current_dir(self.path("workspace"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.path("temp"));
        for (name, file) in [
            ("RUNNER_TEMP", "temp"),
            ("GITHUB_STEP_SUMMARY", "summary.md"),
            ("GITHUB_OUTPUT", "output"),
            ("GITHUB_PATH", "path"),
        ] {
            command.env(name, self.path(file));
        }
        command.env("GITHUB_ACTION_PATH", root()).env("GITHUB_SERVER_URL", "http://127.0.0.1:9");
        command.env("GITHUB_REPOSITORY", "nobody/nothing").envs(inputs.iter().copied());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        FinishedProgram { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
    }

    /// Runs the step with the program of this build.
    fn analyze(&self, inputs: &[(&str, &str)]) -> FinishedProgram {
        let program = assert_cmd::cargo::cargo_bin!("loopbreak").to_str().unwrap();
        self.step(&[&[("INPUT_PROGRAM", program)], inputs].concat())
    }
}

#[test]
fn a_stuck_run_fails_the_step_and_is_in_the_summary() {
    let job = JobFolder::new();
    fs::write(job.path("summary.md"), "# From another tool\n").unwrap();
    let done = job.analyze(&[("INPUT_PATHS", "logs\nhealthy run.jsonl\n")]);
    assert_eq!(done.code, Some(10), "{}{}", done.out, done.err);
    assert!(done.out.contains("::error title=Loopbreak::a run has the verdict `stop`"), "{}", done.out);
    let summary = job.read("summary.md");
    assert!(summary.starts_with("# From another tool\n") && summary.contains("night"), "{summary}");
    assert!(job.read("output").starts_with("exit-code=10\nprogram="), "{}", job.read("output"));
    let left: Vec<_> =
        fs::read_dir(job.path("temp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn inputs_choose_paths_verdict_format_and_more() {
    let job = JobFolder::new();
    for (inputs, code) in [
        (&[("INPUT_PATHS", "healthy run.jsonl")][..], 0),
        (&[("INPUT_PATHS", "  healthy run.jsonl\r\n\n")], 0),
        (&[("INPUT_PATHS", "logs"), ("INPUT_FAIL_ON", "never")], 0),
        (&[("INPUT_PATHS", "logs"), ("INPUT_FAIL_ON", "warn")], 10),
        (&[("INPUT_PATHS", "logs"), ("INPUT_FAIL_ON", "sometimes")], 2),
        (&[("INPUT_PATHS", "logs"), ("INPUT_FORMAT", "steps"), ("INPUT_FAIL_ON", "never")], 0),
        (&[("INPUT_PATHS", "logs"), ("INPUT_FORMAT", "no-such-format")], 2),
        (&[("INPUT_PATHS", "logs"), ("INPUT_ARGUMENTS", "--set\nstagnation.max_turns=200\n")], 0),
        (&[("INPUT_PATHS", "")], 2),
        (&[("INPUT_PATHS", "nowhere")], 1),
        // Nothing in an input is a command or an option.
        (&[("INPUT_PATHS", "$(touch harm); `touch harm`")], 1),
        (&[("INPUT_PATHS", "--help")], 1),
    ] {
        let done = job.analyze(inputs);
        assert_eq!(done.code, Some(code), "{inputs:?}: {}{}", done.out, done.err);
        assert_eq!(done.out.contains("::error "), code != 0, "{inputs:?}: {}", done.out);
    }
    assert!(!job.path("workspace/harm").exists());
    let before = job.read("summary.md");
    job.analyze(&[("INPUT_PATHS", "logs"), ("INPUT_SUMMARY", "false")]);
    assert_eq!(job.read("summary.md"), before);
}

#[test]
fn the_program_is_installed_from_the_releases_of_the_action() {
    let job = JobFolder::new();
    let program = assert_cmd::cargo::cargo_bin!("loopbreak");
    let shim = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.display());
    let mut server = ReleaseServer::start();
    for target in TARGETS {
        for folder in
            ["owner/loopbreak/releases/download/v0.1.0/", "owner/loopbreak/releases/latest/download/"]
        {
            let (name, bytes) = release_archive("0.1.0", target, shim.as_bytes());
            server.add_archive(folder, &name, bytes);
        }
    }
    let url = server.url("");
    let server_url = ("GITHUB_SERVER_URL", url.trim_end_matches('/'));
    let inputs = [("INPUT_PATHS", "logs"), ("ACTION_REPOSITORY", "owner/loopbreak"), server_url];
    for reference in
        [&[("ACTION_REF", "v0.1.0")][..], &[("ACTION_REF", "main")], &[("INPUT_VERSION", "0.1.0")]]
    {
        let done = job.step(&[&inputs, reference].concat());
        assert_eq!(done.code, Some(10), "{reference:?}: {}{}", done.out, done.err);
        assert!(done.out.contains("installed loopbreak "), "{}", done.out);
    }
    let bin = job.path("temp/loopbreak/bin");
    assert!(job.read("path").lines().all(|line| line == bin.to_str().unwrap()), "{}", job.read("path"));
    for wrong in [("ACTION_REF", "v0.9.0"), ("INPUT_BASE_URL", "http://127.0.0.1:9")] {
        let done = job.step(&[&inputs[..], &[wrong]].concat());
        assert_eq!(done.code, Some(1), "{wrong:?}: {}", done.out);
        assert!(done.out.contains("::error title=Loopbreak::loopbreak was not installed"), "{}", done.out);
    }
}

/// The action passes every input to the script, and no other variable.
#[test]
fn the_action_and_its_script_agree_on_inputs() {
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let script = fs::read_to_string(root().join("integrations/github-action/analyze.sh")).unwrap();
    let inputs = action.split("\ninputs:\n").nth(1).unwrap().split("\noutputs:\n").next().unwrap();
    let names = inputs.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    let mut checked = 0;
    for name in names.filter(|name| !name.starts_with(' ')) {
        let variable = format!("INPUT_{}", name.to_uppercase().replace('-', "_"));
        let expression = ["${{ inputs.", name, " }}"].concat();
        assert!(action.contains(&format!("        {variable}: {expression}\n")), "{name}");
        assert!(script.contains(&variable), "{variable}");
        checked += 1;
    }
    assert_eq!(checked, 8);
    assert_eq!(action.matches("        INPUT_").count(), checked);
}
