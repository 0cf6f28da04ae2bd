//! The DDS domain in which participants discover each other.

use std::fmt;
use std::net::Ipv4Addr;
use std::str::FromStr;

/// Highest domain number: above it the ports 7400 + 250 n run out.
const LAST: u16 = 232;

/// A DDS domain, on all networks of this machine or on one: `7`, `7@127.0.0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DdsDomain {
    /// Domain number, from 0 to 232.
    pub number: u16,
    /// This machine's address on the only network to use. `None` uses all networks.
    pub network: Option<Ipv4Addr>,
}

/// The text does not specify a DDS domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a DDS domain: must be a number from 0 to {LAST}, optionally with this \
     machine's IPv4 address on the network to use, such as 7@127.0.0.1"
)]
pub struct DdsDomainError {
    text: String,
}

impl FromStr for DdsDomain {
    type Err = DdsDomainError;

    fn from_str(text: &str) -> Result<DdsDomain, DdsDomainError> {
        let (number, network) = match text.split_once('@') {
            Some((number, network)) => (number, Some(network)),
            None => (text, None),
        };
        let read = || {
            let number = number.parse().ok().filter(|&number| number <= LAST)?;
            let network = network.map(str::parse).transpose().ok()?;
            Some(DdsDomain { number, network })
        };
        read().ok_or_else(|| DdsDomainError { text: text.to_owned() })
    }
}

impl fmt::Display for DdsDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)?;
        self.network.map_or(Ok(()), |network| write!(f, "@{network}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_read_as_they_are_written() {
        for text in ["0", "232", "7@127.0.0.1"] {
            assert_eq!(text.parse::<DdsDomain>().unwrap().to_string(), text);
        }
        for text in ["", "233", "-1", "7@", "7@localhost", "@127.0.0.1", "7@1.2.3.4.5"] {
            assert!(text.parse::<DdsDomain>().is_err(), "{text}");
        }
    }
}
