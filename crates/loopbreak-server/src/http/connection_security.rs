//! The layer below the protocol of a port: plain, or TLS.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(feature = "tls")]
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

#[cfg(feature = "tls")]
use super::tls_identity::TlsIdentity;

/// First byte of a TLS connection: the kind of its first record.
#[cfg(feature = "tls")]
const HANDSHAKE: u8 = 22;
/// Number of bytes of a plain request that are read before it is refused. Closing a connection with unread bytes would take the
/// answer back.
#[cfg(feature = "tls")]
const READ_BYTES: usize = 16 * 1024;
/// Answer to a client that speaks plain HTTP to a port with TLS.
#[cfg(feature = "tls")]
const WRONG_SCHEME: &str = concat!(
    r#"{"error":{"code":"tls_required","message":"This port speaks TLS","#,
    r#""hint":"Use an address that begins with https://"}}"#
);

/// The bytes of a connection, after TLS if there is one.
pub(crate) trait ByteChannel: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteChannel for T {}

/// The layer between a connection and its protocol.
#[derive(Clone)]
pub(crate) enum ConnectionSecurity {
    Plain,
    #[cfg(feature = "tls")]
    Tls(tokio_rustls::TlsAcceptor),
}

impl ConnectionSecurity {
    /// Creates the layer of a port on which a protocol is spoken, with its name in ALPN.
    #[cfg(feature = "tls")]
    pub(crate) fn tls(identity: &TlsIdentity, protocol: &[u8]) -> Result<Self, rustls::Error> {
        Ok(ConnectionSecurity::Tls(identity.server_config(protocol)?.into()))
    }

    /// Returns whether connections are encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        !matches!(self, ConnectionSecurity::Plain)
    }

    /// Opens a connection, which takes as long as its client wants. A client that does not speak TLS where it should is told
    /// so.
    pub(super) async fn open(&self, stream: TcpStream) -> io::Result<Box<dyn ByteChannel>> {
        match self {
            ConnectionSecurity::Plain => Ok(Box::new(stream)),
            #[cfg(feature = "tls")]
            ConnectionSecurity::Tls(acceptor) => {
                let mut first = [0];
                let count = stream.peek(&mut first).await?;
                if count == 1 && first[0] != HANDSHAKE {
                    refuse_plain(stream, first[0]).await?;
                    return Err(io::ErrorKind::InvalidData.into());
                }
                Ok(Box::new(acceptor.accept(stream).await?))
            }
        }
    }
}

/// Answers a plain request. What is not HTTP is closed.
#[cfg(feature = "tls")]
async fn refuse_plain(mut stream: TcpStream, first: u8) -> io::Result<()> {
    if !first.is_ascii_uppercase() {
        return Ok(());
    }
    let mut request = vec![0; READ_BYTES];
    let _ = stream.read(&mut request).await?;
    let length = WRONG_SCHEME.len();
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{WRONG_SCHEME}"
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}
