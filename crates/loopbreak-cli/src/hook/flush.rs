//! `loopbreak hook flush`.

use std::time::Duration;

use loopbreak_store::now;

use crate::args::ConfigOptions;
use crate::error::UserError;
use crate::server_connection::connect_or_fail;
use crate::store::open_user_store;
use crate::{config_loading, exit, output};

/// Time for each part of the steps.
const PART_TIME: Duration = Duration::from_secs(10);

/// Sends the steps that wait for the service.
pub(super) fn flush() -> Result<u8, UserError> {
    let settings = config_loading::guarded_settings(&ConfigOptions::default())?;
    let link = connect_or_fail(&settings)?.ok_or_else(|| {
        UserError::usage("no service is named")
            .hint("set LOOPBREAK_SERVER, or server.url in your own configuration")
    })?;
    let server = link.server();
    let mut store = open_user_store()?;
    let Some(outbox) = store.as_mut().and_then(|store| store.outbox()) else {
        output::print(&format!("nothing waits to be sent to {server}\n"))?;
        return Ok(exit::DONE);
    };
    let before = outbox.state(server)?;
    let mut waiting = before.waiting;
    while waiting > 0 {
        let mut call = link.begin_for_person(now(), PART_TIME);
        let is_done = call.send(outbox, None)?.is_some();
        let left = outbox.state(server)?.waiting;
        if let Some(failure) = call.failure() {
            let error = format!("{left} of {} steps were not sent to {server}: {failure}", before.waiting);
            return Err(UserError::failed(error).hint("they wait, and the next session sends them"));
        }
        if is_done || left >= waiting {
            waiting = left;
            break;
        }
        waiting = left;
    }
    let after = outbox.state(server)?;
    let refused = after.refused.saturating_sub(before.refused);
    let sent = before.waiting.saturating_sub(waiting).saturating_sub(refused);
    let counted = |count: u64| format!("{count} step{}", if count == 1 { "" } else { "s" });
    let sent = format!("{} sent to {server}", counted(sent));
    output::print(&if refused > 0 {
        format!("{sent}, {} refused\n", counted(refused))
    } else {
        format!("{sent}\n")
    })?;
    Ok(if waiting == 0 { exit::DONE } else { exit::FAILED })
}
