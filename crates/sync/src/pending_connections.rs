//! A bounded set of connections whose peers have not introduced themselves yet.

use std::collections::BTreeMap;
use std::net::IpAddr;

/// Connections that wait for their peer's introduction.
///
/// When the set is full, the oldest connection of the address with the most connections is dropped.
/// So a peer that introduces itself at once gets through even while others hold many connections
/// open.
#[derive(Debug)]
pub struct PendingConnections<S> {
    most: usize,
    next: u64,
    held: BTreeMap<u64, (Option<IpAddr>, S)>,
}

impl<S> PendingConnections<S> {
    /// Creates an empty set of at most `most` connections.
    pub fn new(most: usize) -> PendingConnections<S> {
        PendingConnections { most, next: 0, held: BTreeMap::new() }
    }

    /// Adds a connection and returns its number, and the connection dropped in exchange, if any.
    ///
    /// Connections without an address, such as Unix sockets, count as one address.
    pub fn add(&mut self, from: Option<IpAddr>, connection: S) -> (u64, Option<S>) {
        let dropped = if self.held.len() >= self.most { self.oldest_of_most() } else { None };
        let dropped = dropped.and_then(|number| self.remove(number));
        let number = self.next;
        self.next += 1;
        self.held.insert(number, (from, connection));
        (number, dropped)
    }

    /// Removes a connection. Returns `None` if it has been dropped.
    pub fn remove(&mut self, number: u64) -> Option<S> {
        self.held.remove(&number).map(|(_, connection)| connection)
    }

    fn oldest_of_most(&self) -> Option<u64> {
        let mut counts: BTreeMap<Option<IpAddr>, usize> = BTreeMap::new();
        self.held.values().for_each(|(from, _)| *counts.entry(*from).or_default() += 1);
        let most = counts.values().copied().max()?;
        let mut held = self.held.iter();
        held.find(|(_, (from, _))| counts.get(from) == Some(&most)).map(|(number, _)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn address(last: u8) -> Option<IpAddr> {
        Some(Ipv4Addr::new(10, 0, 0, last).into())
    }

    #[test]
    fn the_oldest_of_the_address_with_most_is_dropped() {
        let mut pending = PendingConnections::new(4);
        let numbers = [1, 2, 2, 3].map(|from| pending.add(address(from), u32::from(from)).0);
        assert_eq!(numbers, [0, 1, 2, 3]);
        assert_eq!(pending.add(address(1), 10), (4, Some(2)));
        // now address 1 has two connections, the others one
        assert_eq!(pending.add(address(4), 40), (5, Some(1)));
        assert_eq!(pending.remove(0), None);
        assert_eq!(pending.remove(4), Some(10));
        assert_eq!(pending.add(None, 50), (6, None));
    }

    /// A flood from one address never drops a connection from another address.
    #[test]
    fn a_flood_from_one_address_drops_none_of_another() {
        let mut pending = PendingConnections::new(8);
        let (own, _) = pending.add(address(1), 0);
        for flood in 1..1000 {
            let (_, dropped) = pending.add(address(2), flood);
            assert_ne!(dropped, Some(0));
        }
        assert_eq!(pending.remove(own), Some(0));
    }
}
