//! Anytime-valid confidence interval of the mean of bounded numbers.

use bekker_math::numeric::ln;

/// Largest bet; beyond it the bound on a bet's growth becomes loose (the authors recommend a half).
const LARGEST_BET: f64 = 0.5;

/// Anytime-valid interval of the mean μ of numbers between 0 and 1, from bets against it.
///
/// For a bet λ on a number x with the prediction m, exp(λ (x - μ) + (x - m)² (ln(1 - λ) + λ)) has a
/// mean of at most 1 (X. Fan, I. Grama, Q. Liu, 2015). So the product of these terms ever exceeds 1
/// / α with probability at most α (J. Ville).
///
/// Bets and predictions depend on earlier numbers only. The interval thus adapts to the
/// sample's variance ("predictable plug-in empirical Bernstein", I. Waudby-Smith and A. Ramdas, J.
/// R. Stat. Soc. B 86, 2024, theorem 2). With at least the given confidence, the true mean is in
/// the intervals of all looks at once, for any distribution.
#[derive(Clone, Debug)]
pub struct AnytimeMean {
    /// Lower bounds of the mean of the numbers x and of 1 - x.
    sides: [MeanBound; 2],
}

impl AnytimeMean {
    /// Creates the interval without numbers.
    pub fn new(confidence: f64) -> AnytimeMean {
        AnytimeMean { sides: [(); 2].map(|()| MeanBound::new(0.5 * (1.0 - confidence))) }
    }

    /// Adds a number given by a lower and an upper limit, which are equal if the number is known.
    ///
    /// The interval then holds for any number between the limits.
    pub fn push(&mut self, [least, most]: [f64; 2]) {
        self.sides[0].push(least);
        self.sides[1].push(1.0 - most);
    }

    /// Returns the interval of the mean; 0 to 1 without numbers.
    pub fn interval(&self) -> [f64; 2] {
        [self.sides[0].bound, 1.0 - self.sides[1].bound]
    }
}

/// Lower bound of a mean.
#[derive(Clone, Copy, Debug)]
struct MeanBound {
    /// Greatest probability that the bound is ever too high.
    error: f64,
    count: f64,
    sum: f64,
    /// Sum of squared distances from the mean estimated at each number, including that number.
    squares: f64,
    bets: f64,
    /// Sum of each bet times its number.
    gains: f64,
    /// Sum of the costs of the bets.
    costs: f64,
    /// Highest bound so far.
    bound: f64,
}

impl MeanBound {
    fn new(error: f64) -> MeanBound {
        let none = 0.0;
        MeanBound {
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
        // as if 1/2 had been observed once, with the greatest possible variance
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
    use bekker_math::random::RandomStream;

    fn interval(values: impl Iterator<Item = f64>) -> [f64; 2] {
        let mut mean = AnytimeMean::new(0.95);
        values.for_each(|x| mean.push([x, x]));
        mean.interval()
    }

    /// Results of the authors' code (`confseq` 0.0.11) on 37 k modulo 100 in hundredths.
    ///
    /// It is `predmix_lower_cs` of x and of 1 - x, each at 0.025, with the bets of
    /// `lambda_predmix_eb` up to a half and the highest bound so far.
    #[test]
    fn it_is_that_of_its_authors() {
        let x = |k: u32| f64::from(k * 37 % 100) / 100.0;
        let spread = |n| interval((0..n).map(x));
        let close = |n: u32| interval((0..n).map(|k| 0.4 + 0.2 * x(k % 100)));
        let held = [
            (spread(10), [0.0, 1.0]),
            (spread(50), [0.305771544637243, 0.6687585560737555]),
            (spread(100), [0.3867821149060629, 0.6027805151220724]),
            (close(20), [0.12246561589281013, 0.8635343841071901]),
            (close(300), [0.4730915105567303, 0.5249038910154935]),
        ];
        for (found, told) in held {
            // the last digits depend on the order of summation
            assert!((0..2).all(|end| (found[end] - told[end]).abs() < 1e-12), "{found:?} {told:?}");
        }
    }

    /// 600 sequences of 300 looks each: at a confidence of 95 % 30 of them may be missed.
    ///
    /// If exactly 30 are expected, the chance of more than 45 is one in 300.
    #[test]
    fn evaluated_after_every_number_it_has_the_nominal_coverage() {
        let draws = RandomStream::new(4, "courses");
        // skewed, two-valued, and narrow
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
                // the bounds only tighten, so the last interval represents all
                !(own.interval()[0]..=own.interval()[1]).contains(&mean)
            });
            assert!(missed.count() <= 45);
        }
    }

    #[test]
    fn unknown_values_widen_both_ends() {
        let x = |k: u32| f64::from(k * 37 % 100) / 100.0;
        let mut doubtful = AnytimeMean::new(0.95);
        for k in 0..100 {
            doubtful.push(if k % 10 == 0 { [0.0, 1.0] } else { [x(k); 2] });
        }
        let least = interval((0..100).map(|k| if k % 10 == 0 { 0.0 } else { x(k) }))[0];
        let most = interval((0..100).map(|k| if k % 10 == 0 { 1.0 } else { x(k) }))[1];
        assert_eq!(doubtful.interval(), [least, most]);
        assert_eq!(AnytimeMean::new(0.95).interval(), [0.0, 1.0]);
    }
}
