//! Runs a watch with the options of the user.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use loopbreak_analysis::VerdictName;
use loopbreak_process::paused_runs;
use loopbreak_store::{StoreUrl, default_path, open_existing};
use loopbreak_trace::agent_log_dirs;
use loopbreak_watch::keys::{KeyControl, TerminalRestorer};
use loopbreak_watch::notification::NotifierSet;
use loopbreak_watch::{
    LogWatcher, ReportMode, ReportOpener, RunActions, TerminalReporter, WatchEnd, WatchOptions,
    WatchReporter as _,
};

use super::args::{OnStopArg, WatchArgs};
use crate::args::FailOn;
use crate::error::UserError;
use crate::{config_loading, exit, output};

/// Time limits for notifications that are not delivered yet when the watch ends, and after an interrupt.
const FINISH_TIMEOUT: Duration = Duration::from_mins(1);
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(2);

/// Watches until the options or an interrupt end it.
pub(crate) fn run(args: &WatchArgs) -> Result<u8, UserError> {
    let config = config_loading::guarded_config(&args.config)?;
    output::warn_about_mode(config.mode);
    if args.paths.iter().any(|path| path == Path::new("-")) {
        return Err(UserError::usage("standard input cannot be watched")
            .hint("let the agent write to a file, or use: my-agent | loopbreak analyze -"));
    }
    let (paths, notes) = watched_paths(args)?;
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    let mode = match (args.json, args.plain || args.once || dumb || !output::is_terminal()) {
        (true, _) => ReportMode::Json,
        (_, true) => ReportMode::Lines,
        _ => ReportMode::List,
    };
    let notifiers = NotifierSet::new(args.exec.as_deref(), &args.notify, mode == ReportMode::List)?;
    let terminal = TerminalRestorer::default();
    let interrupts = interrupts(terminal.clone())?;
    let options = WatchOptions {
        format: args.format,
        from_start: args.from_start,
        once: args.once,
        until_idle: args.until_idle,
        forget: args.forget,
        verbose: args.verbose,
        ..WatchOptions::new(paths.clone())
    };
    let missing: Vec<_> = paths.iter().filter(|path| !path.exists()).collect();
    let store = default_path(|name| std::env::var_os(name)).map(StoreUrl::from);
    let actions = RunActions::new(store.clone());
    let keys = (mode == ReportMode::List && !args.no_keys).then(|| terminal.read_keys()).flatten();
    let report = ReportOpener::new(config.clone(), args.format);
    let control = keys.map(|keys| KeyControl::new(keys, actions.clone(), report));
    let settings = config.clone();
    let mut watcher = LogWatcher::new(options, config, notifiers)
        .with_spending(&settings, store.clone())
        .with_keys(control)
        .with_pauser(args.on_stop.map(|OnStopArg::Pause| actions));
    let (out, err) = (std::io::stdout(), std::io::stderr());
    let mut reporter = TerminalReporter::new(mode, out, err, output::terminal_size)
        .with_bell(args.bell)
        .with_style(output::text_style());
    for note in &notes {
        reporter.message(note);
    }
    for path in &missing {
        reporter.message(&if args.once {
            format!("error: {}: file or folder not found", path.display())
        } else {
            format!("{}: does not exist yet; waiting for it", path.display())
        });
    }
    let mut has_unread_paths = !missing.is_empty();
    match watcher.skipped_links() {
        0 => {}
        1 => reporter.message("1 link leads out of its folder and is not followed; name it to watch it"),
        links => reporter.message(&format!(
            "{links} links lead out of their folders and are not followed; name them to watch them"
        )),
    }
    watcher.read_existing(&mut reporter);
    if !args.once {
        reporter.message(&watcher.summary().render_start(args.from_start));
    }
    let end = watcher.run(&mut reporter, &interrupts);
    if let Some(error) = reporter.take_error() {
        return Err(UserError::failed(format!("cannot write standard output: {error}")));
    }
    if args.once {
        for path in watcher.paths_without_log() {
            reporter.message(&format!("error: {}: not a log", path.display()));
            has_unread_paths = true;
        }
    }
    has_unread_paths |= watcher.summary().unread_logs > 0;
    reporter.clear();
    let interrupted = end == WatchEnd::Interrupted;
    let is_ended_by_user = interrupted || end == WatchEnd::Quit;
    watcher.finish(&mut reporter, if is_ended_by_user { INTERRUPT_TIMEOUT } else { FINISH_TIMEOUT });
    reporter.message(&watcher.summary().render_end());
    for note in paused_notes(store.as_ref()) {
        reporter.message(&note);
    }
    let fails = args.fail_on.is_some_and(|fail_on| {
        watcher.worst_verdict()
            >= match fail_on {
                FailOn::Warn => VerdictName::Warn,
                FailOn::Stop => VerdictName::Stop,
            }
    });
    Ok(match interrupted {
        true => exit::INTERRUPTED,
        false if fails => exit::LOOP,
        false if args.once && has_unread_paths => exit::FAILED,
        false => exit::DONE,
    })
}

/// Returns the paths that the user named, or the folders with the logs of the agents on this machine and a note about each.
/// Databases cannot be followed.
fn watched_paths(args: &WatchArgs) -> Result<(Vec<PathBuf>, Vec<String>), UserError> {
    if !args.paths.is_empty() {
        return Ok((args.paths.clone(), Vec::new()));
    }
    let places =
        agent_log_dirs(|name| std::env::var_os(name)).into_iter().filter(|place| place.path.is_dir());
    let note = |agent: &str, path: &Path| format!("following the logs of {agent} in {}", path.display());
    let found = places.map(|place| (place.path.clone(), note(place.agent, &place.path)));
    let (paths, notes): (Vec<_>, Vec<_>) = found.unzip();
    if paths.is_empty() {
        return Err(UserError::usage("no log given, and no logs of agents found on this machine")
            .hint("give a file or a folder, for example: loopbreak watch logs/"));
    }
    Ok((paths, notes))
}

/// Returns a note about each agent that is paused. It stays so after the watch.
fn paused_notes(store: Option<&StoreUrl>) -> Vec<String> {
    // A watch that has ended does not fail because of it.
    let store = store.and_then(|store| open_existing(store).ok().flatten());
    let paused = store.and_then(|store| paused_runs(&*store).ok()).unwrap_or_default();
    let note = |name: &str| format!("still paused: {name}; `loopbreak resume {name}` continues it");
    paused.iter().map(|(run, _)| note(&run.session)).collect()
}

/// Returns a channel that receives interrupts. The second interrupt ends the program at once.
fn interrupts(terminal: TerminalRestorer) -> Result<Receiver<()>, UserError> {
    let (sender, receiver) = channel();
    let mut before = false;
    ctrlc::set_handler(move || {
        if std::mem::replace(&mut before, true) {
            terminal.restore();
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
        let _ = sender.send(());
    })
    .map_err(|error| UserError::failed(format!("cannot listen for interrupts: {error}")))?;
    Ok(receiver)
}
