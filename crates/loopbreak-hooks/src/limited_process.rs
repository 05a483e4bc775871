//! Runs a program with a time limit.

use std::io::{self, ErrorKind, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Largest output that is kept, in bytes.
const MAX_OUTPUT: u64 = 1 << 20;
/// Time between two looks at the program.
const PAUSE: Duration = Duration::from_millis(2);

/// The exit status and the output of a program.
pub(super) struct LimitedOutput {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Runs a command with this input. If it takes longer than the limit, it is ended, and that is an error.
pub(super) fn run_limited(command: &mut Command, input: &[u8], limit: Duration) -> io::Result<LimitedOutput> {
    let started = Instant::now();
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
            end(&mut child);
            let message = format!("it did not answer within {} s and was ended", limit.as_secs());
            return Err(io::Error::new(ErrorKind::TimedOut, message));
        }
        thread::sleep(PAUSE);
    };
    let _ = writer.join();
    let collect = |reader: JoinHandle<Vec<u8>>| reader.join().unwrap_or_default();
    Ok(LimitedOutput { status, stdout: collect(stdout), stderr: collect(stderr) })
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
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
