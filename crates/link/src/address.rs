//! Address of a listener.

use super::LinkError;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;

/// Address of a listener: `HOST:PORT` (port 0 selects a free one) or `unix:PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A TCP address.
    Tcp(SocketAddr),
    /// Path of a Unix socket.
    Unix(PathBuf),
}

impl Default for Address {
    /// Returns the loopback address with any free port.
    fn default() -> Address {
        Address::Tcp((Ipv4Addr::LOCALHOST, 0).into())
    }
}

impl FromStr for Address {
    type Err = LinkError;

    fn from_str(text: &str) -> Result<Address, LinkError> {
        if let Some(path) = text.strip_prefix("unix:") {
            let known = cfg!(unix) && !path.is_empty();
            return known.then(|| Address::Unix(path.into())).ok_or_else(|| refused(text));
        }
        let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
        found.map(Address::Tcp).ok_or_else(|| refused(text))
    }
}

fn refused(text: &str) -> LinkError {
    LinkError::Address { given: text.into() }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => write!(f, "{address}"),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_as_they_were_given() {
        for text in ["127.0.0.1:0", "[::1]:4711", "0.0.0.0:80", "unix:/tmp/run.socket"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in ["", "127.0.0.1", "unix:", "host:port", "127.0.0.1:65536"] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains("must be HOST:PORT or unix:PATH"), "{error}");
        }
    }
}
