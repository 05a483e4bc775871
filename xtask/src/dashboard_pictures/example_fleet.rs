//! Example runs of ten days: healthy ones, and some in loops.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::served_dashboard::ServedDashboard;
use crate::chore_failure::ChoreFailure;
use crate::process::run;

/// The run that is open in the pictures.
pub(super) const LIVE_RUN: &str = "fix-login-test";
/// Number of days.
const DAYS: u64 = 10;
/// Longest time until the alerts were told.
const PATIENCE: Duration = Duration::from_mins(1);

/// Makes the store of the runs, and returns a server that has told its alerts.
pub(super) fn serve(program: &Path, folder: &Path) -> Result<ServedDashboard, ChoreFailure> {
    let failed = |error| ChoreFailure::io(format_args!("write to {}", folder.display()), &error);
    let _ = fs::remove_dir_all(folder);
    let settings = folder.join("config/loopbreak");
    fs::create_dir_all(&settings).map_err(failed)?;
    for day in 0..DAYS - 1 {
        let server = ServedDashboard::start(program, folder)?;
        send_day(&server, day)?;
        drop(server);
        age_store(&folder.join("service.db"))?;
    }
    let receiver = start_receiver()?;
    let rules = format!(
        "[[alert]]\nname = \"expensive day\"\nkind = \"cost_per_day\"\nthreshold = 8\nslack = \"{receiver}\"\n\
         ntfy = \"{receiver}\"\n[[alert]]\nname = \"new loops\"\nkind = \"new_loop\"\nproject = \"default\"\n\
         webhook = \"{receiver}\"\n"
    );
    fs::write(settings.join("loopbreak.toml"), rules).map_err(failed)?;
    let server = ServedDashboard::start(program, folder)?;
    // The rules are known before the first loop of today.
    thread::sleep(Duration::from_secs(2));
    send_day(&server, DAYS - 1)?;
    send_live_run(&server)?;
    let started = Instant::now();
    loop {
        let alerts = server.request("GET", "/v1/alerts?projects=all", "default", &Value::Null)?;
        let rows = alerts["alerts"].as_array().map_or(&[][..], Vec::as_slice);
        let is_told = |alert: &Value| {
            alert["messages"]
                .as_array()
                .is_some_and(|all| all.iter().all(|message| message["state"] == "told"))
        };
        if rows.iter().any(|alert| alert["rule"] == "expensive day") && rows.iter().all(is_told) {
            return Ok(server);
        }
        if started.elapsed() > PATIENCE {
            return Err(ChoreFailure::Failed(format!("the alerts were not told: {alerts}")));
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// Makes everything in a store a day older.
fn age_store(store: &Path) -> Result<(), ChoreFailure> {
    let day = "86400000";
    let sql = format!(
        "UPDATE runs SET started = started - {day}, seen = seen - {day}; UPDATE entries SET at = at - {day}; \
         UPDATE loops SET first_seen = first_seen - {day}, last_seen = last_seen - {day}, opened = opened - {day}; \
         UPDATE usage SET day = day - 1; DELETE FROM spending WHERE kind = 2; \
         UPDATE spending SET period = period - 1 WHERE kind = 1;"
    );
    run(Command::new("sqlite3").arg(store).arg(sql))
}

/// Starts a receiver of messages that accepts everything, and returns its address.
fn start_receiver() -> Result<String, ChoreFailure> {
    let failed = |error| ChoreFailure::io("listen for alerts", &error);
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
            let mut request = [0; 8192];
            while stream.read(&mut request).is_ok_and(|count| count > 0) {}
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    Ok(format!("http://{address}"))
}

/// A kind of job of the example.
struct ExampleJob {
    project: &'static str,
    name: &'static str,
    agent: &'static str,
    model: &'static str,
    /// The call that it repeats, and its result. Empty for a healthy job.
    repeats: (&'static str, &'static str),
    /// Number of repeated calls, of every other day one more.
    times: u64,
    cost: f64,
}

const JOBS: [ExampleJob; 7] = [
    ExampleJob {
        project: "default",
        name: "update-deps",
        agent: "claude-code",
        model: "claude-sonnet-4-5",
        repeats: ("npm install --no-audit", "npm error ERESOLVE could not resolve react@19.0.0"),
        times: 6,
        cost: 0.11,
    },
    ExampleJob {
        project: "default",
        name: "nightly-docs",
        agent: "codex",
        model: "gpt-5",
        repeats: ("", ""),
        times: 0,
        cost: 0.05,
    },
    ExampleJob {
        project: "default",
        name: "flaky-e2e",
        agent: "codex",
        model: "gpt-5",
        repeats: (
            "npx playwright test checkout.spec.ts",
            "1 failed: locator('#pay') not found, 30000 ms exceeded",
        ),
        times: 9,
        cost: 0.16,
    },
    ExampleJob {
        project: "default",
        name: "triage-issues",
        agent: "claude-code",
        model: "claude-sonnet-4-5",
        repeats: ("", ""),
        times: 0,
        cost: 0.04,
    },
    ExampleJob {
        project: "billing",
        name: "migrate-invoices",
        agent: "claude-code",
        model: "claude-opus-4-1",
        repeats: ("psql -c 'select count(*) from invoices'", "ERROR: relation \"invoices\" does not exist"),
        times: 7,
        cost: 0.21,
    },
    ExampleJob {
        project: "mobile",
        name: "ios-build",
        agent: "gemini-cli",
        model: "gemini-2.5-pro",
        repeats: ("xcodebuild -scheme App build", "error: no such module 'Checkout'"),
        times: 5,
        cost: 0.09,
    },
    ExampleJob {
        project: "mobile",
        name: "lint",
        agent: "gemini-cli",
        model: "gemini-2.5-pro",
        repeats: ("", ""),
        times: 0,
        cost: 0.02,
    },
];

fn step(job: &ExampleJob, run: &str, command: &str, outcome: &str, error: bool) -> Value {
    json!({
        "run": run, "agent": job.agent, "model": job.model,
        "action": {"name": "Bash", "args": {"command": command}},
        "outcome": {"text": outcome, "error": error},
        "usage": {"input_tokens": (job.cost * 240_000.0) as u64, "output_tokens": 420, "cost_usd": job.cost},
    })
}

fn send_day(server: &ServedDashboard, day: u64) -> Result<(), ChoreFailure> {
    for (number, job) in (0_u64..).zip(&JOBS) {
        // Not every job runs every day.
        if (day + number) % 4 == 3 {
            continue;
        }
        let run = format!("{}-{}", job.name, 101 + day);
        let mut steps: Vec<Value> = (0..8 + (day * 5 + number * 3) % 7)
            .map(|file| {
                let (command, outcome) =
                    (format!("sed -n 1,80p src/part{file}.ts"), format!("part {file} of {run}"));
                step(job, &run, &command, &outcome, false)
            })
            .collect();
        let (command, outcome) = job.repeats;
        let times = if command.is_empty() { 0 } else { job.times + (day * 3 + number) % 4 };
        steps.extend((0..times).map(|_| step(job, &run, command, outcome, true)));
        server.request("POST", "/v1/steps", job.project, &json!(steps))?;
    }
    Ok(())
}

/// Sends the run that is open in the pictures.
fn send_live_run(server: &ServedDashboard) -> Result<(), ChoreFailure> {
    let job = ExampleJob { name: LIVE_RUN, cost: 0.14, ..JOBS[0] };
    let mut steps = vec![
        json!({"run": LIVE_RUN, "agent": job.agent, "user": "The login test fails since yesterday. Find out why and fix it."}),
        step(&job, LIVE_RUN, "npm test -- login", "1 failed: expected status 200, received 401", true),
        step(
            &job,
            LIVE_RUN,
            "git log --oneline -5",
            "b81c2f0 Rotate the session keys\n90aa1de Update fixtures",
            false,
        ),
        step(
            &job,
            LIVE_RUN,
            "sed -n 1,120p src/auth/session.ts",
            "export function sign(payload) { … }",
            false,
        ),
        step(&job, LIVE_RUN, "sed -i 's/oldKey/newKey/' src/auth/session.ts", "", false),
    ];
    steps.extend((0..9).map(|_| {
        step(&job, LIVE_RUN, "npm test -- login", "1 failed: expected status 200, received 401", true)
    }));
    for step in steps {
        server.request("POST", "/v1/steps", "default", &step)?;
    }
    Ok(())
}
