//! Plays all parts with all agents.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopbreak_hooks::scripted_model::{ScriptedServer, ToolDialect};
use serde_json::Value;

use super::agent_session::{end_on_interrupt, is_interrupted, run_agent};
use super::agents_arguments::{AgentsArguments, USAGE};
use super::expectation_table::expectation;
use super::hook_recorder::HookRecorder;
use super::observation::SessionObservation;
use super::part_list::PARTS;
use super::part_script::{MAIN_MARK, PartScript};
use super::played_agent::PlayedAgent;
use super::programs::{self, AgentProgram};
use super::project_files::write_json_lines;
use super::session_part::SessionPart;
use super::session_report::{SessionReport, header, show_progress};
use super::session_setup::SessionSetup;
use super::telemetry_recorder::TelemetryRecorder;
use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, root, stdout_of};
use crate::workspace_program::WorkspaceProgram;

/// Plays sessions, with everything that they share.
struct SessionRunner {
    arguments: AgentsArguments,
    loopbreak: PathBuf,
    folder: PathBuf,
}

/// Runs the chore.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    let arguments = AgentsArguments::parse(arguments)?;
    if arguments.list {
        list();
        return Ok(());
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let mut programs = Vec::new();
    for agent in &arguments.agents {
        programs.push((*agent, agent.install(&target.join("agents"))?));
    }
    let loopbreak = build_loopbreak()?;
    let folder = env::temp_dir().join(format!("loopbreak-agents-{}", std::process::id()));
    let runner = SessionRunner { arguments, loopbreak, folder };
    end_on_interrupt()?;
    let failed = runner.play_all(&programs);
    // Gone unless it has folders that are kept.
    _ = fs::remove_dir(&runner.folder);
    match failed {
        0 => Ok(()),
        failed => Err(ChoreFailure::Failed(format!("{failed} sessions are not as expected"))),
    }
}

fn list() {
    println!("Agents:");
    for agent in programs::ALL {
        let package = agent.package();
        println!("  {:<18} {} {}", agent.name(), package.package, package.version);
    }
    println!("\nParts:");
    for part in &PARTS {
        println!("  {:<18} {}", part.name, part.about);
    }
}

/// Builds the program alone: the other crates are not needed.
fn build_loopbreak() -> Result<PathBuf, ChoreFailure> {
    eprintln!("xtask: agents: building loopbreak …");
    let mut command = cargo([
        "build",
        "--quiet",
        "--locked",
        "--package",
        "loopbreak-cli",
        "--message-format=json-render-diagnostics",
    ]);
    WorkspaceProgram::Loopbreak.find_in(&stdout_of(&mut command)?)
}

impl SessionRunner {
    /// Plays the parts. Returns the number of sessions that are not as expected. A session that cannot be set up is one.
    fn play_all(&self, programs: &[(&'static dyn AgentProgram, PathBuf)]) -> usize {
        if !self.arguments.json {
            println!("{}", header());
        }
        programs.iter().map(|(agent, program)| self.play_agent(*agent, program)).sum()
    }

    /// Plays the parts with one agent, and writes what was seen into the page if all of it is as expected. Returns the number
    /// of sessions that are not as expected.
    fn play_agent(&self, agent: &'static dyn AgentProgram, program: &Path) -> usize {
        let mut played = PlayedAgent { name: agent.name(), package: agent.package(), sessions: Vec::new() };
        let report = |part: &str, failure: ChoreFailure| {
            let (ChoreFailure::Failed(reason) | ChoreFailure::Usage(reason)) = failure;
            eprintln!("xtask: {}, {part}: {reason}", agent.name());
        };
        let mut failed = 0;
        for part in self.arguments.parts.iter().filter(|part| part.includes(agent.name())) {
            if is_interrupted() {
                return failed;
            }
            match self.play(agent, program, part) {
                Ok((seen, true)) => played.sessions.push((part, seen)),
                Ok((_, false)) => failed += 1,
                Err(failure) => {
                    report(part.name, failure);
                    failed += 1;
                }
            }
        }
        if self.arguments.write
            && failed == 0
            && let Err(failure) = played.write()
        {
            report("page", failure);
            failed += 1;
        }
        failed
    }

    /// Plays a part and prints what happened. Returns what was seen, and whether it is as expected.
    fn play(
        &self,
        agent: &dyn AgentProgram,
        program: &Path,
        part: &'static SessionPart,
    ) -> Result<(SessionObservation, bool), ChoreFailure> {
        let started = Instant::now();
        let folder = self.folder.join(format!("{}-{}", agent.name(), part.name));
        let is_recorded = self.arguments.record.is_some();
        let (mut setup, files) =
            SessionSetup::create(&folder, program, &self.loopbreak, part.variant, is_recorded)?;
        let dialect: ToolDialect =
            agent.dialect().parse().map_err(|error| ChoreFailure::Failed(format!("{error}")))?;
        let model = ScriptedServer::start(PartScript::new(part, dialect, files.clone()))
            .map_err(|error| ChoreFailure::io("start the model", &error))?;
        setup.model_url = model.url();
        let telemetry = is_recorded.then(TelemetryRecorder::start).transpose();
        let telemetry =
            telemetry.map_err(|error| ChoreFailure::io("start the receiver of telemetry", &error))?;
        setup.telemetry_url = telemetry.as_ref().map(TelemetryRecorder::url);
        agent.prepare(&setup)?;
        let command = agent.command(&setup, &format!("Please do the job in this folder. {MAIN_MARK}"));
        let mut watch = |requests| {
            let seconds = started.elapsed().as_secs();
            show_progress(&format!("{} {}: {requests} requests, {seconds} s", agent.name(), part.name));
        };
        let was_ended = run_agent(command, &setup, &model, self.arguments.limit, &mut watch)?;
        show_progress("");
        if is_interrupted() {
            _ = fs::remove_dir_all(&folder);
            return Err(ChoreFailure::Failed("interrupted".to_owned()));
        }

        let exchanges = model.exchanges();
        let seen = SessionObservation::new(part, &exchanges, files.run_count(), was_ended);
        let package = agent.package();
        if let Some(record) = &self.arguments.record {
            let place = record.join(format!("{}-{}", agent.name(), package.version));
            HookRecorder::new(&folder).save(&place, part.name, &exchanges, &agent.logs(&setup)?)?;
            if let Some(telemetry) = &telemetry {
                telemetry.save(&folder, &place, part.name)?;
            }
        }
        let expected = expectation(part.name, agent.name());
        let passed = expected.faults(&seen).is_empty();
        let is_kept = self.arguments.keep || !passed;
        if is_kept {
            // As they came, for a look at what went wrong.
            let requests: Vec<Value> = exchanges.into_iter().map(|exchange| exchange.request.body).collect();
            write_json_lines(&folder.join("requests.jsonl"), &requests)?;
        } else {
            _ = fs::remove_dir_all(&folder);
        }
        self.print(&SessionReport {
            agent: agent.name(),
            version: package.version,
            part: part.name,
            expected: &expected,
            seen: &seen,
            time: round_up(started.elapsed()),
            folder: is_kept.then_some(&folder),
        });
        Ok((seen, passed))
    }

    fn print(&self, report: &SessionReport<'_>) {
        if self.arguments.json {
            println!("{}", report.json());
        } else {
            println!("{}", report.render());
        }
    }
}

fn round_up(time: Duration) -> Duration {
    time.max(Duration::from_secs(1))
}
