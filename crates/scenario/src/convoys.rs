//! Who follows whom: the convoys of a scenario, each with the vehicle at its head.

use super::config::{Driver, Vehicle};
use std::collections::BTreeMap;

/// The convoys of a scenario's vehicles, found once for all of them: names are looked up in
/// order, so that ten thousand vehicles take no longer each than ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Convoys {
    leaders: Vec<Option<usize>>,
    heads: Vec<Option<usize>>,
}

impl Convoys {
    /// Of these vehicles.
    pub fn of(vehicles: &[Vehicle]) -> Convoys {
        let named = by_name(vehicles);
        let leader = |vehicle: &Vehicle| match &vehicle.driver {
            Driver::Follow { leader, .. } => named.get(leader.as_str()).copied(),
            _ => None,
        };
        let leaders: Vec<Option<usize>> = vehicles.iter().map(leader).collect();
        let heads = heads(&leaders);
        Convoys { leaders, heads }
    }

    /// The vehicle that this one follows, if there is one of that name.
    pub fn leader(&self, vehicle: usize) -> Option<usize> {
        self.leaders[vehicle]
    }

    /// The vehicle at the head of the convoy that this one belongs to, itself if it follows
    /// nobody; none where the vehicles ahead follow each other in a ring.
    pub fn head(&self, vehicle: usize) -> Option<usize> {
        self.heads[vehicle]
    }

    /// The ring of vehicles that follow each other and this one is in, itself first and last.
    pub fn ring(&self, vehicle: usize) -> Option<Vec<usize>> {
        let mut ring = vec![vehicle];
        let mut at = vehicle;
        while let Some(next) = self.leaders[at].filter(|_| ring.len() <= self.leaders.len()) {
            ring.push(next);
            if next == vehicle {
                return Some(ring);
            }
            at = next;
        }
        None
    }
}

/// The vehicles' numbers by their names; of several of one name the first.
pub(super) fn by_name(vehicles: &[Vehicle]) -> BTreeMap<&str, usize> {
    // later entries are overwritten by earlier ones
    vehicles.iter().enumerate().rev().map(|(index, own)| (own.name.as_str(), index)).collect()
}

/// The end of the way from each along its leaders; none where it ends in a ring.
fn heads(leaders: &[Option<usize>]) -> Vec<Option<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnWay,
        Done(Option<usize>),
    }
    let mut seen = vec![Seen::No; leaders.len()];
    for vehicle in 0..leaders.len() {
        let (mut at, mut way) = (vehicle, Vec::new());
        let head = loop {
            match seen[at] {
                Seen::Done(head) => break head,
                Seen::OnWay => break None,
                Seen::No => {}
            }
            seen[at] = Seen::OnWay;
            way.push(at);
            match leaders[at] {
                Some(next) => at = next,
                None => break Some(at),
            }
        };
        way.into_iter().for_each(|passed| seen[passed] = Seen::Done(head));
    }
    let head = |seen: Seen| if let Seen::Done(head) = seen { head } else { None };
    seen.into_iter().map(head).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convoys(leaders: &[Option<usize>]) -> Convoys {
        Convoys { leaders: leaders.to_vec(), heads: heads(leaders) }
    }

    #[test]
    fn every_vehicle_has_the_head_of_its_convoy() {
        let own = convoys(&[None, Some(0), Some(1), None, Some(3), Some(2)]);
        assert_eq!(own.heads, [0, 0, 0, 3, 3, 0].map(Some));
        assert_eq!(own.leader(5), Some(2));
        assert_eq!(own.ring(5), None);
    }

    /// Who follows a ring from outside is in none.
    #[test]
    fn a_ring_has_no_head() {
        let own = convoys(&[Some(2), Some(0), Some(1), Some(0), None]);
        assert_eq!(own.heads, [None, None, None, None, Some(4)]);
        assert_eq!(own.ring(1), Some(vec![1, 0, 2, 1]));
        assert_eq!(own.ring(3), None);
    }
}
