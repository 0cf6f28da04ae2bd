//! Radio links between vehicles, direct and over relays.
//!
//! This is the ad-hoc network of the MAVS swarm study. Each pair has a link or not, by an
//! independent draw at each exchange. The probability is constant within a range, falls with
//! distance, and has a low floor beyond.
//!
//! Messages are relayed over the links of others ("binomial links, many-to-many propagation"). The
//! study gives no parameters. The fall is a smoothstep here.

use bekker_math::numeric::hypot;
use bekker_math::random::RandomStream;
use serde::{Deserialize, Serialize};

/// Parameters of a radio and its medium.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Radio {
    /// Distance up to which the probability of a link is `near`, m.
    pub range: f64,
    /// Distance from which the probability is `far`, m.
    pub horizon: f64,
    /// Probability of a link within the range.
    pub near: f64,
    /// Probability of a link beyond the horizon.
    pub far: f64,
    /// Largest number of links over which a message is relayed.
    pub hops: u32,
    /// Travel time of a message per link, µs.
    pub latency_us: u64,
    /// Largest additional travel time, µs; drawn independently for each message.
    pub jitter_us: u64,
    /// Fraction of messages lost although a route exists.
    pub loss: f64,
    /// Bursts of higher loss, if modeled.
    pub bursts: Option<Bursts>,
    /// Random number stream.
    pub stream: RandomStream,
}

/// Loss in bursts (Gilbert-Elliott channel).
///
/// The channel of each pair is good or bad at an exchange and changes with a probability from one
/// exchange to the next (E. N. Gilbert, "Capacity of a burst-noise channel", Bell System Technical
/// Journal 39 (1960) 1253; E. O. Elliott, ibid. 42 (1963) 1977).
///
/// The fraction of bad exchanges is `begin` / (`begin` + `end`), their mean length 1 / `end`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bursts {
    /// Probability that a good channel is bad at the next exchange; above zero.
    pub begin: f64,
    /// Probability that a bad channel is good at the next exchange; at most one together with
    /// `begin`.
    pub end: f64,
    /// Fraction of messages lost while the channel is bad.
    pub loss: f64,
}

/// Purpose of the draw that decides whether a pair has a link at an exchange.
const LINK: u64 = 0;
/// Purpose of the draw that decides whether a message is lost.
const LOSS: u64 = 1;

impl Radio {
    /// Returns the probability of a link over a distance, m.
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

    /// Returns whether two agents have a link at an exchange.
    pub fn links(&self, exchange: u64, [a, b]: [usize; 2], distance: f64) -> bool {
        self.draw(exchange, [a.min(b), a.max(b)], LINK) < self.link_probability(distance)
    }

    /// Returns whether a message from one agent to another is lost at an exchange.
    ///
    /// `number` is the index of the message among those sent at that exchange.
    pub fn loses(&self, exchange: u64, [from, to]: [usize; 2], number: u64) -> bool {
        let loss = match self.bursts {
            Some(bursts) if self.is_bad(&bursts, exchange, [from, to]) => bursts.loss,
            _ => self.loss,
        };
        loss > 0.0
            && match number {
                0 => self.draw(exchange, [from, to], LOSS) < loss,
                number => self.random_number(exchange, [from, to], number, "loss") < loss,
            }
    }

    /// Returns the travel time of a message over `links` links, µs.
    pub fn delay_us(&self, exchange: u64, pair: [usize; 2], number: u64, links: u32) -> u64 {
        let delay = self.latency_us * u64::from(links);
        if self.jitter_us == 0 {
            return delay;
        }
        let share = self.random_number(exchange, pair, number, "jitter");
        delay + (share * self.jitter_us as f64) as u64
    }

    /// Returns whether the channel of a pair is in a burst.
    ///
    /// There is one draw per exchange: low draws begin a burst, high draws end it, others change
    /// nothing. The last low or high draw therefore decides, and no state is needed.
    fn is_bad(&self, bursts: &Bursts, exchange: u64, pair: [usize; 2]) -> bool {
        let pair = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        for before in (0..=exchange).rev() {
            let draw = self.random_number(before, pair, 0, "burst");
            if draw < bursts.begin {
                return true;
            }
            if draw >= 1.0 - bursts.end {
                return false;
            }
        }
        // channels are good at the start
        false
    }

    /// Returns a random number keyed by exchange, pair, message and purpose.
    fn random_number(&self, exchange: u64, [a, b]: [usize; 2], number: u64, purpose: &str) -> f64 {
        let pair = (a as u64) << 16 | b as u64;
        let of_exchange = RandomStream::new(self.stream.bits(exchange), purpose);
        RandomStream::new(of_exchange.bits(pair), "message").uniform(number)
    }

    /// Returns a random number keyed by exchange, pair and purpose, independent of the order of
    /// calls.
    fn draw(&self, exchange: u64, [a, b]: [usize; 2], purpose: u64) -> f64 {
        let pair = (a as u64) << 16 | b as u64;
        let of_pair = self.stream.bits(exchange.wrapping_mul(2) | purpose);
        RandomStream::new(of_pair, "pair").uniform(pair)
    }

    /// Returns all links at an exchange between agents with a known position, m.
    pub fn network(&self, exchange: u64, places: &[Option<[f64; 2]>]) -> RadioLinks {
        let mut neighbors = vec![Vec::new(); places.len()];
        for (a, one) in places.iter().enumerate() {
            for (b, other) in places.iter().enumerate().skip(a + 1) {
                let (Some(one), Some(other)) = (one, other) else { continue };
                let distance = hypot(one[0] - other[0], one[1] - other[1]);
                if self.links(exchange, [a, b], distance) {
                    neighbors[a].push(b);
                    neighbors[b].push(a);
                }
            }
        }
        RadioLinks { neighbors }
    }
}

/// Links at one exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RadioLinks {
    /// Direct neighbors of each agent, in ascending order.
    pub neighbors: Vec<Vec<usize>>,
}

impl RadioLinks {
    /// Returns whether an agent reaches each agent over at most `hops` links; true for itself.
    pub fn reached_from(&self, agent: usize, hops: u32) -> Vec<bool> {
        self.links_from(agent, hops).iter().map(Option::is_some).collect()
    }

    /// Returns the number of links to each agent, up to `hops`; `None` if unreachable and 0 for
    /// itself.
    pub fn links_from(&self, agent: usize, hops: u32) -> Vec<Option<u32>> {
        let mut reached = vec![None; self.neighbors.len()];
        reached[agent] = Some(0);
        let mut front = vec![agent];
        for links in 1..=hops {
            let mut next = Vec::new();
            for &at in &front {
                for &neighbor in &self.neighbors[at] {
                    if reached[neighbor].is_none() {
                        reached[neighbor] = Some(links);
                        next.push(neighbor);
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
            jitter_us: 0,
            loss: 0.2,
            bursts: None,
            stream: RandomStream::new(7, "radio"),
        }
    }

    #[test]
    fn probability_is_flat_falls_and_keeps_a_floor() {
        let p = |d| radio().link_probability(d);
        assert_eq!([p(0.0), p(100.0), p(300.0), p(1e6)], [0.9, 0.9, 0.1, 0.1]);
        // a smoothstep takes its mean value at the midpoint
        assert!((p(200.0) - 0.5).abs() < 1e-12);
        assert!((100..300).all(|d| p(f64::from(d)) >= p(f64::from(d + 1))));
    }

    #[test]
    fn draws_have_their_share_and_no_direction() {
        let (radio, n) = (radio(), 20_000_u64);
        let linked = (0..n).filter(|&k| radio.links(k, [3, 9], 0.0)).count() as f64 / n as f64;
        let lost = (0..n).filter(|&k| radio.loses(k, [3, 9], 0)).count() as f64 / n as f64;
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
        assert_eq!(network.neighbors[3], vec![2, 4]);
        let reached = network.reached_from(0, 4);
        assert_eq!(reached, vec![true, true, true, true, true, false, false]);
        let mut cut = places;
        cut[2] = None;
        let reached = chain.network(0, &cut).reached_from(0, 100);
        assert_eq!(reached.iter().filter(|reached| **reached).count(), 2);
    }
    #[test]
    fn bursts_have_their_share_and_length() {
        let bursts = Bursts { begin: 0.05, end: 0.2, loss: 1.0 };
        let radio = Radio { loss: 0.0, bursts: Some(bursts), ..radio() };
        let n = 40_000_u64;
        let bad: Vec<bool> = (0..n).map(|k| radio.loses(k, [2, 5], 0)).collect();
        let share = bad.iter().filter(|bad| **bad).count() as f64 / n as f64;
        let begun = bad.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let length = share * n as f64 / begun;
        // 0.05 / 0.25 and 1 / 0.2; four standard errors, with exchanges correlated by 0.75:
        // sqrt(0.2 0.8 (1.75 / 0.25) / n), and sqrt(0.8) / 0.2 / sqrt(1600) for lengths
        assert!((share - 0.2).abs() < 0.0212, "{share}");
        assert!((length - 5.0).abs() < 0.45, "{length}");
        // a pair's channel is the same in both directions, and all messages of a bad exchange are
        // lost
        assert!((0..500).all(|k| radio.loses(k, [2, 5], 3) == radio.loses(k, [5, 2], 0)));
    }

    #[test]
    fn delays_grow_with_links_and_spread_within_the_jitter() {
        let radio = Radio { latency_us: 20_000, jitter_us: 10_000, ..radio() };
        let delays: Vec<u64> = (0..4_000).map(|k| radio.delay_us(k, [1, 2], k % 3, 2)).collect();
        assert!(delays.iter().all(|delay| (40_000..50_000).contains(delay)));
        let mean = delays.iter().sum::<u64>() as f64 / 4_000.0;
        // four standard errors of a uniform distribution: 4 x 10 ms / sqrt(12 x 4000)
        assert!((mean - 45_000.0).abs() < 183.0, "{mean}");
    }
}
