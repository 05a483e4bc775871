//! Reads an event, answers it, and lets the agent go on whatever happens.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use loopbreak::{Mode, Settings};
use loopbreak_store::{RunKey, Store, StoreError, StoreUrl, now, open, repair};

use crate::error_log;
use crate::hook_agent::{HookAgent, HookEventKind};
use crate::hook_event::{HookEvent, read};
use crate::hook_response::HookResponse;
use crate::hook_transaction::HookRequest;

/// What a hook needs from the program around it.
pub struct HookEnvironment<'e> {
    /// The file of the store; none where the user has no folder for it.
    pub store: Option<PathBuf>,
    /// Whether the guard is switched off: the event is read, and nothing else happens.
    pub disabled: bool,
    /// Loads the settings that apply in a folder.
    pub load_settings: &'e dyn Fn(&Path) -> Result<Settings, String>,
    /// Receives messages for people.
    pub warn: &'e dyn Fn(&str),
}

/// Reads one event and returns the response for the agent, if there is one. Whatever goes wrong is passed to `warn` and
/// written to the error log, and the agent goes on.
pub fn answer(dialect: HookAgent, input: impl Read, environment: &HookEnvironment<'_>) -> Option<String> {
    let answered = catch_unwind(AssertUnwindSafe(|| try_answer(dialect, input, environment)));
    let why = match answered {
        Ok(Ok(response)) => return response,
        Ok(Err(why)) => why,
        Err(_) => "an internal error".to_owned(),
    };
    (environment.warn)(&format!("{why}; the agent goes on without the guard"));
    if let Some(store) = &environment.store {
        error_log::note(store, now(), dialect, &why);
    }
    None
}

fn try_answer(
    dialect: HookAgent,
    input: impl Read,
    environment: &HookEnvironment<'_>,
) -> Result<Option<String>, String> {
    let text = read(input)?;
    // In a hurry, nothing else may stand in the way of this.
    if environment.disabled {
        return Ok(None);
    }
    let event: HookEvent<'_> =
        serde_json::from_str(&text).map_err(|error| format!("this is no event: {error}"))?;
    let name = event.hook_event_name.as_deref().unwrap_or_default();
    let happening = dialect.happening(name);
    if happening == HookEventKind::Other {
        return Ok(None);
    }
    let session =
        event.session_id.as_deref().filter(|id| !id.is_empty()).ok_or("the event names no session")?;
    let folder = event.cwd.as_deref().unwrap_or_default();
    let here = if Path::new(folder).is_dir() { Path::new(folder) } else { Path::new(".") };
    let config = (environment.load_settings)(here)?;
    if config.mode == Mode::Off {
        return Ok(None);
    }
    let run = RunKey {
        source: dialect.name().to_owned(),
        session: session.to_owned(),
        agent: event.agent_id.as_deref().unwrap_or_default().to_owned(),
    };
    let now = now();
    let session = HookRequest {
        config: &config,
        dialect,
        event: &event,
        happening,
        run: session,
        now,
        warn: environment.warn,
    };
    let path = environment
        .store
        .clone()
        .ok_or("there is no folder for the store: neither XDG_STATE_HOME nor HOME is set")?;
    let url = StoreUrl::from(path);
    let mut store = open(&url).map_err(|error| error.to_string())?;
    tell_put_aside(dialect, url.as_path(), &*store, environment.warn);
    let answer = match attend(&mut *store, &run, folder, &session) {
        Err(HookFailure::Store(StoreError::Damaged(_))) => {
            drop(store);
            let mut store = repair(&url).map_err(|error| error.to_string())?;
            tell_put_aside(dialect, url.as_path(), &*store, environment.warn);
            attend(&mut *store, &run, folder, &session)
        }
        attended => attended,
    };
    let answer = answer.map_err(|failure| match failure {
        HookFailure::Store(error) => error.to_string(),
        HookFailure::HookRequest(why) => why,
    })?;
    Ok(dialect.put(name, &answer).map(|json| json.to_string()))
}

enum HookFailure {
    Store(StoreError),
    HookRequest(String),
}

fn attend(
    store: &mut dyn Store,
    run: &RunKey,
    folder: &str,
    session: &HookRequest<'_>,
) -> Result<HookResponse, HookFailure> {
    if session.happening == HookEventKind::Proposed {
        let kept = store.state(run).map_err(HookFailure::Store)?;
        if session.is_free(kept.as_deref()).map_err(HookFailure::HookRequest)? {
            return Ok(HookResponse::Nothing);
        }
    }
    let transaction = store.begin(run, folder, session.now).map_err(HookFailure::Store)?;
    let taken = session.take(transaction.state()).map_err(HookFailure::HookRequest)?;
    let Some((change, answer)) = taken else { return Ok(HookResponse::Nothing) };
    // An answer to what could not be kept would come again and again, or count for nothing.
    transaction.commit(change).map_err(HookFailure::Store)?;
    Ok(answer)
}

fn tell_put_aside(dialect: HookAgent, path: &Path, store: &dyn Store, warn: &dyn Fn(&str)) {
    if let Some(aside) = store.quarantined() {
        let told = format!("the store was damaged and is now {}; a new one was begun", aside.display());
        warn(&told);
        error_log::note(path, now(), dialect, &told);
    }
}
