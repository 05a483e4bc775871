//! The number of files that the program may open, which bounds the number of connections.

/// Number of open files that are asked for. The usual limit of a shell is lower, and the allowed one higher.
#[cfg(unix)]
const WANTED: u64 = 4096;
/// Number of open files that connections leave to the store and to connections that are being closed.
const RESERVED: usize = 256;
/// Largest number of connections.
const MAX_CONNECTIONS: usize = 2048;

/// Raises the limit of open files if that is allowed, and returns how many connections fit below it.
pub(crate) fn connection_limit() -> usize {
    connections_below(raise_limit())
}

fn connections_below(files: usize) -> usize {
    files.saturating_sub(RESERVED).max(files / 2).clamp(1, MAX_CONNECTIONS)
}

#[cfg(unix)]
fn raise_limit() -> usize {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return MAX_CONNECTIONS };
    let wanted = hard.min(WANTED);
    let raised = soft < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok();
    usize::try_from(if raised { wanted } else { soft }).unwrap_or(usize::MAX)
}

#[cfg(not(unix))]
fn raise_limit() -> usize {
    MAX_CONNECTIONS + RESERVED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_the_store() {
        for (files, connections) in
            [(16, 8), (256, 128), (1024, 768), (4096, 2048), (usize::MAX, 2048), (0, 1)]
        {
            assert_eq!(connections_below(files), connections, "{files}");
        }
        assert!((1..=MAX_CONNECTIONS).contains(&connection_limit()));
    }
}
