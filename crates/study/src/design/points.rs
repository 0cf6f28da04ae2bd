//! Design points: the level of each factor at each point.

use super::config::{DesignKind, Factor, LevelValue, StudyConfig};
use super::saltelli;
use super::sobol::Dimension;
use bekker_math::random::RandomStream;

/// Returns the number of points of a design; `None` on overflow. For a table it is 0.
pub(super) fn count(config: &StudyConfig) -> Option<u64> {
    let factors = &config.factor;
    match config.design {
        DesignKind::FullFactorial => {
            factors.iter().try_fold(1_u64, |n, factor| n.checked_mul(levels(factor)))
        }
        DesignKind::LatinHypercube | DesignKind::Random | DesignKind::Sobol => config.points,
        DesignKind::Saltelli => {
            config.points?.checked_mul(saltelli::tables(factors.len(), config.second_order))
        }
        DesignKind::Table => Some(0),
    }
}

/// Returns the number of levels of a factor in a full factorial design.
fn levels(factor: &Factor) -> u64 {
    factor.listed().or(factor.steps).unwrap_or(1)
}

/// Returns all points of a design other than a table, each with a level per factor.
pub(super) fn points(config: &StudyConfig, count: u64) -> Vec<Vec<LevelValue>> {
    let columns: Vec<Vec<f64>> = match config.design {
        DesignKind::Table => return Vec::new(),
        DesignKind::FullFactorial => return factorial(&config.factor, count),
        DesignKind::LatinHypercube => factor_draws(config, |stream| latin_hypercube(stream, count)),
        DesignKind::Random => {
            factor_draws(config, |stream| (0..count).map(|p| stream.uniform(p)).collect())
        }
        DesignKind::Sobol => sobol(config, count),
        DesignKind::Saltelli => saltelli::columns(config),
    };
    let part = |point: usize| columns.iter().zip(&config.factor).map(move |(c, f)| (f, c[point]));
    (0..count as usize).map(|point| part(point).map(|(f, part)| f.level(part)).collect()).collect()
}

/// Returns Sobol's sequence; factors use its dimensions in order.
fn sobol(config: &StudyConfig, count: u64) -> Vec<Vec<f64>> {
    let dimension = |(n, factor): (usize, &Factor)| Dimension::new(n, stream(config, factor, ""));
    let column = |own: Dimension| (0..count).map(|point| own.number(point)).collect();
    config.factor.iter().enumerate().map(dimension).map(column).collect()
}

/// Returns the random stream of a factor; `which` distinguishes several streams of one factor.
pub(super) fn stream(config: &StudyConfig, factor: &Factor, which: &str) -> RandomStream {
    RandomStream::new(config.seed, &format!("factor {}{which}", factor.name))
}

/// Draws numbers for each factor, from a stream with its name.
fn factor_draws(config: &StudyConfig, draws: impl Fn(&RandomStream) -> Vec<f64>) -> Vec<Vec<f64>> {
    config.factor.iter().map(|factor| draws(&stream(config, factor, ""))).collect()
}

/// Draws one number in each of `count` equal strata, in random order (M. McKay, R. Beckman and W.
/// Conover, Technometrics 21, 1979).
fn latin_hypercube(stream: &RandomStream, count: u64) -> Vec<f64> {
    // draws below `count` give positions within strata, those above give the order
    let mut order: Vec<u64> = (0..count).collect();
    order.sort_by_key(|point| (stream.bits(count + point), *point));
    let mut parts = vec![0.0; order.len()];
    for (stratum, point) in order.into_iter().enumerate() {
        parts[point as usize] = (stratum as f64 + stream.uniform(point)) / count as f64;
    }
    parts
}

/// Returns all combinations; the last factor's levels vary fastest.
fn factorial(factors: &[Factor], count: u64) -> Vec<Vec<LevelValue>> {
    let point = |number: u64| {
        let mut rest = number;
        let backwards = factors.iter().rev().map(|factor| {
            let index = rest % levels(factor);
            rest /= levels(factor);
            factor.step(index, levels(factor))
        });
        let mut point: Vec<LevelValue> = backwards.collect();
        point.reverse();
        point
    };
    (0..count).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::super::distribution::Distribution;
    use super::*;

    fn config(design: DesignKind, factor: Vec<Factor>) -> StudyConfig {
        StudyConfig {
            format: 1,
            description: String::new(),
            scenario: "x.toml".into(),
            design,
            points: Some(40),
            table: None,
            second_order: false,
            replications: 1,
            seed: 7,
            common_random_numbers: true,
            stop: None,
            perturb: None,
            question: None,
            responses: vec!["go".into()],
            factor,
        }
    }

    fn factor(name: &str) -> Factor {
        let (key, range) = (Some("time.duration".into()), Some([2.0, 6.0]));
        let (keys, values, levels, distribution) = (None, None, None, None);
        let (name, steps, scale) = (name.into(), Some(3), false);
        Factor { name, key, keys, values, levels, range, distribution, steps, scale }
    }

    fn numbers(points: &[Vec<LevelValue>], factor: usize) -> Vec<f64> {
        let number = |level: &LevelValue| match level {
            LevelValue::Number(x) => *x,
            _ => f64::NAN,
        };
        points.iter().map(|point| number(&point[factor])).collect()
    }

    #[test]
    fn a_full_factorial_design_has_every_combination_once() {
        let words = ["mud", "sand"].map(|word| LevelValue::Word(word.into()));
        let soil = Factor { range: None, values: Some(words.to_vec()), ..factor("soil") };
        let config = config(DesignKind::FullFactorial, vec![soil, factor("a")]);
        assert_eq!(count(&config), Some(6));
        let points = points(&config, 6);
        assert_eq!(numbers(&points, 1), [2.0, 4.0, 6.0, 2.0, 4.0, 6.0]);
        assert!(points[..3].iter().all(|point| point[0] == words[0]));
        assert!(points[3..].iter().all(|point| point[0] == words[1]));
    }

    #[test]
    fn a_latin_hypercube_draws_once_from_every_stratum() {
        let config = config(DesignKind::LatinHypercube, vec![factor("a"), factor("b")]);
        let points = points(&config, 40);
        for n in 0..2 {
            let mut strata: Vec<u64> =
                numbers(&points, n).iter().map(|x| ((x - 2.0) / 0.1) as u64).collect();
            strata.sort_unstable();
            assert!(strata.into_iter().eq(0..40));
        }
        assert_ne!(numbers(&points, 0), numbers(&points, 1));
    }

    #[test]
    fn a_new_factor_shifts_no_other() {
        for design in [DesignKind::LatinHypercube, DesignKind::Random] {
            let alone = points(&config(design, vec![factor("a")]), 40);
            let beside = points(&config(design, vec![factor("b"), factor("a")]), 40);
            assert_eq!(numbers(&alone, 0), numbers(&beside, 1));
        }
        // dimensions of a sequence are used in order, so an appended factor changes no other
        for design in [DesignKind::Sobol, DesignKind::Saltelli] {
            let alone = points(&config(design, vec![factor("a")]), 40);
            let beside = points(&config(design, vec![factor("a"), factor("b")]), 40);
            let rows = |points: &[Vec<LevelValue>], each| {
                numbers(points, 0).into_iter().step_by(each).collect::<Vec<_>>()
            };
            match design {
                DesignKind::Sobol => assert_eq!(rows(&alone, 1), rows(&beside, 1)),
                // A, B and a table per factor: three and four rows per base point
                _ => assert_eq!(rows(&alone, 3)[..10], rows(&beside, 4)[..10]),
            }
        }
    }

    #[test]
    fn values_are_drawn_alike() {
        let values = [1.0, 2.0, 3.0, 4.0].map(LevelValue::Number).to_vec();
        let factor = Factor { range: None, values: Some(values), ..factor("a") };
        let points = points(&config(DesignKind::LatinHypercube, vec![factor]), 40);
        let drawn = numbers(&points, 0);
        // ten strata of forty lie in each quarter
        for value in [1.0, 2.0, 3.0, 4.0] {
            assert_eq!(drawn.iter().filter(|x| **x == value).count(), 10);
        }
    }

    /// Levels of a range are short decimals.
    #[test]
    fn steps_of_a_range_are_decimals() {
        for (low, high, steps) in [(0.2, 1.0, 9), (0.1, 0.7, 7), (-0.3, 0.3, 7), (55.0, 276.0, 14)]
        {
            let own = Factor { range: Some([low, high]), steps: Some(steps), ..factor("a") };
            let drawn = numbers(&points(&config(DesignKind::FullFactorial, vec![own]), steps), 0);
            assert_eq!((drawn[0], drawn[steps as usize - 1]), (low, high));
            assert!(drawn.iter().all(|x| x.to_string().len() <= 4), "{drawn:?}");
        }
    }

    #[test]
    fn a_distribution_is_taken_by_its_quantiles() {
        let normal = Distribution::Normal { mean: 5.0, deviation: 1.0, low: None, high: None };
        let own = |name: &str| Factor { range: None, distribution: Some(normal), ..factor(name) };
        let drawn = numbers(&points(&config(DesignKind::LatinHypercube, vec![own("a")]), 40), 0);
        // strata: half below the median, 34.1 % within a deviation above
        assert_eq!(drawn.iter().filter(|x| **x < 5.0).count(), 20);
        let within = drawn.iter().filter(|x| (5.0..6.0).contains(*x)).count();
        assert!((13..=14).contains(&within), "{within}");
        // three steps are the medians of thirds
        let stepped = numbers(&points(&config(DesignKind::FullFactorial, vec![own("a")]), 3), 0);
        assert_eq!(stepped, [1.0 / 6.0, 0.5, 5.0 / 6.0].map(|part| normal.quantile(part)));
    }
}
