//! Which vehicles reach each other by radio, now and over relays.
//!
//! The ad-hoc network of the MAVS swarm study: each pair has a link or not, by a draw of its
//! own at each exchange; its probability over distance is flat within a range, falls, and is
//! a low floor beyond; what two exchange passes on over the links of others ("binomial links,
//! many-to-many propagation"). The study gives no figures. The fall is a smoothstep here.

use crate::numeric::hypot;
use crate::random::Stream;
use serde::{Deserialize, Serialize};

/// A radio and the medium.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Radio {
    /// Distance up to which the probability of a link is `near`, m.
    pub range: f64,
    /// Distance from which it is `far`, m.
    pub horizon: f64,
    /// Probability of a link within the range.
    pub near: f64,
    /// Probability of a link beyond the horizon.
    pub far: f64,
    /// Most links that a message is passed on over.
    pub hops: u32,
    /// Time that a message travels, µs.
    pub latency_us: u64,
    /// Share of messages lost although there is a way.
    pub loss: f64,
    /// Its random numbers.
    pub stream: Stream,
}

/// Draws of one pair at one exchange.
const LINK: u64 = 0;
const LOSS: u64 = 1;

impl Radio {
    /// Probability of a link over a distance, m.
    pub fn link_probability(&self, distance: f64) -> f64 {
        let Radio { range, horizon, near, far, .. } = *self;
        if distance <= range {
            return near;
        }
        if distance >= horizon {
            return far;
        }
        let share = (distance - range) / (horizon - range);
        near + (far - near) * share * share * (3.0 - 2.0 * share)
    }

    /// Whether two agents have a link at an exchange.
    pub fn links(&self, exchange: u64, [a, b]: [usize; 2], distance: f64) -> bool {
        self.draw(exchange, [a.min(b), a.max(b)], LINK) < self.link_probability(distance)
    }

    /// Whether a message from one agent to another is lost at an exchange.
    pub fn loses(&self, exchange: u64, [from, to]: [usize; 2]) -> bool {
        self.loss > 0.0 && self.draw(exchange, [from, to], LOSS) < self.loss
    }

    /// A number keyed by exchange, pair and purpose: the same whoever asks, in any order.
    fn draw(&self, exchange: u64, [a, b]: [usize; 2], purpose: u64) -> f64 {
        let pair = (a as u64) << 16 | b as u64;
        let of_pair = self.stream.bits(exchange.wrapping_mul(2) | purpose);
        Stream::new(of_pair, "pair").uniform(pair)
    }

    /// All links at an exchange among those whose places are known, m: the neighbours of each.
    pub fn network(&self, exchange: u64, places: &[Option<[f64; 2]>]) -> Network {
        let mut neighbours = vec![Vec::new(); places.len()];
        for (a, one) in places.iter().enumerate() {
            for (b, other) in places.iter().enumerate().skip(a + 1) {
                let (Some(one), Some(other)) = (one, other) else { continue };
                let distance = hypot(one[0] - other[0], one[1] - other[1]);
                if self.links(exchange, [a, b], distance) {
                    neighbours[a].push(b);
                    neighbours[b].push(a);
                }
            }
        }
        Network { neighbours }
    }
}

/// Links at one exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Of each agent, those that it has a direct link to, in the order of agents.
    pub neighbours: Vec<Vec<usize>>,
}

impl Network {
    /// Those that an agent reaches over at most `hops` links, itself included.
    pub fn reached_from(&self, agent: usize, hops: u32) -> Vec<bool> {
        let mut reached = vec![false; self.neighbours.len()];
        reached[agent] = true;
        let mut front = vec![agent];
        for _ in 0..hops {
            let mut next = Vec::new();
            for &at in &front {
                for &neighbour in &self.neighbours[at] {
                    if !std::mem::replace(&mut reached[neighbour], true) {
                        next.push(neighbour);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            front = next;
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn radio() -> Radio {
        Radio {
            range: 100.0,
            horizon: 300.0,
            near: 0.9,
            far: 0.1,
            hops: 4,
            latency_us: 0,
            loss: 0.2,
            stream: Stream::new(7, "radio"),
        }
    }

    #[test]
    fn probability_is_flat_falls_and_keeps_a_floor() {
        let p = |d| radio().link_probability(d);
        assert_eq!([p(0.0), p(100.0), p(300.0), p(1e6)], [0.9, 0.9, 0.1, 0.1]);
        // the middle of a smoothstep is its mean
        assert!((p(200.0) - 0.5).abs() < 1e-12);
        assert!((100..300).all(|d| p(f64::from(d)) >= p(f64::from(d + 1))));
    }

    #[test]
    fn draws_have_their_share_and_no_direction() {
        let (radio, n) = (radio(), 20_000_u64);
        let linked = (0..n).filter(|&k| radio.links(k, [3, 9], 0.0)).count() as f64 / n as f64;
        let lost = (0..n).filter(|&k| radio.loses(k, [3, 9])).count() as f64 / n as f64;
        // four standard errors: 4 sqrt(p (1 - p) / n)
        assert!((linked - 0.9).abs() < 0.0085, "{linked}");
        assert!((lost - 0.2).abs() < 0.0113, "{lost}");
        assert!((0..500).all(|k| radio.links(k, [3, 9], 0.0) == radio.links(k, [9, 3], 0.0)));
        let other =
            (0..n).filter(|&k| radio.links(k, [3, 9], 200.0) && radio.links(k, [3, 10], 200.0));
        // pairs are independent: 0.5 x 0.5
        let both = other.count() as f64 / n as f64;
        assert!((both - 0.25).abs() < 0.0123, "{both}");
    }

    #[test]
    fn relays_reach_as_far_as_their_hops() {
        let chain = Radio { near: 1.0, far: 0.0, range: 100.0, horizon: 100.5, ..radio() };
        let places: Vec<_> = (0..7).map(|k| Some([90.0 * f64::from(k), 0.0])).collect();
        let network = chain.network(0, &places);
        assert_eq!(network.neighbours[3], vec![2, 4]);
        let reached = network.reached_from(0, 4);
        assert_eq!(reached, vec![true, true, true, true, true, false, false]);
        let mut cut = places;
        cut[2] = None;
        let reached = chain.network(0, &cut).reached_from(0, 100);
        assert_eq!(reached.iter().filter(|reached| **reached).count(), 2);
    }
}
