//! `loopbreak play --endpoint https://…`: a model behind TLS, and its certificates.

#![cfg(all(unix, feature = "https"))]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use crate::server::{ModelServer, ServerReply};
use crate::support::agents::LONG;
use crate::support::{FinishedProgram, folder, loopbreak};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

const KEY: &str = "sk-proj-0123456789abcdefghijKLMNOP";

/// A TLS proxy in front of a server.
pub(crate) struct TlsEndpoint {
    pub(crate) base: String,
    /// The certificate of its authority, in PEM.
    pub(crate) authority: String,
}

impl TlsEndpoint {
    /// Starts a proxy with a certificate for this name.
    fn start(server: &ModelServer, name: &str) -> Self {
        TlsEndpoint::before(server.base.trim_start_matches("http://").trim_end_matches("/v1"), name)
    }

    /// Does the same in front of the server at an address.
    pub(crate) fn before(behind: &str, name: &str) -> Self {
        let own = KeyPair::generate().unwrap();
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = authority.self_signed(&own).unwrap();
        let key = KeyPair::generate().unwrap();
        let shown = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let shown = shown.signed_by(&key, &authority, &own).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![shown.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
        let behind = behind.to_owned();
        thread::spawn(move || {
            for guest in listener.incoming() {
                let (config, behind) = (Arc::clone(&config), behind.clone());
                // A client that rejects the certificate disconnects.
                thread::spawn(move || forward(guest?, config, &behind));
            }
        });
        TlsEndpoint { base, authority: authority.pem() }
    }
}

/// Forwards one request and its answer.
fn forward(guest: TcpStream, config: Arc<ServerConfig>, behind: &str) -> std::io::Result<()> {
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut guest = StreamOwned::new(connection, guest);
    let mut request = Vec::new();
    while !is_complete_document(&request) {
        let mut buffer = [0; 4096];
        let count = guest.read(&mut buffer)?;
        request.extend_from_slice(&buffer[..count]);
        if count == 0 {
            return Ok(());
        }
    }
    let mut server = TcpStream::connect(behind)?;
    // Its end is the end of the answer.
    let line = request.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (line, rest) = request.split_at(line);
    server.write_all(&[line, b"Connection: close\r\n", rest].concat())?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    guest.write_all(&answer)?;
    guest.conn.send_close_notify();
    guest.flush()
}

fn is_complete_document(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    length.is_some_and(|length| body.len() >= length.trim().parse().unwrap())
}

fn play(folder: &Path, args: &[&str]) -> FinishedProgram {
    crate::support::done(
        loopbreak(folder)
            .env("LOOPBREAK_API_KEY", KEY)
            .timeout(LONG)
            .args(["play", "--model", "m", "--retries", "0", "--max-turns", "2"])
            .args(args),
    )
}

#[test]
fn a_model_behind_tls_plays_and_judges_if_its_authority_is_trusted() {
    let folder = folder();
    let judges =
        |request: &crate::server::ServerRequest| request.body.to_string().contains("The player proposes");
    let server = ModelServer::new(move |_, request| {
        ServerReply::says(if judges(request) { "{\"score\": 0.9}" } else { "{\"action\": \"north\"}" })
    });
    let door = TlsEndpoint::start(&server, "localhost");
    fs::write(folder.path().join("ca.pem"), &door.authority).unwrap();
    let args = ["--endpoint", &door.base, "--ca-file", "ca.pem", "--critic", "endpoint"];
    let done = play(folder.path(), &args);
    assert_eq!((done.code, done.err.as_str()), (Some(11), ""), "{}", done.out);
    assert!(done.out.contains("turn 1: north (worth 0.90, critic 0.90)"), "{}", done.out);
    let requests = server.requests();
    assert!(requests.len() >= 4 && requests.iter().all(|one| one.head.contains(&format!("Bearer {KEY}"))));
}

#[test]
fn an_untrusted_server_receives_neither_the_key_nor_a_request() {
    let folder = folder();
    let server = ModelServer::script(vec![ServerReply::says("north")]);
    let (unknown, other) =
        (TlsEndpoint::start(&server, "localhost"), TlsEndpoint::start(&server, "other.example"));
    fs::write(folder.path().join("ca.pem"), &other.authority).unwrap();
    for (args, why) in [
        (&["--endpoint", unknown.base.as_str()][..], "its certificate is not signed by a trusted authority"),
        // The two authorities have the same name but different keys.
        (&["--endpoint", &unknown.base, "--ca-file", "ca.pem"], "its certificate is invalid"),
        (&["--endpoint", &other.base, "--ca-file", "ca.pem"], "its certificate is for another name"),
    ] {
        let done = play(folder.path(), args);
        assert_eq!(done.code, Some(12), "{args:?}: {}{}", done.out, done.err);
        assert!(done.out.contains(why), "{args:?}: {}", done.out);
        // There is no retry.
        assert!(done.out.contains("(denied, 1 in a row)"), "{args:?}: {}", done.out);
    }
    assert!(server.requests().is_empty());
}

#[test]
fn a_file_without_certificates_is_refused_before_any_request() {
    let folder = folder();
    fs::write(folder.path().join("notes.txt"), "no certificates here\n").unwrap();
    let broken = "-----BEGIN CERTIFICATE-----\nnot base64!\n-----END CERTIFICATE-----\n";
    fs::write(folder.path().join("broken.pem"), broken).unwrap();
    for (file, why) in [
        ("notes.txt", "the file contains no certificate"),
        ("broken.pem", "invalid PEM"),
        ("missing.pem", "No such file"),
    ] {
        let done = play(folder.path(), &["--endpoint", "https://localhost:1/v1", "--ca-file", file]);
        assert_eq!((done.code, done.out.as_str()), (Some(2), ""), "{}", done.err);
        assert!(done.err.contains(&format!("--ca-file {file}: ")) && done.err.contains(why), "{}", done.err);
    }
}
