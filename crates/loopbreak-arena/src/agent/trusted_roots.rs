//! The certificates that an `https://` endpoint is checked against.

use ureq::config::ConfigBuilder;
use ureq::typestate::AgentScope;

#[cfg(feature = "https")]
mod system {
    use std::sync::Arc;

    use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

    use super::{AgentScope, ConfigBuilder};

    /// Trusted certificates; without any, the well-known ones.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct TrustedRoots(Option<Arc<Vec<Certificate<'static>>>>);

    impl TrustedRoots {
        /// Reads the certificates of a PEM text. Keys and other items in it are ignored.
        pub(crate) fn read(pem: &str) -> Result<Self, String> {
            let mut certificates = Vec::new();
            for item in parse_pem(pem.as_bytes()) {
                // Messages of the library may contain what it read, possibly a key.
                let item = item.map_err(|_| "invalid PEM".to_owned())?;
                if let PemItem::Certificate(certificate) = item {
                    certificates.push(certificate);
                }
            }
            if certificates.is_empty() {
                return Err("the file contains no certificate".to_owned());
            }
            Ok(TrustedRoots(Some(Arc::new(certificates))))
        }

        pub(crate) fn apply(&self, config: ConfigBuilder<AgentScope>) -> ConfigBuilder<AgentScope> {
            match &self.0 {
                None => config,
                Some(certificates) => {
                    let roots = RootCerts::Specific(Arc::clone(certificates));
                    config.tls_config(TlsConfig::builder().root_certs(roots).build())
                }
            }
        }
    }
}

#[cfg(not(feature = "https"))]
mod system {
    use super::{AgentScope, ConfigBuilder};

    /// A build without `https://` needs no certificates.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct TrustedRoots {}

    impl TrustedRoots {
        pub(crate) fn read(_: &str) -> Result<Self, String> {
            Err("this build does not support https:// addresses".to_owned())
        }

        #[expect(clippy::unused_self, reason = "the build with https uses it")]
        pub(crate) fn apply(&self, config: ConfigBuilder<AgentScope>) -> ConfigBuilder<AgentScope> {
            config
        }
    }
}

pub(super) use system::TrustedRoots;
