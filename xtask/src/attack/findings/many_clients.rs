//! Many clients, and slow ones, at the HTTP server. All are on the loopback address, and for a bounded time.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::attack::http_client::{HttpClient, HttpServer};
use crate::attack::limited_command::{LimitedCommand, MEGABYTE, megabytes};
use crate::chore_failure::ChoreFailure;
use crate::process::works;

/// Number of half-open connections.
const HALF_OPEN: usize = 1150;
/// Limit of open files of the server.
const OPEN_FILES: u32 = 1024;
/// Time for a connection to be accepted by the kernel.
const CONNECT_TIME: Duration = Duration::from_millis(200);
/// Memory that slow bodies may cost. Without a limit, each costs 4 MB.
const BODY_MEMORY: u64 = 200 * MEGABYTE;
/// Bytes of a slow body: all but the last of them are sent.
const BODY: usize = 4_190_000;
/// Time that a kept connection may cost a call. A delayed acknowledgement costs 40 ms.
const KEPT_COST: Duration = Duration::from_millis(20);

/// F7: connections that send one byte and wait.
pub(super) fn half_open(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    allow_many_connections();
    let server = HttpServer::start(&home, "", |command| command.open_files(OPEN_FILES))?;
    let time = lab.seconds(8);
    let duration = Duration::from_secs(lab.size(64, 12) as u64);
    let (mut attackers, mut most) = (Vec::new(), 0);
    let (mut answered, mut failed, mut slowest) = (0, 0, Duration::ZERO);
    let started = Instant::now();
    while started.elapsed() < duration {
        attackers.retain(is_open);
        while attackers.len() < HALF_OPEN && started.elapsed() < duration {
            let Some(attacker) = send_one_byte(server.address) else { break };
            attackers.push(attacker);
        }
        most = most.max(attackers.len());
        let asked = Instant::now();
        let answer = server.client(time).and_then(|mut client| client.initialize());
        match answer {
            Ok(answer) if answer.status == 200 => answered += 1,
            _ => failed += 1,
        }
        slowest = slowest.max(asked.elapsed());
        thread::sleep(Duration::from_millis(300));
    }
    // An attack that opens few connections shows nothing.
    let held = failed == 0 && answered > 0 && most > OPEN_FILES as usize / 2;
    rows.judge(
        "1,150 connections with one byte each, opened again when closed; server with 1,024 open files",
        held,
        format_args!(
            "{most} at once for {} s; {answered} of {} honest clients answered, slowest {:.2} s",
            duration.as_secs(),
            answered + failed,
            slowest.as_secs_f64()
        ),
    );
    Ok(())
}

/// Raises the limit of open files of this process, so that it can attack. Without success, the attack says so by its number.
fn allow_many_connections() {
    let pid = std::process::id().to_string();
    works(Command::new("prlimit").args(["--pid", &pid, "--nofile=8192:"]));
}

fn send_one_byte(address: SocketAddr) -> Option<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&address, CONNECT_TIME).ok()?;
    stream.write_all(b"P").ok()?;
    stream.set_nonblocking(true).ok()?;
    Some(stream)
}

/// Returns whether the server has not closed the connection.
fn is_open(stream: &TcpStream) -> bool {
    let mut stream = stream;
    matches!(stream.read(&mut [0; 512]), Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// F16: bodies that never end.
pub(super) fn slow_bodies(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    allow_many_connections();
    for (attack, options, has_token) in [
        ("slow bodies of 4 MB, without the token", "", false),
        ("slow bodies of 4 MB, with the token and without a session", "", true),
        ("slow bodies of 4 MB, at a server with --no-token", "--no-token", false),
    ] {
        let home = lab.home()?;
        let mut server = HttpServer::start(&home, options, |command| command)?;
        let count = lab.size(400, 120);
        let before = server.program.peak();
        let token =
            if has_token { format!("Authorization: Bearer {}\r\n", server.token) } else { String::new() };
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{token}\
             Accept: application/json, text/event-stream\r\nContent-Length: {BODY}\r\n\r\n"
        );
        let message = [head.into_bytes(), vec![b'x'; BODY - 1]].concat();
        let sent = send_slowly(server.address, &message, count, Duration::from_secs(6));
        let peak = server.program.peak();
        let answer = server.client(lab.seconds(8)).and_then(|mut client| client.initialize());
        let is_answered = answer.is_ok_and(|answer| answer.status == 200);
        rows.judge(
            attack,
            peak > 0 && peak - before < BODY_MEMORY && is_answered && sent.connections == count,
            format_args!(
                "{} connections, {} sent; memory {} before, at most {}; honest client {}",
                sent.connections,
                megabytes(sent.bytes),
                megabytes(before),
                megabytes(peak),
                if is_answered { "answered" } else { "not answered" }
            ),
        );
    }
    Ok(())
}

/// Bytes that slow clients have sent.
struct SentBodies {
    connections: usize,
    bytes: u64,
}

/// Sends the same message on many connections at once, as far as the server takes it, and keeps them open.
fn send_slowly(address: SocketAddr, message: &[u8], count: usize, time: Duration) -> SentBodies {
    let connect = || {
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(2)).ok()?;
        stream.set_nonblocking(true).ok()?;
        Some((stream, 0))
    };
    let mut clients: Vec<(TcpStream, usize)> = (0..count).filter_map(|_| connect()).collect();
    let connections = clients.len();
    let started = Instant::now();
    while started.elapsed() < time {
        for (stream, sent) in &mut clients {
            while let Some(rest) = message.get(*sent..).filter(|rest| !rest.is_empty()) {
                match stream.write(&rest[..rest.len().min(256 * 1024)]) {
                    Ok(written @ 1..) => *sent += written,
                    _ => break,
                }
            }
        }
        thread::sleep(Duration::from_millis(20));
    }
    SentBodies { connections, bytes: clients.iter().map(|(_, sent)| *sent as u64).sum() }
}

/// F20: a kept connection is not slower than new ones.
pub(super) fn kept_connection(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let server = HttpServer::start(&home, "", |command: LimitedCommand| command)?;
    let failed = |error: std::io::Error| ChoreFailure::io("talk to the server", &error);
    let time = lab.seconds(20);
    let mut kept = server.client(time).map_err(failed)?;
    kept.initialize().map_err(failed)?;
    let calls = lab.size(200, 60);
    let (mut on_kept, mut on_new) = (Vec::new(), Vec::new());
    for _ in 0..calls {
        let asked = Instant::now();
        check_status(&mut kept).map_err(failed)?;
        on_kept.push(asked.elapsed());
        let asked = Instant::now();
        let mut client = server.client(time).map_err(failed)?;
        client.session.clone_from(&kept.session);
        check_status(&mut client).map_err(failed)?;
        on_new.push(asked.elapsed());
    }
    let [kept, new] = [on_kept, on_new].map(|mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    });
    rows.judge(
        "calls by turns on a kept connection and on new ones",
        kept < new + KEPT_COST,
        format_args!(
            "{calls} calls each, median {:.1} ms kept, {:.1} ms new",
            kept.as_secs_f64() * 1000.0,
            new.as_secs_f64() * 1000.0
        ),
    );
    Ok(())
}

fn check_status(client: &mut HttpClient) -> std::io::Result<()> {
    let answer = client.call("status", &json!({}))?;
    let is_good = answer.status == 200 && answer.body.contains("\"result\"");
    if is_good { Ok(()) } else { Err(std::io::Error::other(format!("{}: {}", answer.status, answer.body))) }
}
