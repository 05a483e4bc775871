//! The certificates that a service is checked against.

use std::path::Path;

use ureq::config::ConfigBuilder;
use ureq::typestate::AgentScope;

/// Largest file with certificates, in bytes.
#[cfg(feature = "https")]
const FILE_BYTES: u64 = 1024 * 1024;

#[cfg(feature = "https")]
mod tls {
    use std::io::Read as _;
    use std::path::Path;
    use std::sync::Arc;

    use loopbreak_store::open_regular_file;
    use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

    use super::{AgentScope, ConfigBuilder, FILE_BYTES};

    pub(super) fn apply(
        config: ConfigBuilder<AgentScope>,
        file: &Path,
    ) -> Result<ConfigBuilder<AgentScope>, String> {
        let mut pem = Vec::new();
        open_regular_file(file)
            .and_then(|file| file.take(FILE_BYTES).read_to_end(&mut pem))
            .map_err(|error| format!("cannot read the certificates in {}: {error}", file.display()))?;
        let mut certificates: Vec<Certificate<'static>> = Vec::new();
        for item in parse_pem(&pem) {
            // Messages of the library may contain what it read, possibly a key.
            let item = item.map_err(|_| format!("invalid PEM in {}", file.display()))?;
            if let PemItem::Certificate(certificate) = item {
                certificates.push(certificate);
            }
        }
        if certificates.is_empty() {
            return Err(format!("{} contains no certificate", file.display()));
        }
        let roots = RootCerts::Specific(Arc::new(certificates));
        Ok(config.tls_config(TlsConfig::builder().root_certs(roots).build()))
    }
}

/// Trusts only the certificates of a file. Returns a message if that fails.
pub(crate) fn trust_only(
    config: ConfigBuilder<AgentScope>,
    file: &Path,
) -> Result<ConfigBuilder<AgentScope>, String> {
    #[cfg(feature = "https")]
    return tls::apply(config, file);
    #[cfg(not(feature = "https"))]
    {
        let _ = (config, file);
        Err("this build does not support https:// addresses".to_owned())
    }
}
