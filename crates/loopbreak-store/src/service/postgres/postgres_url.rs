//! Addresses of PostgreSQL databases.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tokio_postgres::Config;

use crate::StoreUrlError;

/// Option of a URL that names a file of certificates.
const AUTHORITIES: &str = "sslrootcert";

/// Address of a PostgreSQL database, such as `postgres://user@host/database?sslrootcert=/etc/ssl/db.pem`.
#[derive(Clone)]
pub struct PostgresUrl {
    text: String,
    config: Config,
    authorities: Option<PathBuf>,
}

impl PostgresUrl {
    /// Returns whether a text has the scheme of such an address.
    pub fn is_scheme_of(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    pub(super) fn authorities(&self) -> Option<&Path> {
        self.authorities.as_deref()
    }
}

impl FromStr for PostgresUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<Self, StoreUrlError> {
        let (address, options) = text.split_once('?').unwrap_or((text, ""));
        let mut authorities = None;
        let mut others = Vec::new();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some((AUTHORITIES, path)) => authorities = Some(PathBuf::from(path)),
                _ => others.push(option),
            }
        }
        let address =
            if others.is_empty() { address.to_owned() } else { format!("{address}?{}", others.join("&")) };
        let config = address.parse::<Config>().map_err(|error| {
            // The library repeats parts of the text only if they are names of options.
            StoreUrlError::Invalid { reason: super::postgres_session::with_causes(&error) }
        })?;
        if config.get_hosts().is_empty() {
            return Err(StoreUrlError::Invalid { reason: "it names no host".to_owned() });
        }
        Ok(PostgresUrl { text: text.to_owned(), config, authorities })
    }
}

impl PartialEq for PostgresUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PostgresUrl {}

/// Shows the user, the hosts and the database, but not the password.
impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        for (index, host) in self.config.get_hosts().iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            match host {
                tokio_postgres::config::Host::Tcp(name) => write!(f, "{separator}{name}")?,
                #[cfg(unix)]
                tokio_postgres::config::Host::Unix(path) => write!(f, "{separator}{}", path.display())?,
            }
            if let Some(port) = self.config.get_ports().get(index) {
                write!(f, ":{port}")?;
            }
        }
        match self.config.get_dbname() {
            Some(name) => write!(f, "/{name}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let url: PostgresUrl = "postgres://me:geheim@db.example:5433/fleet?sslmode=require".parse().unwrap();
        assert_eq!(url.to_string(), "postgres://me@db.example:5433/fleet");
        assert_eq!(format!("{url:?}"), url.to_string());
        let error = "postgres://me:geheim@/?port=x".parse::<PostgresUrl>().unwrap_err();
        assert!(!error.to_string().contains("geheim"), "{error}");
    }

    #[test]
    fn the_file_of_certificates_is_an_option_of_its_own() {
        let url: PostgresUrl = "postgres://db/x?sslrootcert=/a/b.pem&sslmode=require".parse().unwrap();
        assert_eq!(url.authorities(), Some(Path::new("/a/b.pem")));
        assert_eq!(url.config().get_ssl_mode(), tokio_postgres::config::SslMode::Require);
    }

    #[test]
    fn an_address_without_a_host_is_refused() {
        let error = "postgres://".parse::<PostgresUrl>().unwrap_err();
        assert_eq!(error.to_string(), "this is not the address of a store: it names no host");
    }
}
