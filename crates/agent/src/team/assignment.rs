//! Who takes what: members and places brought together by what each place costs each member.
//!
//! All costs are whole numbers, so that ties are told alike everywhere: the least index wins.

/// How members and places are brought together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assignment {
    /// Whoever is nearest to anything takes it, then the next: greedy.
    #[default]
    Nearest,
    /// At the least sum of costs, by bids.
    Auction,
}

impl Assignment {
    /// The place of each member, if there is one for it: `costs[member][place]`, 0 and more, rows of
    /// one length. As many as there are of the fewer are brought together.
    pub fn assigned(self, costs: &[Vec<i64>]) -> Vec<Option<usize>> {
        match self {
            Assignment::Nearest => nearest(costs),
            Assignment::Auction => auction(costs),
        }
    }
}

fn nearest(costs: &[Vec<i64>]) -> Vec<Option<usize>> {
    let places = costs.first().map_or(0, Vec::len);
    let (mut taken, mut given) = (vec![false; places], vec![None; costs.len()]);
    let each = |member: usize| (0..places).map(move |place| (member, place));
    let mut pairs: Vec<(usize, usize)> = (0..costs.len()).flat_map(each).collect();
    pairs.sort_by_key(|&(member, place)| (costs[member][place], member, place));
    for (member, place) in pairs {
        if given[member].is_none() && !taken[place] {
            (given[member], taken[place]) = (Some(place), true);
        }
    }
    given
}

/// The forward auction of Bertsekas (1988): who has nothing bids for what is worth most to it, by
/// as much as it is worth more than the next, and a little. With costs times the number of
/// bidders and one more, a little of 1 finds the least sum. The fewer bid, prices beginning at 0, so
/// that what nobody wanted is free.
fn auction(costs: &[Vec<i64>]) -> Vec<Option<usize>> {
    let (members, places) = (costs.len(), costs.first().map_or(0, Vec::len));
    let by_places = places < members;
    let (bidders, things) = if by_places { (places, members) } else { (members, places) };
    let scale = bidders as i64 + 1;
    let worth = |bidder: usize, thing: usize| {
        let [member, place] = if by_places { [thing, bidder] } else { [bidder, thing] };
        -costs[member][place] * scale
    };
    let mut prices = vec![0; things];
    let mut owner: Vec<Option<usize>> = vec![None; things];
    let mut without: Vec<usize> = (0..bidders).rev().collect();
    while let Some(bidder) = without.pop() {
        let (mut best, mut most, mut next) = (0, i64::MIN, i64::MIN);
        for (thing, price) in prices.iter().enumerate() {
            let gain = worth(bidder, thing) - price;
            if gain > most {
                (best, next, most) = (thing, most, gain);
            } else {
                next = next.max(gain);
            }
        }
        // the only thing there is goes to whoever comes first
        let ahead = if next == i64::MIN { 0 } else { most - next };
        prices[best] += ahead + 1;
        without.extend(owner[best].replace(bidder));
    }
    let mut given = vec![None; members];
    for (thing, owner) in owner.into_iter().enumerate() {
        if let Some(bidder) = owner {
            let [member, place] = if by_places { [thing, bidder] } else { [bidder, thing] };
            given[member] = Some(place);
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(costs: &[Vec<i64>], given: &[Option<usize>]) -> i64 {
        given.iter().zip(costs).filter_map(|(place, row)| place.map(|place| row[place])).sum()
    }

    /// The least sum of all ways to bring as many together as can be.
    fn least(costs: &[Vec<i64>], member: usize, taken: &mut Vec<bool>, spare: usize) -> i64 {
        if member == costs.len() {
            return 0;
        }
        let mut best = i64::MAX;
        if spare > 0 {
            best = least(costs, member + 1, taken, spare - 1);
        }
        for place in 0..taken.len() {
            if !std::mem::replace(&mut taken[place], true) {
                let rest = least(costs, member + 1, taken, spare);
                best = best.min(rest.saturating_add(costs[member][place]));
                taken[place] = false;
            }
        }
        best
    }

    proptest! {
        /// An auction comes to the least sum, the nearest first to no less; both serve as many as
        /// there are of the fewer, and no place twice.
        #[test]
        fn an_auction_has_the_least_sum(
            members in 1..6_usize, places in 1..6_usize,
            numbers in proptest::collection::vec(0..40_i64, 36),
        ) {
            let costs: Vec<Vec<i64>> =
                numbers.chunks(6).take(members).map(|row| row[..places].to_vec()).collect();
            let spare = members.saturating_sub(places);
            let expected = least(&costs, 0, &mut vec![false; places], spare);
            for by in [Assignment::Auction, Assignment::Nearest] {
                let given = by.assigned(&costs);
                let mut served: Vec<usize> = given.iter().flatten().copied().collect();
                served.sort_unstable();
                served.dedup();
                prop_assert_eq!(served.len(), members.min(places));
                prop_assert_eq!(given.iter().flatten().count(), served.len());
                let found = sum(&costs, &given);
                prop_assert!(found >= expected);
                prop_assert!(by == Assignment::Nearest || found == expected, "{found} {expected}");
            }
        }
    }

    #[test]
    fn the_nearest_first_may_send_another_far() {
        // on a line: members at 0 and 2, places at 3 and -10
        let costs = [vec![3, 10], vec![1, 12]];
        assert_eq!(Assignment::Nearest.assigned(&costs), [Some(1), Some(0)]);
        // the second at the place of the first, the first sent by: 1 + 10, not 3 + 12
        assert_eq!(Assignment::Auction.assigned(&costs), [Some(1), Some(0)]);
        let costs = [vec![2, 3], vec![1, 9]];
        assert_eq!(Assignment::Auction.assigned(&costs), [Some(1), Some(0)]);
        let costs = [vec![1, 2], vec![2, 9]];
        // 1 + 9 by the nearest first, 2 + 2 by bids
        assert_eq!(Assignment::Nearest.assigned(&costs), [Some(0), Some(1)]);
        assert_eq!(Assignment::Auction.assigned(&costs), [Some(1), Some(0)]);
        assert_eq!(Assignment::Auction.assigned(&[]), []);
        assert_eq!(Assignment::Auction.assigned(&[vec![]]), [None]);
    }
}
