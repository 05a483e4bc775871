//! `loopbreak serve --tls-cert`: TLS of the service, with real clients.

#![cfg(all(unix, feature = "tls"))]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair, date_time_ymd};

use crate::support::folder;
use crate::support::served_api::{ServedApi, api_command};
use crate::support::served_mcp::read_answer;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A certificate and its key in a folder, and the authority that clients have to trust.
struct TestCertificate {
    certificate: PathBuf,
    key: PathBuf,
    authority: PathBuf,
}

/// Answer that `curl` printed.
#[derive(Debug)]
struct CurlAnswer {
    code: Option<i32>,
    out: String,
}

impl TestCertificate {
    /// Makes a certificate for `localhost` from a new authority, which ends in this year. Replaces the one that is in the folder.
    fn write(folder: &Path, last_year: i32) -> Self {
        let own = KeyPair::generate().unwrap();
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        // A certificate with the name of its issuer would pass for one without an issuer.
        authority.distinguished_name.push(DnType::CommonName, "Test Authority");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = authority.self_signed(&own).unwrap();
        let key = KeyPair::generate().unwrap();
        let mut shown = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        shown.distinguished_name.push(DnType::CommonName, "localhost");
        shown.not_before = date_time_ymd(2020, 1, 1);
        shown.not_after = date_time_ymd(last_year, 1, 1);
        let shown = shown.signed_by(&key, &authority, &own).unwrap();
        let made = TestCertificate {
            certificate: folder.join("cert.pem"),
            key: folder.join("key.pem"),
            authority: folder.join("authority.pem"),
        };
        fs::write(&made.certificate, shown.pem()).unwrap();
        fs::write(&made.authority, authority.pem()).unwrap();
        fs::write(&made.key, key.serialize_pem()).unwrap();
        fs::set_permissions(&made.key, fs::Permissions::from_mode(0o600)).unwrap();
        made
    }

    fn start(&self, folder: &Path, args: &[&str]) -> ServedApi {
        let (certificate, key) = (self.certificate.to_str().unwrap(), self.key.to_str().unwrap());
        let own = ["--tls-cert", certificate, "--tls-key", key, "--allow-host", "localhost"];
        let args: Vec<&str> = own.into_iter().chain(args.iter().copied()).collect();
        ServedApi::start_with(folder, &args, &[("LOOPBREAK_TOKEN", TOKEN)])
    }

    /// Asks a server whose certificate has to be this one.
    fn curl(&self, server: &ServedApi, path: &str, args: &[&str]) -> CurlAnswer {
        let output = Command::new("curl")
            .args(["--silent", "--include", "--max-time", "60", "--cacert"])
            .arg(&self.authority)
            .args(["--header", &format!("Authorization: Bearer {TOKEN}")])
            .args(args)
            .arg(format!("https://{}{path}", server.address))
            .output()
            .unwrap();
        CurlAnswer { code: output.status.code(), out: String::from_utf8_lossy(&output.stdout).to_lowercase() }
    }

    /// Returns whether the client ends the handshake, because it does not trust the certificate.
    fn is_refused(&self, server: &ServedApi) -> bool {
        matches!(self.curl(server, "/healthz", &[]).code, Some(35 | 60))
    }

    fn is_answered(&self, server: &ServedApi) -> bool {
        let answer = self.curl(server, "/v1/runs", &[]);
        answer.code == Some(0) && answer.out.starts_with("http/1.1 200")
    }
}

fn connect(server: &ServedApi) -> TcpStream {
    let stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    stream
}

#[test]
fn clients_with_tls_are_served_and_others_are_told_so() {
    let home = folder();
    let certificate = TestCertificate::write(home.path(), 2999);
    let server = certificate.start(home.path(), &[]);
    assert!(server.address.starts_with("localhost:"), "{}", server.address);
    let step = r#"{"run":"r","action":"make","outcome":"x"}"#;
    let kind = "Content-Type: application/json";
    for version in ["--tlsv1.3", "--tls-max"] {
        let limit = if version == "--tls-max" { vec![version, "1.2"] } else { vec![version] };
        let args: Vec<&str> = limit.into_iter().chain(["--header", kind, "--data", step]).collect();
        let answer = certificate.curl(&server, "/v1/steps", &args);
        assert!(answer.out.contains("\"verdict\":\"clear\""), "{version}: {answer:?}");
    }
    // A client that offers HTTP/2 too gets HTTP/1.1, and a page of the same host without TLS is another origin.
    assert!(certificate.curl(&server, "/healthz", &["--http2"]).out.starts_with("http/1.1 200"));
    for (scheme, status) in [("https", "200"), ("http", "403")] {
        let origin = format!("Origin: {scheme}://{}", server.address);
        let answer = certificate.curl(&server, "/v1/runs", &["--header", &origin]);
        assert!(answer.out.starts_with(&format!("http/1.1 {status}")), "{scheme}: {answer:?}");
    }
    // Plain HTTP.
    let mut plain = connect(&server);
    plain.write_all(b"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let answer = read_answer(&mut plain);
    assert!(answer.status == 400 && answer.body.contains("tls_required"), "{answer:?}");
    // Something else, and a client that leaves.
    for bytes in [&b"\0\0\0\0"[..], b"\x16\x03\x01\xff\xff\xff\xff", b"", b"SSH-2.0-x\r\n"] {
        let mut stream = connect(&server);
        let _ = stream.write_all(bytes);
        // The server may have closed it already.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(!String::from_utf8_lossy(&rest).contains(" 200 "), "{rest:?}");
    }
    assert!(certificate.is_answered(&server));
}

#[test]
fn a_client_refuses_a_certificate_that_is_foreign_or_expired() {
    let (home, other) = (folder(), folder());
    let certificate = TestCertificate::write(home.path(), 2999);
    let foreign = TestCertificate::write(other.path(), 2999);
    let server = certificate.start(home.path(), &[]);
    assert!(foreign.is_refused(&server) && certificate.is_answered(&server));
    let expired = TestCertificate::write(other.path(), 2021);
    let server = expired.start(other.path(), &[]);
    assert!(expired.is_refused(&server));
    assert_eq!(expired.curl(&server, "/healthz", &["--insecure"]).code, Some(0), "only the date is wrong");
}

/// More connections than the server may have say nothing, or stop in the middle of the handshake.
#[test]
fn handshakes_that_do_not_end_keep_nobody_out_and_are_given_up() {
    let home = folder();
    let certificate = TestCertificate::write(home.path(), 2999);
    let server = certificate.start(home.path(), &["--otlp-grpc", "127.0.0.1:0"]);
    // With a limit of open files, there is place for fewer connections than are opened here.
    let limited = Command::new("prlimit")
        .args(["--pid", &server.process.id().to_string(), "--nofile=256:256"])
        .status()
        .unwrap();
    assert!(limited.success());
    let started = Instant::now();
    let mut half_open: Vec<TcpStream> = (0..150)
        .map(|number| {
            let mut stream = connect(&server);
            // The first bytes of a record that never ends.
            if number % 2 == 0 {
                stream.write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").unwrap();
            }
            stream
        })
        .collect();
    assert!(certificate.is_answered(&server));
    assert!(started.elapsed() < Duration::from_secs(9), "they were still open: {:?}", started.elapsed());
    let mut byte = [0; 64];
    for stream in &mut half_open {
        // An alert may come first.
        while !matches!(stream.read(&mut byte), Ok(0) | Err(_)) {}
    }
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
    assert!(certificate.is_answered(&server));
}

/// Asks the server to read its files again, and returns what it says.
fn hang_up(server: &mut ServedApi) -> String {
    let sent = Command::new("kill").args(["-HUP", &server.process.id().to_string()]).status();
    assert!(sent.unwrap().success());
    server.next_line()
}

#[test]
fn renewed_certificates_are_taken_without_a_restart() {
    let home = folder();
    let old = TestCertificate::write(home.path(), 2999);
    let mut server = old.start(home.path(), &[]);
    server.next_line();
    assert!(hang_up(&mut server).contains("the certificate was read again from"));
    fs::write(&old.certificate, "nothing").unwrap();
    let said = hang_up(&mut server);
    assert!(said.contains("cert.pem has no certificate; the previous certificate stays in use"), "{said}");
    let kept = home.path().join("old-authority.pem");
    fs::rename(&old.authority, &kept).unwrap();
    let old = TestCertificate { authority: kept, ..old };
    let new = TestCertificate::write(home.path(), 2999);
    assert!(old.is_answered(&server) && new.is_refused(&server), "nothing has happened yet");
    let said = hang_up(&mut server);
    assert!(said.contains("read again"), "{said}");
    assert!(old.is_refused(&server) && new.is_answered(&server));
}

#[test]
fn files_that_cannot_be_used_are_named_with_what_to_do() {
    let home = folder();
    let made = TestCertificate::write(home.path(), 2999);
    let other = folder();
    let another = TestCertificate::write(other.path(), 2999);
    let missing = home.path().join("none.pem");
    let encrypted = home.path().join("encrypted.pem");
    fs::write(
        &encrypted,
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    )
    .unwrap();
    fs::set_permissions(&encrypted, fs::Permissions::from_mode(0o600)).unwrap();
    let exposed = home.path().join("exposed.pem");
    fs::copy(&made.key, &exposed).unwrap();
    fs::set_permissions(&exposed, fs::Permissions::from_mode(0o644)).unwrap();
    let broken = home.path().join("broken.pem");
    fs::write(&broken, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
    let cut = home.path().join("cut.pem");
    fs::write(&cut, "-----BEGIN CERTIFICATE-----\nAAAA\n").unwrap();
    for (certificate, key, message, hint) in [
        (&missing, &made.key, "cannot read", "PEM files"),
        (&made.certificate, &missing, "none.pem", "PEM files"),
        (&home.path().to_owned(), &made.key, "cannot read", "PEM files"),
        (&PathBuf::from("/dev/zero"), &made.key, "more than", "BEGIN CERTIFICATE"),
        (&made.key, &made.key, "has no certificate", "fullchain.pem"),
        (&made.certificate, &made.certificate, "mode 0644", "chmod 600"),
        (&made.certificate, &exposed, "other users can read or write the key file", "chmod 600"),
        (&made.certificate, &encrypted, "is encrypted", "openssl pkey"),
        (&made.certificate, &another.key, "is not that of the first certificate", "openssl x509"),
        (&broken, &made.key, "cannot use", "RSA"),
        (&cut, &made.key, "not a valid PEM file", "BEGIN CERTIFICATE"),
    ] {
        let output = api_command(home.path(), "serve")
            .args(["--http", "127.0.0.1:0", "--tls-cert"])
            .arg(certificate)
            .arg("--tls-key")
            .arg(key)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(message) && said.contains(hint), "{message}: {said}");
    }
    let output = api_command(home.path(), "serve").arg("--tls-cert").arg(&made.certificate).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a certificate needs its key: {output:?}");
}

#[test]
fn an_address_beyond_this_machine_is_allowed_with_a_certificate_and_a_token() {
    let home = folder();
    let certificate = TestCertificate::write(home.path(), 2999);
    let server = certificate.start(home.path(), &["--http", "0.0.0.0:0"]);
    assert!(certificate.is_answered(&server));
    drop(server);
    let (shown, key) = (certificate.certificate.to_str().unwrap(), certificate.key.to_str().unwrap());
    for more in [&[][..], &["--no-token"]] {
        let output = api_command(home.path(), "serve")
            .args(["--http", "0.0.0.0:0", "--tls-cert", shown, "--tls-key", key])
            .args(more)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains("a token is required"), "{said}");
    }
}

#[test]
fn the_cookie_of_the_dashboard_is_only_sent_over_tls() {
    let home = folder();
    let certificate = TestCertificate::write(home.path(), 2999);
    let bin = home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let (program, opened) = (bin.join("xdg-open"), home.path().join("opened"));
    let script = format!("#!/bin/sh\ncp \"$1\" {0}.part && mv {0}.part {0}\n", opened.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    let (shown, key) = (certificate.certificate.to_str().unwrap(), certificate.key.to_str().unwrap());
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let variables = [
        ("PATH", path.as_str()),
        ("DISPLAY", ":0"),
        ("TMPDIR", home.path().to_str().unwrap()),
        ("LOOPBREAK_TOKEN", TOKEN),
    ];
    let args = ["--open", "--tls-cert", shown, "--tls-key", key, "--allow-host", "localhost"];
    let server = ServedApi::start_with(home.path(), &args, &variables);
    let page = (0..200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        fs::read_to_string(&opened).ok()
    });
    let page = page.unwrap();
    let url = page.split("url=").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let own = format!("https://{}", server.address);
    let path = url.strip_prefix(&own).unwrap_or_else(|| panic!("{url}"));
    let entered = certificate.curl(&server, path, &[]);
    let cookie = entered.out.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    assert!(cookie.is_some_and(|cookie| cookie.ends_with("; secure")), "{entered:?}");
    assert!(!entered.out.contains("strict-transport-security"), "it would bind all ports of the host");
}

/// The SDK of OpenTelemetry sends a run over each protocol.
#[test]
fn telemetry_is_taken_over_tls() {
    let home = folder();
    let certificate = TestCertificate::write(home.path(), 2999);
    let mut server = certificate.start(home.path(), &["--otlp-grpc", "127.0.0.1:0"]);
    server.next_line();
    let line = server.next_line();
    let calls = line.split("gRPC at ").nth(1).unwrap_or_else(|| panic!("{line}")).trim().to_owned();
    assert!(calls.starts_with("https://localhost:"), "{calls}");
    let python = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("venvs/telemetry/bin/python");
    assert!(python.is_file(), "{} is missing: `cargo xtask setup` installs it", python.display());
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../loopbreak-server/tests/server/telemetry_client.py");
    let http = format!("https://{}", server.address);
    for (protocol, url) in [("grpc", &calls), ("http/protobuf", &http)] {
        let run = format!("run-{}", &protocol[..4]);
        let output = Command::new(&python)
            .arg(&script)
            .args([protocol, &run, "loop"])
            .arg(home.path().join("sent.jsonl"))
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", url)
            .env("OTEL_EXPORTER_OTLP_CERTIFICATE", &certificate.authority)
            .env("OTEL_EXPORTER_OTLP_HEADERS", format!("authorization=Bearer%20{TOKEN}"))
            .env("OTEL_EXPORTER_OTLP_TIMEOUT", "20")
            .env("NO_PROXY", "localhost")
            .env_remove("REQUESTS_CA_BUNDLE")
            .env_remove("CURL_CA_BUNDLE")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "sent", "{protocol}: {output:?}");
        let answer = certificate.curl(&server, &format!("/v1/runs/{run}"), &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(answer.out.contains("\"steps\":18"), "{protocol}: {answer:?}\n{said}");
    }
}
