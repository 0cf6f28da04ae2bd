//! An interval of the mean of bounded numbers that may be looked at after every one of them.

use bekker_math::numeric::ln;

/// Largest bet: beyond, the bound on a bet's growth becomes loose (the authors recommend a half).
const LARGEST_BET: f64 = 0.5;

/// The mean of numbers between 0 and 1, bounded after each of them by bets against it: of a bet λ
/// on a number x that is guessed as m, exp(λ (x - μ) + (x - m)² (ln(1 - λ) + λ)) has a mean of at most 1
/// (X. Fan, I. Grama, Q. Liu, 2015), so their product is more than 1 / α at some time with
/// probability α at most (J. Ville). Bets and guesses are made of what was seen before, by
/// which the interval follows the sample's variance ("predictable plug-in empirical Bernstein",
/// I. Waudby-Smith and A. Ramdas, J. R. Stat. Soc. B 86, 2024, theorem 2). However often and
/// whenever one looks, the true mean is in all intervals at once with the asked confidence at least,
/// whatever the distribution.
#[derive(Clone, Debug)]
pub struct AnytimeMean {
    /// Of the numbers, and of what each lacks to 1.
    sides: [Side; 2],
}

impl AnytimeMean {
    /// Of no number yet.
    pub fn new(confidence: f64) -> AnytimeMean {
        AnytimeMean { sides: [(); 2].map(|()| Side::new(0.5 * (1.0 - confidence))) }
    }

    /// Takes a number that is known to lie between two; both are the number itself where it is known.
    /// The interval then holds whichever it was.
    pub fn push(&mut self, [least, most]: [f64; 2]) {
        self.sides[0].push(least);
        self.sides[1].push(1.0 - most);
    }

    /// Where the mean lies; 0 to 1 of no number.
    pub fn interval(&self) -> [f64; 2] {
        [self.sides[0].bound, 1.0 - self.sides[1].bound]
    }
}

/// A lower bound of a mean.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Probability that it is too high at some time, at most.
    error: f64,
    count: f64,
    sum: f64,
    /// Of squared distances from the mean as it was estimated each time, that number among them.
    squares: f64,
    bets: f64,
    /// Of each bet by its number.
    gains: f64,
    /// What the bets cost.
    costs: f64,
    /// The highest so far.
    bound: f64,
}

impl Side {
    fn new(error: f64) -> Side {
        let none = 0.0;
        Side {
            error,
            count: none,
            sum: none,
            squares: none,
            bets: none,
            gains: none,
            costs: none,
            bound: none,
        }
    }

    fn push(&mut self, x: f64) {
        // as if a half had been seen once, with the most variance that there can be
        let guess = (0.5 + self.sum) / (self.count + 1.0);
        let variance = (0.25 + self.squares) / (self.count + 1.0);
        self.count += 1.0;
        let spread = variance * self.count * ln(1.0 + self.count);
        let bet = (2.0 * ln(1.0 / self.error) / spread).sqrt().min(LARGEST_BET);
        self.sum += x;
        let mean = (0.5 + self.sum) / (self.count + 1.0);
        self.squares += (x - mean) * (x - mean);
        self.bets += bet;
        self.gains += bet * x;
        self.costs += (x - guess) * (x - guess) * (-ln(1.0 - bet) - bet);
        let bound = (self.gains - ln(1.0 / self.error) - self.costs) / self.bets;
        self.bound = self.bound.max(bound);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::Stream;

    fn of(values: impl Iterator<Item = f64>) -> [f64; 2] {
        let mut mean = AnytimeMean::new(0.95);
        values.for_each(|x| mean.push([x, x]));
        mean.interval()
    }

    /// The authors' own code (`confseq` 0.0.11: `predmix_lower_cs` of the numbers and of what they lack to
    /// 1, each at 0.025, the bets of `lambda_predmix_eb` up to a half, the highest bound so far) on
    /// 37 k modulo 100 in hundredths.
    #[test]
    fn it_is_that_of_its_authors() {
        let x = |k: u32| f64::from(k * 37 % 100) / 100.0;
        let spread = |n| of((0..n).map(x));
        let close = |n: u32| of((0..n).map(|k| 0.4 + 0.2 * x(k % 100)));
        let held = [
            (spread(10), [0.0, 1.0]),
            (spread(50), [0.305771544637243, 0.6687585560737555]),
            (spread(100), [0.3867821149060629, 0.6027805151220724]),
            (close(20), [0.12246561589281013, 0.8635343841071901]),
            (close(300), [0.4730915105567303, 0.5249038910154935]),
        ];
        for (found, told) in held {
            // the last digits are the order of sums
            assert!((0..2).all(|end| (found[end] - told[end]).abs() < 1e-12), "{found:?} {told:?}");
        }
    }

    /// 600 courses of 300 looks each: 95 % of them may be missed 30 times; the chance of more than 45 is
    /// one in 300 if exactly so many are.
    #[test]
    fn looking_after_every_number_it_covers_what_is_asked() {
        let draws = Stream::new(4, "courses");
        // skewed, of two values, and narrow
        type Sequence = (fn(f64) -> f64, f64);
        let kinds: [Sequence; 3] = [
            (|u| u * u * u, 0.25),
            (|u| f64::from(u8::from(u < 0.1)), 0.1),
            (|u| 0.6 + 0.1 * u, 0.65),
        ];
        for (kind, (of_share, mean)) in kinds.into_iter().enumerate() {
            let missed = (0..600).filter(|course| {
                let mut own = AnytimeMean::new(0.95);
                for n in 0..300 {
                    let number = (kind as u64 * 600 + course) * 300 + n;
                    let x = of_share(draws.uniform(number));
                    own.push([x, x]);
                }
                // the bounds only ever close in: the last holds all
                !(own.interval()[0]..=own.interval()[1]).contains(&mean)
            });
            assert!(missed.count() <= 45);
        }
    }

    #[test]
    fn what_is_unknown_counts_for_both_ends() {
        let x = |k: u32| f64::from(k * 37 % 100) / 100.0;
        let mut doubtful = AnytimeMean::new(0.95);
        for k in 0..100 {
            doubtful.push(if k % 10 == 0 { [0.0, 1.0] } else { [x(k); 2] });
        }
        let least = of((0..100).map(|k| if k % 10 == 0 { 0.0 } else { x(k) }))[0];
        let most = of((0..100).map(|k| if k % 10 == 0 { 1.0 } else { x(k) }))[1];
        assert_eq!(doubtful.interval(), [least, most]);
        assert_eq!(AnytimeMean::new(0.95).interval(), [0.0, 1.0]);
    }
}
