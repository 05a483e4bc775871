//! Reads an event, answers it, and lets the agent go on whatever happens.

use std::io::{self, IsTerminal as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use loopbreak::Mode;
use loopbreak_store::{RunKey, Store, StoreError, StoreUrl, default_path, now, open, repair};

use super::answer::Answer;
use super::dialect::{Dialect, Happening};
use super::event::{Event, read};
use super::fault;
use super::session::Session;
use crate::args::ConfigOptions;
use crate::exit;

/// Answers the event on standard input. The exit code is always that of success: any other means something to an agent.
pub(crate) fn respond(dialect: Dialect, options: &ConfigOptions) -> u8 {
    let answered = catch_unwind(AssertUnwindSafe(|| answer(dialect, options)));
    match answered {
        Ok(Ok(None)) => {}
        Ok(Ok(Some(text))) => {
            // An agent that does not listen any more has no use for the answer.
            let _ = writeln!(io::stdout(), "{text}").and_then(|()| io::stdout().flush());
        }
        Ok(Err(why)) => fail(dialect, &why),
        Err(_) => fail(dialect, "an internal error"),
    }
    exit::DONE
}

/// Says why there is no answer, to whoever listens now and to whoever looks later.
fn fail(dialect: Dialect, why: &str) {
    tell(&format!("{why}; the agent goes on without the guard"));
    if let Some(store) = place() {
        fault::note(&store, now(), dialect, why);
    }
}

fn place() -> Option<std::path::PathBuf> {
    default_path(|name| std::env::var_os(name))
}

pub(super) fn tell(text: &str) {
    anstream::eprintln!("loopbreak: hook: {text}");
}

fn answer(dialect: Dialect, options: &ConfigOptions) -> Result<Option<String>, String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        tell("waiting for an event of an agent on standard input; see `loopbreak hook --help`");
    }
    let text = read(stdin.lock())?;
    // In a hurry, nothing else may stand in the way of this.
    if std::env::var_os("LOOPBREAK").is_some_and(|mode| mode == "off") {
        return Ok(None);
    }
    let event: Event<'_> =
        serde_json::from_str(&text).map_err(|error| format!("this is no event: {error}"))?;
    let name = event.hook_event_name.as_deref().unwrap_or_default();
    let happening = dialect.happening(name);
    if happening == Happening::Other {
        return Ok(None);
    }
    let session =
        event.session_id.as_deref().filter(|id| !id.is_empty()).ok_or("the event names no session")?;
    let folder = event.cwd.as_deref().unwrap_or_default();
    let here = if Path::new(folder).is_dir() { Path::new(folder) } else { Path::new(".") };
    let config = crate::config::settings_in(options, here).map_err(|error| error.to_string())?;
    if config.mode == Mode::Off {
        return Ok(None);
    }
    let run = RunKey {
        source: dialect.name().to_owned(),
        session: session.to_owned(),
        agent: event.agent_id.as_deref().unwrap_or_default().to_owned(),
    };
    let now = now();
    let session = Session { config: &config, dialect, event: &event, happening, run: session, now };
    let path = place().ok_or("there is no folder for the store: neither XDG_STATE_HOME nor HOME is set")?;
    let url = StoreUrl::from(path);
    let mut store = open(&url).map_err(|error| error.to_string())?;
    tell_put_aside(dialect, url.as_path(), &*store);
    let answer = match attend(&mut *store, &run, folder, &session) {
        Err(Failure::Store(StoreError::Damaged(_))) => {
            drop(store);
            let mut store = repair(&url).map_err(|error| error.to_string())?;
            tell_put_aside(dialect, url.as_path(), &*store);
            attend(&mut *store, &run, folder, &session)
        }
        attended => attended,
    };
    let answer = answer.map_err(|failure| match failure {
        Failure::Store(error) => error.to_string(),
        Failure::Session(why) => why,
    })?;
    Ok(dialect.put(name, &answer).map(|json| json.to_string()))
}

enum Failure {
    Store(StoreError),
    Session(String),
}

fn attend(
    store: &mut dyn Store,
    run: &RunKey,
    folder: &str,
    session: &Session<'_>,
) -> Result<Answer, Failure> {
    if session.happening == Happening::Proposed {
        let kept = store.state(run).map_err(Failure::Store)?;
        if session.is_free(kept.as_deref()).map_err(Failure::Session)? {
            return Ok(Answer::Nothing);
        }
    }
    let transaction = store.begin(run, folder, session.now).map_err(Failure::Store)?;
    let taken = session.take(transaction.state()).map_err(Failure::Session)?;
    let Some((change, answer)) = taken else { return Ok(Answer::Nothing) };
    // An answer to what could not be kept would come again and again, or count for nothing.
    transaction.commit(change).map_err(Failure::Store)?;
    Ok(answer)
}

fn tell_put_aside(dialect: Dialect, path: &Path, store: &dyn Store) {
    if let Some(aside) = store.quarantined() {
        let told = format!("the store was damaged and is now {}; a new one was begun", aside.display());
        tell(&told);
        fault::note(path, now(), dialect, &told);
    }
}
