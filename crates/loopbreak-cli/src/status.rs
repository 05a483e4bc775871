//! `loopbreak status`: the runs that are guarded now.

use clap::Args;
use loopbreak_store::{Run, Sqlite, Standing, StoreError, default_path, now, standings, summed};

use crate::error::UserError;
use crate::hook::fault;
use crate::{exit, output};

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
        let loops = standing.loop_detection.len();
        let run = &standing.run;
        let lines = format!(
            "{}  {state}, {} turns, {loops} loops seen, {}, {}\n",
            name(run),
            standing.tick_count,
            run.source,
            printable(&run.folder),
        );
        text.push_str(&lines);
        for (id, seen) in &standing.loop_detection {
            let part = |key: &str| printable(seen[key].as_str().unwrap_or_default());
            let count = &seen["attemptCount"];
            let line = match seen.get("since") {
                Some(since) => format!(
                    "    {} {} {count}, since turn {since}: {}\n",
                    part("severity"),
                    part("pattern"),
                    part("action"),
                ),
                None => format!("    task {}, {count} attempts: {}\n", printable(id), part("status")),
            };
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
    let file = fault::file(&store);
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

/// A text of somebody else's on one line, with nothing in it that a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
