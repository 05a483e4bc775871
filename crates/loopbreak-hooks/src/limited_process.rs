//! Runs a program with a time limit. All processes that it started end with it.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Largest output that is kept, in bytes.
const MAX_OUTPUT: u64 = 1 << 20;
/// Time between two looks at the program.
const PAUSE: Duration = Duration::from_millis(2);

/// The exit status and the output of a program.
pub(crate) struct LimitedOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Runs a command with this input. If it takes longer than the limit, it is ended, and that is an error.
pub(crate) fn run_limited(command: &mut Command, input: &[u8], limit: Duration) -> io::Result<LimitedOutput> {
    let started = Instant::now();
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (read_aside(child.stdout.take()), read_aside(child.stderr.take()));
    let stdin = child.stdin.take();
    let input = input.to_owned();
    // If the program does not read its input, standard error says why.
    let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > limit {
            end_group(&mut child);
            let _ = child.wait();
            let message = format!("it did not answer within {} s and was ended", limit.as_secs());
            return Err(io::Error::new(ErrorKind::TimedOut, message));
        }
        thread::sleep(PAUSE);
    };
    // One that was left behind would keep the output open.
    end_group(&mut child);
    let _ = writer.join();
    let collect = |reader: JoinHandle<Vec<u8>>| reader.join().unwrap_or_default();
    Ok(LimitedOutput { status, stdout: collect(stdout), stderr: collect(stderr) })
}

/// Ends the processes of the group.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, killpg};
        use nix::unistd::Pid;

        // Process ids fit into the type of the system. A group that has ended needs no signal.
        let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = child.kill();
}

fn read_aside(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.map(|pipe| pipe.take(MAX_OUTPUT).read_to_end(&mut bytes));
        bytes
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let error = run_limited(Command::new("sleep").arg("600"), b"", Duration::from_millis(50));
        assert_eq!(error.map(|output| output.status).unwrap_err().kind(), ErrorKind::TimedOut);
        let output = run_limited(&mut Command::new("cat"), b"hello", Duration::from_mins(1)).unwrap();
        assert_eq!(
            (output.stdout, output.stderr, output.status.success()),
            (b"hello".to_vec(), Vec::new(), true)
        );
    }
}
