//! Renders the status line within a bounded time.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use loopbreak_store::StoreUrl;
use serde_json::Value;

use super::session_loops::SessionLoops;
use super::wrapped_line::run_wrapped;

/// Largest input that is read, in bytes.
const MAX_INPUT: u64 = 1 << 20;
/// Longest time to read the input.
const READ_TIME: Duration = Duration::from_secs(1);
/// Longest time to read the store.
const STORE_TIME: Duration = Duration::from_millis(200);
/// Longest time of the command whose line is shown too.
const WRAPPED_TIME: Duration = Duration::from_millis(1500);
/// Time after which a command that was ended is no longer waited for.
const MARGIN: Duration = Duration::from_millis(100);

/// The surroundings of a status line.
#[derive(Clone, Debug)]
pub struct StatusLineInput {
    /// The input that Claude Code passed to the command.
    pub json: Vec<u8>,
    /// Address of the store, if the user has one.
    pub store: Option<StoreUrl>,
    /// The guard is switched off.
    pub disabled: bool,
    /// The terminal shows more than ASCII.
    pub unicode: bool,
    /// A command line whose status line is shown too.
    pub wrap: Option<String>,
    /// Shows the line of Loopbreak before that of the other command.
    pub first: bool,
}

/// Reads what Claude Code passes to the command. It is cut after a second, or at a megabyte.
pub fn read_status_input(input: impl Read + Send + 'static) -> Vec<u8> {
    let read = within(move || {
        let mut json = Vec::new();
        let _ = input.take(MAX_INPUT).read_to_end(&mut json);
        json
    });
    read.recv_timeout(READ_TIME).unwrap_or_default()
}

/// Returns the status line. It is empty if there is nothing to say, also if something goes wrong.
pub fn render_status_line(input: StatusLineInput) -> String {
    let StatusLineInput { json, store, disabled, unicode, wrap, first } = input;
    let began = Instant::now();
    let session = serde_json::from_slice::<Value>(&json).ok();
    let session = session.as_ref().and_then(|input| input.get("session_id")?.as_str()).map(str::to_owned);
    let own = session
        .zip(store)
        .filter(|_| !disabled)
        .map(|(session, store)| within(move || SessionLoops::load(&store, &session).unwrap_or_default()));
    let wrapped = wrap.map(|command| within(move || run_wrapped(&command, &json, WRAPPED_TIME)));
    let left = |limit: Duration| limit.saturating_sub(began.elapsed());
    let own = own.and_then(|own| own.recv_timeout(left(STORE_TIME)).ok());
    let own = own.map(|loops: SessionLoops| loops.render(unicode)).unwrap_or_default();
    let own = if disabled { "loop guard off".to_owned() } else { own };
    let wrapped = wrapped.and_then(|wrapped| wrapped.recv_timeout(left(WRAPPED_TIME + MARGIN)).ok());
    join(&own, &wrapped.unwrap_or_default(), unicode, first)
}

/// Runs something in a thread of its own, so that it can be left behind.
fn within<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver
}

/// Joins the lines. Claude Code shows the first line of the output, in later versions all of them.
fn join(own: &str, wrapped: &str, unicode: bool, first: bool) -> String {
    let separator = if unicode { " · " } else { " | " };
    let (head, rest) = wrapped.split_once('\n').map_or((wrapped, None), |(head, rest)| (head, Some(rest)));
    let head = head.trim_end();
    let line = match (own.is_empty(), head.is_empty(), first) {
        (true, _, _) => head.to_owned(),
        (_, true, _) => own.to_owned(),
        (_, _, true) => format!("{own}{separator}{head}"),
        (_, _, false) => format!("{head}{separator}{own}"),
    };
    rest.map_or_else(|| line.clone(), |rest| format!("{line}\n{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_line_is_added_to_the_first_line_of_the_other_one() {
        for (own, wrapped, first, expected) in [
            ("", "", false, ""),
            ("own", "", false, "own"),
            ("", "a\nb", false, "a\nb"),
            ("own", "a \nb", false, "a · own\nb"),
            ("own", "a\nb", true, "own · a\nb"),
        ] {
            assert_eq!(join(own, wrapped, true, first), expected);
        }
        assert_eq!(join("own", "a", false, false), "a | own");
    }
}
