//! `loopbreak status`: the runs that are guarded now.

use clap::Args;
use loopbreak_hooks::error_log;
use loopbreak_store::{Run, Sqlite, Standing, StoreError, default_path, now, standings, summed};

use crate::error::UserError;
use crate::exit;
use crate::output::{self, printable};

/// For so long a fault of a hook is told of.
const LATELY: std::time::Duration = std::time::Duration::from_hours(24);

/// Show the runs that are guarded now.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak status            The runs of the last hour
  loopbreak status --all      All that are kept
  loopbreak status --json     The same as data")]
pub(crate) struct StatusArgs {
    /// Show also runs that ended, or were silent for more than an hour
    #[arg(long)]
    all: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &StatusArgs) -> Result<u8, UserError> {
    let Some(store) = open()? else {
        return show(&[], args);
    };
    let standings = standings(&store, args.all, now(), warn);
    show(&standings.map_err(|error| failed(&error))?, args)
}

/// The store, if there is one: to look does not make it.
pub(crate) fn open() -> Result<Option<Sqlite>, UserError> {
    let path = default_path(|name| std::env::var_os(name)).ok_or_else(|| {
        UserError::failed("there is no folder for the store").hint("set XDG_STATE_HOME or HOME")
    })?;
    if !path.exists() {
        return Ok(None);
    }
    let store = Sqlite::open(&path, now()).map_err(|error| failed(&error))?;
    if let Some(aside) = store.put_aside() {
        anstream::eprintln!("loopbreak: the store was damaged and is now {}", aside.display());
    }
    Ok(Some(store))
}

/// Says something that whoever looks ought to know.
pub(crate) fn warn(text: &str) {
    anstream::eprintln!("loopbreak: {text}");
}

pub(crate) fn failed(error: &StoreError) -> UserError {
    UserError::failed(error.to_string())
}

fn show(standings: &[Standing], args: &StatusArgs) -> Result<u8, UserError> {
    if args.json {
        let all = summed(standings);
        output::print(&format!("{all:#}\n"))?;
        return Ok(exit::DONE);
    }
    let mut text = String::new();
    if standings.is_empty() {
        text.push_str("no runs\n");
    }
    for standing in standings {
        let state = if standing.running { "running" } else { "over" };
        // Beside loops there are tasks, which need not loop.
        let (loops, tasks): (Vec<_>, Vec<_>) =
            standing.loop_detection.iter().partition(|(_, seen)| seen.get("since").is_some());
        let run = &standing.run;
        let lines = format!(
            "{}  {state}, {} turns, {} loops seen, {}, {}\n",
            name(run),
            standing.tick_count,
            loops.len(),
            run.source,
            printable(&run.folder),
        );
        text.push_str(&lines);
        for (_, seen) in loops {
            let part = |key: &str| printable(seen[key].as_str().unwrap_or_default());
            // Where no action comes back, as with a task or a score that stands still, there is a reason.
            let what = [part("action"), part("reason"), part("detector")];
            let what = what.iter().find(|text| !text.trim().is_empty()).map_or("", String::as_str);
            let (count, since) = (&seen["attemptCount"], &seen["since"]);
            let line =
                format!("    {} {} {count}, since turn {since}: {what}\n", part("severity"), part("pattern"));
            text.push_str(&line);
        }
        for (id, seen) in tasks {
            let status = printable(seen["status"].as_str().unwrap_or_default());
            let line = format!("    task {}, {} attempts: {status}\n", printable(id), seen["attemptCount"]);
            text.push_str(&line);
        }
    }
    output::print(&text)?;
    tell_faults();
    Ok(exit::DONE)
}

/// Says where to look if hooks have failed of late. The agents went on, so that nobody may have noticed.
fn tell_faults() {
    let Some(store) = default_path(|name| std::env::var_os(name)) else { return };
    let file = error_log::file(&store);
    let changed = std::fs::metadata(&file).and_then(|known| known.modified()).ok();
    let passed = changed.and_then(|changed| changed.elapsed().ok());
    if passed.is_some_and(|passed| passed < LATELY) {
        anstream::eprintln!(
            "loopbreak: hooks have failed of late, and the agents went on: see {}",
            file.display()
        );
    }
}

/// A run as people name it.
pub(crate) fn name(run: &Run) -> String {
    let session = printable(&run.session);
    if run.agent.is_empty() { session } else { format!("{session} {}", printable(&run.agent)) }
}
