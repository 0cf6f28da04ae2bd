//! Assignment of members to places by cost.
//!
//! All costs are integers, so that ties are resolved equally everywhere: the smallest index wins.

/// Method of assignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assignment {
    /// Greedy: the cheapest pair of all is assigned first, then the next.
    #[default]
    Nearest,
    /// Smallest sum of costs, by auction.
    Auction,
}

impl Assignment {
    /// Returns the place of each member, if it gets one.
    ///
    /// `costs[member][place]` is not negative, in rows of equal length. Every member or every place
    /// is assigned, whichever are fewer.
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

/// Forward auction of Bertsekas (1988).
///
/// A bidder without a thing bids for the one of largest value to it. It raises the price by its
/// advantage over the second best plus an increment.
///
/// Costs are multiplied by the number of bidders plus one, so that an increment of 1 gives the
/// smallest sum. The fewer side bids and prices start at 0, so that things without a bid are free.
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
        // the only thing goes to the first bidder
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

    /// Returns the smallest sum of all assignments of maximum size.
    fn smallest_sum(costs: &[Vec<i64>], member: usize, taken: &mut Vec<bool>, spare: usize) -> i64 {
        if member == costs.len() {
            return 0;
        }
        let mut best = i64::MAX;
        if spare > 0 {
            best = smallest_sum(costs, member + 1, taken, spare - 1);
        }
        for place in 0..taken.len() {
            if !std::mem::replace(&mut taken[place], true) {
                let rest = smallest_sum(costs, member + 1, taken, spare);
                best = best.min(rest.saturating_add(costs[member][place]));
                taken[place] = false;
            }
        }
        best
    }

    proptest! {
        /// An auction reaches the smallest sum, the greedy method no less.
        ///
        /// Both assign min(members, goals) pairs, and no goal twice.
        #[test]
        fn an_auction_has_the_least_sum(
            members in 1..6_usize, places in 1..6_usize,
            numbers in proptest::collection::vec(0..40_i64, 36),
        ) {
            let costs: Vec<Vec<i64>> =
                numbers.chunks(6).take(members).map(|row| row[..places].to_vec()).collect();
            let spare = members.saturating_sub(places);
            let expected = smallest_sum(&costs, 0, &mut vec![false; places], spare);
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
        // the sum is 1 + 10 instead of 3 + 12
        assert_eq!(Assignment::Auction.assigned(&costs), [Some(1), Some(0)]);
        let costs = [vec![2, 3], vec![1, 9]];
        assert_eq!(Assignment::Auction.assigned(&costs), [Some(1), Some(0)]);
        let costs = [vec![1, 2], vec![2, 9]];
        // 1 + 9 by the greedy method, 2 + 2 by auction
        assert_eq!(Assignment::Nearest.assigned(&costs), [Some(0), Some(1)]);
        assert_eq!(Assignment::Auction.assigned(&costs), [Some(1), Some(0)]);
        assert_eq!(Assignment::Auction.assigned(&[]), []);
        assert_eq!(Assignment::Auction.assigned(&[vec![]]), [None]);
    }
}
