//! The address of a service.

use std::fmt;
use std::net::IpAddr;

use loopbreak::text::printable;
use ureq::http::Uri;

/// Longest address, in bytes.
const ADDRESS_BYTES: usize = 400;

/// The address of a service: `https://` or `http://`, a host, and possibly a port and a path in front of those of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// Without a slash at the end.
    url: String,
    is_loopback: bool,
    is_https: bool,
}

/// The reason why an address cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerAddressError {
    /// It is not the address of a service.
    #[error("{0:?} is not the address of a service: use one such as https://loops.example")]
    Invalid(String),
    /// It would send the token and the steps without encryption.
    #[error(
        "{0} would send the token and the steps without encryption: use https://, or set server.plain_http = true in your own configuration"
    )]
    Unencrypted(String),
    /// This build has no TLS.
    #[error("this build does not support https:// addresses")]
    NoTls,
}

impl ServerAddress {
    /// Reads an address. `plain_http` allows `http://` addresses of other machines.
    pub fn parse(text: &str, plain_http: bool) -> Result<Self, ServerAddressError> {
        let text = text.trim();
        let invalid = || ServerAddressError::Invalid(printable(loopbreak::text::clip(text, ADDRESS_BYTES)));
        if text.len() > ADDRESS_BYTES || !text.is_ascii() || text.contains(['@', '?', '#']) {
            return Err(invalid());
        }
        let uri: Uri = text.parse().map_err(|_| invalid())?;
        let (scheme, host) = uri.scheme_str().zip(uri.host()).ok_or_else(invalid)?;
        let is_https = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(invalid()),
        };
        if host.is_empty() {
            return Err(invalid());
        }
        let is_loopback = is_loopback(host);
        let url = text.trim_end_matches('/').to_owned();
        if !is_https && !is_loopback && !plain_http {
            return Err(ServerAddressError::Unencrypted(url));
        }
        if is_https && cfg!(not(feature = "https")) {
            return Err(ServerAddressError::NoTls);
        }
        Ok(ServerAddress { url, is_loopback, is_https })
    }

    /// Returns the address.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Returns whether the service is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Returns whether the connection is encrypted.
    pub(crate) fn is_https(&self) -> bool {
        self.is_https
    }

    /// Returns the address of a call.
    pub(crate) fn call(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}

/// Returns whether a host is this machine. Names other than `localhost` may lead anywhere.
fn is_loopback(host: &str) -> bool {
    let plain = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    plain.eq_ignore_ascii_case("localhost") || plain.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_unless_it_is_allowed() {
        for text in
            ["http://127.0.0.1:8723", "http://localhost:8723/", "http://[::1]:8723", "http://127.9.9.9"]
        {
            assert!(ServerAddress::parse(text, false).is_ok(), "{text}");
        }
        for text in ["http://loops.example", "http://10.0.0.1:80", "http://localhost.evil.example"] {
            let error = ServerAddress::parse(text, false).unwrap_err();
            assert!(matches!(error, ServerAddressError::Unencrypted(_)), "{text}: {error}");
            assert!(ServerAddress::parse(text, true).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_not_the_address_of_a_service_is_refused() {
        for text in [
            "",
            "loops.example",
            "ftp://x",
            "https://",
            "https://u:p@x",
            "https://x?y=1",
            "https://ä",
            "file:///x",
        ] {
            assert!(ServerAddress::parse(text, true).is_err(), "{text}");
        }
        let long = format!("http://127.0.0.1/{}", "x".repeat(500));
        assert!(ServerAddress::parse(&long, true).is_err());
        let address = ServerAddress::parse(" http://127.0.0.1:1/team/ ", false).unwrap();
        assert_eq!(address.call("/v1/steps"), "http://127.0.0.1:1/team/v1/steps");
    }
}
