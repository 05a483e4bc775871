//! A real SDK of OpenTelemetry sends runs over each protocol.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use loopbreak::Settings;
use loopbreak_server::mcp::BearerToken;
use loopbreak_server::otlp::{TelemetryIntake, otlp_grpc_router, otlp_http_router, serve_grpc};
use loopbreak_server::service::{NewToken, ProjectName, ServiceOptions, serve_service};
use loopbreak_store::service::{
    RunVerdict, ServiceRunKey, ServiceStore, ServiceStoreUrl, TokenScope, open_service_store,
};
use loopbreak_trace::{LogFormat, LogRecord, OpenedLog, RecordSink, SkippedLine};
use tokio::net::TcpListener;

use crate::memory_sink::{GuardedSinkRun, MemorySink};

/// Shows the steps of a file to one guard.
#[derive(Default)]
struct FileRun(GuardedSinkRun);

impl RecordSink for FileRun {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.0.observe(&record.step);
    }
    fn skipped(&mut self, skipped: SkippedLine) {
        panic!("{skipped:?}");
    }
}

/// Lets only the clients of the project `team` in.
async fn check_token(mut request: Request<Body>, next: Next) -> Response {
    let token = request.headers().get(header::AUTHORIZATION).map(|value| value.as_bytes().to_vec());
    if token.as_deref() == Some(b"Bearer t-1") {
        let project: ProjectName = "team".parse().unwrap();
        request.extensions_mut().insert(project);
    }
    next.run(request).await
}

/// A server with both ports, in a thread of its own.
struct OtlpServer {
    sink: MemorySink,
    ports: OtlpPorts,
    _end: tokio::sync::oneshot::Sender<()>,
}

/// The addresses of a server.
struct OtlpPorts {
    http: String,
    grpc: String,
}

impl OtlpServer {
    fn start() -> Self {
        let sink = MemorySink::default();
        let intake = TelemetryIntake::new(sink.clone());
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let http = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let grpc = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send((http.local_addr().unwrap(), grpc.local_addr().unwrap())).unwrap();
                let guarded = |router: Router| router.layer(from_fn(check_token));
                let routes = guarded(otlp_http_router(intake.clone()));
                let routes = routes.fallback(|| async { StatusCode::NOT_FOUND.into_response() });
                tokio::select! {
                    served = axum::serve(http, routes).into_future() => served.unwrap(),
                    () = serve_grpc(grpc, guarded(otlp_grpc_router(intake)), async { _ = ended.await }) => {}
                }
            });
        });
        let (http, grpc) = told.recv().unwrap();
        let ports = OtlpPorts { http: format!("http://{http}"), grpc: format!("http://{grpc}") };
        OtlpServer { sink, ports, _end: end }
    }
}

impl OtlpPorts {
    /// Sends a run, and returns the file with the same requests. Fails if the SDK reports a failure.
    fn send(
        &self,
        protocol: &str,
        run: &str,
        kind: &str,
        folder: &Path,
        token: &str,
    ) -> Result<PathBuf, String> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Cargo lets tests write to `target/tmp`; the environment is set up next to it.
        let python =
            Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("venvs/telemetry/bin/python");
        assert!(
            python.is_file(),
            "{} is missing: `cargo xtask setup` installs the SDK from PyPI; `cargo xtask ci` does it too",
            python.display()
        );
        let file = folder.join(format!("{run}.jsonl"));
        let url = if protocol == "grpc" { &self.grpc } else { &self.http };
        let output = Command::new(python)
            .arg(manifest.join("tests/server/telemetry_client.py"))
            .args([protocol, run, kind])
            .arg(&file)
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", url)
            .env("OTEL_EXPORTER_OTLP_HEADERS", format!("authorization=Bearer%20{token}"))
            .env("OTEL_EXPORTER_OTLP_COMPRESSION", if kind == "loop" { "gzip" } else { "none" })
            .env("OTEL_EXPORTER_OTLP_TIMEOUT", "20")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let failed = String::from_utf8_lossy(&output.stderr).into_owned();
        if said.trim() == "sent" && !failed.contains("Traceback") { Ok(file) } else { Err(failed) }
    }
}

fn read_file(file: &Path) -> GuardedSinkRun {
    let log = OpenedLog::from_stream(File::open(file).unwrap(), None, |_| {}).unwrap();
    assert_eq!(log.format(), "otel".parse::<LogFormat>().unwrap());
    let mut run = FileRun::default();
    log.read(&mut run).unwrap();
    run.0
}

#[test]
fn the_sdk_sends_runs_over_each_protocol_and_files_give_the_same_findings() {
    let server = OtlpServer::start();
    let folder = tempfile::tempdir().unwrap();
    for protocol in ["grpc", "http/protobuf", "http/json"] {
        for kind in ["loop", "healthy", "model-calls"] {
            let run = format!("{}-{kind}", protocol.replace('/', "-"));
            let file = server.ports.send(protocol, &run, kind, folder.path(), "t-1").unwrap();
            let read = read_file(&file);
            let (live, findings) = (server.sink.steps("team", &run), server.sink.findings("team", &run));
            let steps = match kind {
                // The calls of the last answer wait for the spans of their tools.
                "model-calls" => 8,
                _ => 18,
            };
            assert_eq!(live, read.steps[..steps], "{run}");
            assert_eq!(findings, read.findings[..findings.len()], "{run}");
            assert_eq!(findings.is_empty(), kind == "healthy", "{run}: {findings:?}");
        }
    }
}

#[test]
fn the_sdk_reports_that_a_token_is_wrong() {
    let server = OtlpServer::start();
    let folder = tempfile::tempdir().unwrap();
    for protocol in ["grpc", "http/protobuf"] {
        let refused = server.ports.send(protocol, "run", "loop", folder.path(), "t-2");
        assert!(refused.is_err(), "{protocol}");
    }
    assert!(server.sink.steps("team", "run").is_empty());
}

/// Starts the service, as `loopbreak serve` does, with a store in this folder. It ends with the test program.
fn start_service(folder: &Path) -> (OtlpPorts, Arc<dyn ServiceStore>) {
    let url = ServiceStoreUrl::from(folder.join("service.db").as_path());
    let store = open_service_store(&url, 0).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let any = "127.0.0.1:0".parse().unwrap();
    let mut options = ServiceOptions::new(any, Arc::clone(&store), Settings::default());
    options.grpc = Some(any);
    options.token = Some(BearerToken::new(&"a".repeat(64)).unwrap());
    std::thread::spawn(move || {
        serve_service(options, |started| tell.send((started.address, started.grpc.unwrap())).unwrap())
    });
    let (http, grpc) = told.recv().unwrap();
    (OtlpPorts { http: format!("http://{http}"), grpc: format!("http://{grpc}") }, store)
}

fn new_token(store: &dyn ServiceStore, project: &str, scope: TokenScope) -> String {
    let token = NewToken {
        note: String::new(),
        project: project.parse().unwrap(),
        scopes: vec![scope],
        expires: None,
    };
    token.create(store, 0).unwrap().1
}

#[test]
fn a_run_appears_in_the_service_once_the_variables_of_the_sdk_are_set() {
    let folder = tempfile::tempdir().unwrap();
    let (ports, store) = start_service(folder.path());
    let token = new_token(&*store, "web", TokenScope::Ingest);
    for (protocol, kind) in [("http/protobuf", "loop"), ("grpc", "healthy")] {
        ports.send(protocol, &format!("run-{kind}"), kind, folder.path(), &token).unwrap();
    }
    let run = |project: &str, run: &str| {
        store.run(&ServiceRunKey { project: project.to_owned(), run: run.to_owned() }).unwrap()
    };
    let looping = run("web", "run-loop").unwrap().figures;
    assert_eq!((looping.steps, looping.tokens), (18, 9 * 107));
    assert_ne!(looping.worst, RunVerdict::Clear);
    let healthy = run("web", "run-healthy").unwrap().figures;
    assert_eq!((healthy.steps, healthy.worst), (18, RunVerdict::Clear));
    assert!(run("default", "run-loop").is_none(), "the token is one of another project");

    let reader = new_token(&*store, "web", TokenScope::Read);
    for protocol in ["http/protobuf", "grpc"] {
        assert!(ports.send(protocol, "run-read", "loop", folder.path(), &reader).is_err(), "{protocol}");
    }
    assert!(run("web", "run-read").is_none());
}
