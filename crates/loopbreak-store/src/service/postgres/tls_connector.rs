//! Encryption of connections to the database.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::postgres_session::with_causes;
use crate::StoreError;

/// Makes encrypted connections. The certificate of the server is always verified.
pub(super) type TlsConnector = MakeRustlsConnect;

/// Returns a connector that trusts the authorities of a file of certificates, or else the public ones.
pub(super) fn tls_connector(authorities: Option<&Path>) -> Result<TlsConnector, StoreError> {
    let mut roots = RootCertStore::empty();
    match authorities {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let unusable = |reason: &dyn std::error::Error| {
                let reason = with_causes(reason);
                StoreError::Unavailable(format!(
                    "cannot use the certificates in {}: {reason}",
                    path.display()
                ))
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unusable(&error))? {
                let certificate = certificate.map_err(|error| unusable(&error))?;
                roots.add(certificate).map_err(|error| unusable(&error))?;
            }
            if roots.is_empty() {
                let text = format!("{} has no certificate", path.display());
                return Err(StoreError::Unavailable(text));
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Unavailable(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
