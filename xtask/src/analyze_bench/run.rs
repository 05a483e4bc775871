//! Measures `convert` and `analyze` in turn.

use std::fs;
use std::path::{Path, PathBuf};

use super::copied_logs::CopiedLogs;
use super::measured_command::{CommandTime, measure};
use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, root, run as run_process};

/// Options of the chore.
struct BenchOptions {
    from: PathBuf,
    program: Option<PathBuf>,
    logs: usize,
    rounds: usize,
}

/// Runs the chore.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let options = parse(arguments)?;
    let program = if let Some(program) = options.program {
        program
    } else {
        run_process(&mut cargo(["build", "--release", "--locked", "--package", "loopbreak-cli"]))?;
        root().join("target/release/loopbreak")
    };
    let program = fs::canonicalize(&program)
        .map_err(|error| ChoreFailure::io(format_args!("find {}", program.display()), &error))?;
    eprintln!("xtask: copying logs …");
    let copies = CopiedLogs::create(&options.from, options.logs)?;
    println!(
        "{} logs, {} MB, copied from {} under fresh ids",
        options.logs,
        copies.bytes / 1_000_000,
        copies.originals
    );
    let mut least: Option<[CommandTime; 4]> = None;
    for round in 1..=options.rounds {
        let times = measure_round(&program, &copies)?;
        println!("round {round}: {}", describe(&times));
        least = Some(match least {
            Some(least) => std::array::from_fn(|index| least[index].least(times[index])),
            None => times,
        });
    }
    if let Some(times) = least {
        println!("least of {} rounds: {}", options.rounds, describe(&times));
        let [convert, first, second, _] = times;
        let ratio = |one: f64, other: f64| format!("{:.3}", one / other);
        for (name, of) in [
            ("elapsed", (|time: CommandTime| time.wall.as_secs_f64()) as fn(CommandTime) -> f64),
            ("processor", |time| time.processor.as_secs_f64()),
        ] {
            println!(
                "{name} time: first analyze / convert {} (at most 1.3), second / first {} (at most 0.1)",
                ratio(of(first), of(convert)),
                ratio(of(second), of(first))
            );
        }
    }
    Ok(())
}

/// Measures reading, the first analysis, the second one, and one without the cache, and compares what they print.
fn measure_round(program: &Path, copies: &CopiedLogs) -> Result<[CommandTime; 4], ChoreFailure> {
    let (state, logs) = (copies.state(), copies.logs());
    let (program, logs) = (program.to_string_lossy(), logs.to_string_lossy());
    let _ = fs::remove_dir_all(&state);
    fs::create_dir_all(&state).map_err(|error| ChoreFailure::io("create a folder", &error))?;
    let output = |name: &str| state.join(name);
    let converted =
        measure(&[&program, "convert", &logs, "-q", "-o", "/dev/null"], &state, &output("convert"))?;
    let analyze = |name: &str, more: &[&str]| {
        measure(&[&[&*program, "analyze", &*logs], more].concat(), &state, &output(name))
    };
    let (first, second) = (analyze("first", &[])?, analyze("second", &[])?);
    let without = analyze("without", &["--no-cache"])?;
    let read = |name| fs::read(output(name)).map_err(|error| ChoreFailure::io("read an output", &error));
    let screen = read("first")?;
    if screen != read("second")? || screen != read("without")? {
        return Err(ChoreFailure::Failed("the second analysis printed something else".to_owned()));
    }
    Ok([converted, first, second, without])
}

fn describe(times: &[CommandTime; 4]) -> String {
    let names = ["convert", "first analyze", "second analyze", "analyze --no-cache"];
    let each = names.iter().zip(times).map(|(name, time)| {
        format!(
            "{name} {:.2} s ({:.2} s of processors)",
            time.wall.as_secs_f64(),
            time.processor.as_secs_f64()
        )
    });
    each.collect::<Vec<_>>().join(", ")
}

fn parse(arguments: &[String]) -> Result<BenchOptions, ChoreFailure> {
    let usage = |message: String| ChoreFailure::Usage(format!("analyze-bench: {message}"));
    let (mut from, mut program, mut logs, mut rounds) = (None, None, 1000, 3);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| usage(format!("{argument} needs a value")));
        let number = |text: &String| {
            text.parse()
                .ok()
                .filter(|number| *number > 0)
                .ok_or_else(|| usage(format!("not a number: {text}")))
        };
        match argument.as_str() {
            "--program" => program = Some(PathBuf::from(value()?)),
            "--logs" => logs = number(value()?)?,
            "--rounds" => rounds = number(value()?)?,
            folder if from.is_none() && !folder.starts_with('-') => from = Some(PathBuf::from(folder)),
            other => return Err(usage(format!("unexpected {other:?}"))),
        }
    }
    let from = from.ok_or_else(|| usage("name a folder with logs".to_owned()))?;
    Ok(BenchOptions { from, program, logs, rounds })
}
