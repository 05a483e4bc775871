//! Whom an endpoint with `https://` has to be vouched for by.

use ureq::config::ConfigBuilder;
use ureq::typestate::AgentScope;

#[cfg(feature = "https")]
mod system {
    use std::sync::Arc;

    use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

    use super::{AgentScope, ConfigBuilder};

    /// Certificates to trust; the well-known ones where there are none.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct TrustedRoots(Option<Arc<Vec<Certificate<'static>>>>);

    impl TrustedRoots {
        /// Those in a text in PEM. Keys and the like beside them are passed over.
        pub(crate) fn read(pem: &str) -> Result<Self, String> {
            let mut certificates = Vec::new();
            for item in parse_pem(pem.as_bytes()) {
                // What the library says may hold what it read, and that may be a key.
                let item = item.map_err(|_| "this is no PEM, or a broken one".to_owned())?;
                if let PemItem::Certificate(certificate) = item {
                    certificates.push(certificate);
                }
            }
            if certificates.is_empty() {
                return Err("there is no certificate in it".to_owned());
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

    /// Nobody is asked over `https://` here.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct TrustedRoots {}

    impl TrustedRoots {
        pub(crate) fn read(_: &str) -> Result<Self, String> {
            Err("this build cannot ask https:// addresses".to_owned())
        }

        #[expect(clippy::unused_self, reason = "the other build has something to apply")]
        pub(crate) fn apply(&self, config: ConfigBuilder<AgentScope>) -> ConfigBuilder<AgentScope> {
            config
        }
    }
}

pub(super) use system::TrustedRoots;
