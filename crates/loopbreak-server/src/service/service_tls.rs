//! The certificate that the ports of the service show.

use std::net::SocketAddr;

use crate::http::{BoundPort, ConnectionSecurity, TlsFiles};
use crate::mcp::ServeError;

/// Certificate of the service, or none.
pub(super) struct ServiceTls {
    #[cfg(feature = "tls")]
    current: Option<(crate::http::TlsIdentity, TlsFiles)>,
}

impl ServiceTls {
    /// Reads the certificate, if there is to be one.
    pub(super) fn read(files: Option<TlsFiles>) -> Result<Self, ServeError> {
        #[cfg(feature = "tls")]
        {
            let read =
                files.map(|files| Ok::<_, ServeError>((crate::http::TlsIdentity::read(&files)?, files)));
            Ok(ServiceTls { current: read.transpose()? })
        }
        #[cfg(not(feature = "tls"))]
        match files {
            Some(_) => Err(crate::http::TlsError::NotBuilt.into()),
            None => Ok(ServiceTls {}),
        }
    }

    /// Takes a port on which a protocol is spoken, with its name in ALPN.
    pub(super) async fn bind(&self, address: SocketAddr, protocol: &[u8]) -> Result<BoundPort, ServeError> {
        let failed = |error| ServeError::Listen { address, error };
        let security = self.security(protocol).map_err(failed)?;
        BoundPort::bind(address, security).await.map_err(failed)
    }

    #[cfg(feature = "tls")]
    fn security(&self, protocol: &[u8]) -> std::io::Result<ConnectionSecurity> {
        let Some((identity, _)) = &self.current else { return Ok(ConnectionSecurity::Plain) };
        ConnectionSecurity::tls(identity, protocol).map_err(std::io::Error::other)
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same with TLS")]
    fn security(&self, _: &[u8]) -> std::io::Result<ConnectionSecurity> {
        Ok(ConnectionSecurity::Plain)
    }

    /// Takes renewed certificates into use, for ever. From this call on, `SIGHUP` does not end a server with TLS.
    #[cfg(feature = "tls")]
    pub(super) fn renew(self) -> impl Future<Output = std::convert::Infallible> {
        let renewal = self.current.map(|(identity, files)| crate::http::TlsRenewal::new(identity, files));
        async {
            match renewal {
                Some(renewal) => renewal.run().await,
                None => std::future::pending().await,
            }
        }
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unused_self, reason = "the same with TLS")]
    pub(super) fn renew(self) -> impl Future<Output = std::convert::Infallible> {
        std::future::pending()
    }
}
