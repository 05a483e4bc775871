//! `run` that is killed.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::attack::attack_lab::{AttackHome, AttackLab};
use crate::attack::attack_rows::AttackRows;
use crate::chore_failure::ChoreFailure;

const ITERATIONS: usize = 4;
/// Rounds after which a run that is killed and resumed must have ended.
const ROUNDS: usize = 8;
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// F18: the agent of a killed `run` ends, and its iteration counts.
pub(super) fn left_agent(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    // The folder of the home is in the line of the agent's process, which finds it again.
    let agent = home.path("agent.sh");
    home.write("agent.sh", "echo it >> \"$HOME/count\"\nsleep 3600 & wait\n")?;
    let line = format!("run --prompt x --max-iterations {ITERATIONS} -- sh {}", agent.display());
    let mut program = home.loopbreak(&line).start()?;
    let has_begun = wait_until(lab.seconds(30), || lines(&home) > 0);
    let running = processes_with(&agent);
    program.kill_alone();
    let killed = Instant::now();
    let is_gone = wait_until(lab.seconds(10), || processes_with(&agent) == 0);
    rows.judge(
        "`kill -9` of `run` while its agent works",
        has_begun && running > 0 && is_gone,
        format_args!(
            "{running} processes of the agent before, {} left after {:.1} s",
            processes_with(&agent),
            killed.elapsed().as_secs_f64()
        ),
    );
    let resume = line.replace("run ", "run --resume ");
    let (mut rounds, mut code) = (1, None);
    while rounds < ROUNDS && code.is_none() {
        rounds += 1;
        let count = lines(&home);
        let mut program = home.loopbreak(&resume).start()?;
        let mut has_ended = false;
        wait_until(lab.seconds(30), || {
            has_ended = program.has_ended().unwrap_or(true);
            has_ended || lines(&home) > count
        });
        if has_ended {
            code = program.wait()?.code();
        } else {
            program.kill_alone();
        }
        wait_until(lab.seconds(10), || processes_with(&agent) == 0);
    }
    let count = lines(&home);
    rows.judge(
        "`kill -9` in every iteration, and `--resume` after it",
        code == Some(11) && count <= ITERATIONS,
        format_args!(
            "limit {ITERATIONS}: {count} iterations done in {rounds} rounds, {}",
            code.map_or("no end".to_owned(), |code| format!("then exit {code}"))
        ),
    );
    Ok(())
}

fn lines(home: &AttackHome<'_>) -> usize {
    home.read("count").lines().count()
}

pub(super) fn wait_until(time: Duration, mut is_done: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < time {
        if is_done() {
            return true;
        }
        thread::sleep(PAUSE);
    }
    is_done()
}

/// Returns the number of processes that run a script, and of those that these have started.
pub(super) fn processes_with(script: &Path) -> usize {
    let script = script.as_os_str().as_encoded_bytes();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit));
    let has_script = |name: &Path, file: &str| {
        let bytes = fs::read(name.join(file)).unwrap_or_default();
        // The script is a word of its own in the line of the shell; `run` has it as one too, and is not counted.
        let words: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        words.get(1).is_some_and(|word| *word == script)
    };
    ids.filter(|entry| has_script(&entry.path(), "cmdline")).count()
}
