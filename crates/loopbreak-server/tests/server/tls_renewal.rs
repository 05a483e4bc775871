//! The service takes certificates that were renewed on the disk.

#![cfg(feature = "tls")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loopbreak::Settings;
use loopbreak_server::service::{ServiceOptions, TlsFiles, serve_service};
use loopbreak_store::service::{ServiceStoreUrl, open_service_store};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

static REPORTS: AtomicUsize = AtomicUsize::new(0);

/// Writes a certificate that is its own authority, and returns it.
fn write_certificate(folder: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    // The key comes first: until its certificate is there too, they do not fit together.
    let key = folder.join("key.pem");
    fs::write(&key, made.key_pair.serialize_pem()).unwrap();
    #[cfg(unix)]
    fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
    made.cert.der().clone()
}

/// Asks for the health of a server, as a client that trusts only this certificate.
fn is_healthy(address: SocketAddr, trusted: &CertificateDer<'static>) -> bool {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let client = ClientConnection::new(config, "localhost".try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(address).unwrap());
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut answer = String::new();
    stream.write_all(request).is_ok() && {
        let _ = stream.read_to_string(&mut answer);
        answer.starts_with("HTTP/1.1 200")
    }
}

#[test]
fn a_certificate_that_changes_on_the_disk_is_used_soon() {
    let folder = tempfile::tempdir().unwrap();
    let old = write_certificate(folder.path());
    let store = open_service_store(&ServiceStoreUrl::from(folder.path().join("s.db").as_path()), 0).unwrap();
    let mut files = TlsFiles::new(folder.path().join("cert.pem"), folder.path().join("key.pem"), |_| {
        REPORTS.fetch_add(1, Ordering::Relaxed);
    });
    files.look_time = Duration::from_millis(50);
    let mut options = ServiceOptions::new("127.0.0.1:0".parse().unwrap(), store, Settings::default());
    options.tls = Some(files);
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || serve_service(options, |started| tell.send(started.address).unwrap()));
    let address = told.recv().unwrap();
    assert!(is_healthy(address, &old));
    let new = write_certificate(folder.path());
    let is_renewed = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        is_healthy(address, &new)
    });
    assert!(is_renewed && !is_healthy(address, &old));
    // Once that they do not fit together, and once that they do; and not with each look.
    assert_eq!(REPORTS.load(Ordering::Relaxed), 2);
}
