//! The service that hooks and the MCP server ask.

use loopbreak::Settings;
use loopbreak_client::{ServerLink, ServerOptions};
use loopbreak_store::{OutboxState, Store};

use crate::error::UserError;

/// Connects to the service that the settings or the environment name. Nothing is sent. `None` if they name none.
pub(crate) fn connect(settings: &Settings) -> Result<Option<ServerLink>, String> {
    let options = ServerOptions::find(&settings.server, &|name| std::env::var(name).ok());
    let Some(options) = options.map_err(|error| error.to_string())? else { return Ok(None) };
    ServerLink::new(options).map(Some).map_err(|error| error.to_string())
}

/// Does the same for a command of a person.
pub(crate) fn connect_or_fail(settings: &Settings) -> Result<Option<ServerLink>, UserError> {
    connect(settings).map_err(|error| UserError::usage(format!("cannot ask the service: {error}")))
}

/// Returns what the store knows about servers to which steps are sent.
pub(crate) fn outbox_states(store: &mut dyn Store) -> Result<Vec<OutboxState>, UserError> {
    Ok(match store.outbox() {
        Some(outbox) => outbox.states()?,
        None => Vec::new(),
    })
}
