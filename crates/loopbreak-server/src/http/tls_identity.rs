//! The certificate and key that a server shows, which can be renewed while it runs.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{Error, InconsistentKeys, ServerConfig};

use super::tls_files::{TlsError, TlsFiles};

/// Largest file that is read, in bytes. Chains of certificates have some kilobytes.
const FILE_BYTES: u64 = 1024 * 1024;

/// The certificate of a server. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct TlsIdentity {
    provider: Arc<CryptoProvider>,
    current: Arc<RwLock<Arc<CertifiedKey>>>,
}

impl TlsIdentity {
    /// Reads the files.
    pub(crate) fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let current = Arc::new(read_files(files, &provider)?);
        Ok(TlsIdentity { provider, current: Arc::new(RwLock::new(current)) })
    }

    /// Reads the files again. If that fails, the certificate stays. Connections that are open keep theirs.
    pub(super) fn renew(&self, files: &TlsFiles) -> Result<(), TlsError> {
        let renewed = Arc::new(read_files(files, &self.provider)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = renewed;
        Ok(())
    }

    /// Returns the settings of a port on which a protocol is spoken, with its name in ALPN.
    pub(super) fn server_config(&self, protocol: &[u8]) -> Result<Arc<ServerConfig>, Error> {
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(self.clone()));
        config.alpn_protocols = vec![protocol.to_vec()];
        Ok(Arc::new(config))
    }
}

impl ResolvesServerCert for TlsIdentity {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn read_files(files: &TlsFiles, provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
    let (certificate, key) = (files.certificate.as_path(), files.key.as_path());
    let chain = read_chain(certificate)?;
    let unusable =
        |path: &Path, error: &Error| TlsError::Unusable { path: path.to_owned(), reason: error.to_string() };
    let signer = provider.key_provider.load_private_key(read_key(key)?);
    let signer = signer.map_err(|error| unusable(key, &error))?;
    let pair = CertifiedKey::new(chain, signer);
    match pair.keys_match() {
        Ok(()) | Err(Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(pair),
        Err(Error::InconsistentKeys(_)) => {
            Err(TlsError::Mismatch { certificate: certificate.to_owned(), key: key.to_owned() })
        }
        Err(error) => Err(unusable(certificate, &error)),
    }
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read_bounded(File::open(path), path)?;
    let chain = CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| not_pem(path, &error))?;
    if chain.is_empty() { Err(TlsError::NoCertificate { path: path.to_owned() }) } else { Ok(chain) }
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let file = File::open(path);
    #[cfg(unix)]
    if let Ok(file) = &file {
        check_private(file, path)?;
    }
    let text = read_bounded(file, path)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
        PemError::NoItemsFound if is_encrypted(&text) => TlsError::EncryptedKey { path: path.to_owned() },
        PemError::NoItemsFound => TlsError::NoKey { path: path.to_owned() },
        _ => not_pem(path, &error),
    })
}

fn is_encrypted(text: &[u8]) -> bool {
    let has = |mark: &[u8]| text.windows(mark.len()).any(|part| part == mark);
    has(b"ENCRYPTED PRIVATE KEY") || has(b"Proc-Type: 4,ENCRYPTED")
}

/// Refuses a key that others may know, as `ssh` and PostgreSQL do. A key of root may be readable for a group, by which the
/// system shares it with servers.
#[cfg(unix)]
fn check_private(file: &File, path: &Path) -> Result<(), TlsError> {
    use std::os::unix::fs::MetadataExt as _;

    let Ok(metadata) = file.metadata() else { return Ok(()) };
    let refused = if metadata.uid() == 0 { 0o027 } else { 0o077 };
    let mode = metadata.mode() & 0o777;
    // A pipe, as of `<(…)`, has no permissions that say anything.
    if metadata.is_file() && mode & refused != 0 {
        return Err(TlsError::ExposedKey { path: path.to_owned(), mode });
    }
    Ok(())
}

fn read_bounded(file: std::io::Result<File>, path: &Path) -> Result<Vec<u8>, TlsError> {
    let mut text = Vec::new();
    let read = file.and_then(|file| file.take(FILE_BYTES + 1).read_to_end(&mut text));
    read.map_err(|error| TlsError::Unreadable { path: path.to_owned(), error })?;
    if text.len() as u64 > FILE_BYTES {
        return Err(TlsError::TooLarge { path: path.to_owned(), limit: FILE_BYTES });
    }
    Ok(text)
}

fn not_pem(path: &Path, error: &PemError) -> TlsError {
    TlsError::NotPem { path: path.to_owned(), reason: error.to_string() }
}
