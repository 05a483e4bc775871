//! The files of TLS: the certificate of the server and its key.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Time between two looks whether a file has changed.
const LOOK_TIME: Duration = Duration::from_mins(1);

/// The files with which a server identifies itself.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// PEM file with the certificate of the server, and those of its issuers after it.
    pub certificate: PathBuf,
    /// PEM file with the private key of the certificate.
    pub key: PathBuf,
    /// Function that is told when changed files were taken into use, or could not be.
    pub report: fn(&str),
    /// Time between two looks whether a file has changed.
    pub look_time: Duration,
}

/// The reason why files of TLS cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// A file is too large for what it should be.
    #[error("{} has more than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Largest size, in bytes.
        limit: u64,
    },
    /// A file is not in the form of PEM.
    #[error("{} is not a valid PEM file: {reason}", path.display())]
    NotPem {
        /// The file.
        path: PathBuf,
        /// Description of the problem.
        reason: String,
    },
    /// A file has no certificate.
    #[error("{} has no certificate", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// A file has no private key.
    #[error("{} has no private key", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// The key needs a password.
    #[error("the key in {} is encrypted", path.display())]
    EncryptedKey {
        /// The file.
        path: PathBuf,
    },
    /// Other users may know the key.
    #[error("other users can read or write the key file {} (mode {mode:04o})", path.display())]
    ExposedKey {
        /// The file.
        path: PathBuf,
        /// Permissions of the file.
        mode: u32,
    },
    /// A certificate or key cannot be used.
    #[error("cannot use {}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Description of the problem.
        reason: String,
    },
    /// The key belongs to another certificate.
    #[error("the key in {} is not that of the first certificate in {}", key.display(), certificate.display())]
    Mismatch {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
    },
    /// The program cannot use TLS.
    #[error("this program was built without TLS")]
    NotBuilt,
}

impl TlsFiles {
    /// Names the files. Looks for changes once a minute.
    pub fn new(certificate: PathBuf, key: PathBuf, report: fn(&str)) -> Self {
        TlsFiles { certificate, key, report, look_time: LOOK_TIME }
    }
}

impl TlsError {
    /// Returns advice on how to fix it.
    pub fn hint(&self) -> String {
        match self {
            TlsError::Unreadable { .. } => {
                "--tls-cert and --tls-key name PEM files that the user of the server can read".to_owned()
            }
            TlsError::TooLarge { .. } | TlsError::NotPem { .. } => {
                "PEM files have lines such as `-----BEGIN CERTIFICATE-----`; \
                 `openssl x509 -inform der -in FILE` writes a binary certificate as PEM"
                    .to_owned()
            }
            TlsError::NoCertificate { .. } => {
                "--tls-cert names the certificate of the server, with those of its issuers after it, such as `fullchain.pem`"
                    .to_owned()
            }
            TlsError::NoKey { .. } => {
                "--tls-key names the private key of the certificate, such as `privkey.pem`".to_owned()
            }
            TlsError::EncryptedKey { path } => format!(
                "the server cannot ask for a password: `openssl pkey -in {} -out key.pem` writes the key without one",
                path.display()
            ),
            TlsError::ExposedKey { path, .. } => format!(
                "`chmod 600 {0}`; a key of root may be readable for a group (mode 0640)",
                path.display()
            ),
            TlsError::Unusable { .. } => {
                "keys of the kinds RSA (2048 bits or more), ECDSA (P-256, P-384) and Ed25519 can be used".to_owned()
            }
            TlsError::Mismatch { .. } => {
                "the certificate of the server has to be the first in its file; \
                 `openssl x509 -in CERT -noout -pubkey` and `openssl pkey -in KEY -pubout` print the same if they belong together"
                    .to_owned()
            }
            TlsError::NotBuilt => {
                "build it with the feature `tls`, or put a proxy with TLS in front of the server".to_owned()
            }
        }
    }
}
