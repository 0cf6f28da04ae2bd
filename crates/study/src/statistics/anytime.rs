//! Anytime-valid confidence interval of a proportion.

use bekker_math::numeric::{ln, ln_gamma};

/// Returns an interval of a proportion that is valid at all numbers of trials at once.
///
/// It contains the proportions p that a mixture over all proportions does not reject. The mixture's
/// likelihood is a beta function. It rejects p if it is at least 1 / (1 - confidence) times the
/// likelihood of p.
///
/// With at least the given confidence, the true proportion is in the intervals of all looks at once
/// (J. Ville's inequality; H. Robbins, Ann. Math. Stat. 41, 1970; S. Howard and others, Ann. Stat.
/// 49, 2021). It is wider than an interval for a single look. Without trials it is 0 to 1.
pub fn anytime_valid(successes: u64, trials: u64, confidence: f64) -> [f64; 2] {
    let (yes, no) = (successes as f64, (trials - successes.min(trials)) as f64);
    let mixture = ln_gamma(yes + 1.0) + ln_gamma(no + 1.0) - ln_gamma(yes + no + 2.0);
    let allowed = mixture + ln(1.0 - confidence);
    // 0 ln 0 is 0
    let part = |count: f64, p: f64| if count == 0.0 { 0.0 } else { count * ln(p) };
    let holds = |p: f64| part(yes, p) + part(no, 1.0 - p) > allowed;
    let best = if trials == 0 { 0.5 } else { yes / (yes + no) };
    [edge(best, 0.0, holds), edge(best, 1.0, holds)]
}

/// Returns the last number from `inside` toward `end` for which `holds` is true, by bisection.
fn edge(inside: f64, end: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if inside == end || holds(end) {
        return end;
    }
    let (mut yes, mut no) = (inside, end);
    for _ in 0..60 {
        let middle = 0.5 * (yes + no);
        if holds(middle) { yes = middle } else { no = middle }
    }
    yes
}

#[cfg(test)]
mod tests {
    use super::super::wilson;
    use super::*;

    /// Returns the probability that an interval at any of up to `most` trials misses p.
    ///
    /// It sums over all sequences of outcomes.
    fn missed(p: f64, most: usize, confidence: f64) -> f64 {
        let (mut courses, mut missed) = (vec![1.0], 0.0);
        for n in 1..=most {
            let mut next = vec![0.0; n + 1];
            for (k, weight) in courses.iter().enumerate() {
                next[k] += weight * (1.0 - p);
                next[k + 1] += weight * p;
            }
            for (k, weight) in next.iter_mut().enumerate() {
                let [low, high] = anytime_valid(k as u64, n as u64, confidence);
                if !(low..=high).contains(&p) {
                    missed += *weight;
                    *weight = 0.0;
                }
            }
            courses = next;
        }
        missed
    }

    #[test]
    fn evaluated_after_every_trial_it_has_the_nominal_coverage() {
        for p in [0.01, 0.1, 0.3, 0.5, 0.85, 0.99] {
            let found = missed(p, 150, 0.95);
            assert!(found <= 0.05, "{found} at {p}");
        }
        // the interval is not trivially wide: some sequences leave it
        assert!(missed(0.5, 150, 0.95) > 0.005);
    }

    #[test]
    fn it_is_wider_than_for_one_look_and_mirrors() {
        for (k, n) in [(0, 20), (3, 20), (40, 100), (100, 100)] {
            let [low, high] = anytime_valid(k, n, 0.95);
            let [once_low, once_high] = wilson(k, n, 0.95);
            assert!(low <= once_low && high >= once_high, "{k}/{n}");
            let mirrored = anytime_valid(n - k, n, 0.95);
            assert!((low + mirrored[1] - 1.0).abs() < 1e-12);
        }
        assert_eq!(anytime_valid(0, 0, 0.95), [0.0, 1.0]);
        // without successes the mixture's likelihood is 1 / (n + 1): (1 - p)^n = 0.05 / (n + 1)
        let [_, high] = anytime_valid(0, 20, 0.95);
        assert!(((1.0 - high).powi(20) * 21.0 / 0.05 - 1.0).abs() < 1e-10);
    }
}
