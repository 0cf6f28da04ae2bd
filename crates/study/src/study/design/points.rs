//! The design points: which level each factor has at each.

use super::config::{Design, Factor, Level, StudyConfig};
use crate::random::Stream;

/// How many points a design has; none where that is too large a number.
pub(super) fn count(config: &StudyConfig) -> Option<u64> {
    match config.design {
        Design::FullFactorial => {
            config.factor.iter().try_fold(1_u64, |n, factor| n.checked_mul(levels(factor)))
        }
        Design::LatinHypercube | Design::Random => config.points,
    }
}

/// Levels of a factor in a full factorial design.
fn levels(factor: &Factor) -> u64 {
    factor.values.as_ref().map_or(factor.steps.unwrap_or(1), |values| values.len() as u64)
}

/// All points of a design, each with a level a factor.
pub(super) fn points(config: &StudyConfig, count: u64) -> Vec<Vec<Level>> {
    let columns: Vec<Vec<f64>> = match config.design {
        Design::FullFactorial => return factorial(&config.factor, count),
        Design::LatinHypercube => each(config, |stream| latin(stream, count)),
        Design::Random => each(config, |stream| (0..count).map(|p| stream.uniform(p)).collect()),
    };
    let part = |point: usize| columns.iter().zip(&config.factor).map(move |(c, f)| (f, c[point]));
    (0..count as usize).map(|point| part(point).map(|(f, part)| f.level(part)).collect()).collect()
}

/// Draws of each factor, from a stream of its name.
fn each(config: &StudyConfig, draws: impl Fn(&Stream) -> Vec<f64>) -> Vec<Vec<f64>> {
    let stream = |factor: &Factor| Stream::new(config.seed, &format!("factor {}", factor.name));
    config.factor.iter().map(|factor| draws(&stream(factor))).collect()
}

/// One draw in each of `count` equal strata, in random order (M. McKay, R. Beckman and
/// W. Conover, Technometrics 21, 1979).
fn latin(stream: &Stream, count: u64) -> Vec<f64> {
    // draws below `count` lie within strata, those above order them
    let mut order: Vec<u64> = (0..count).collect();
    order.sort_by_key(|point| (stream.bits(count + point), *point));
    let mut parts = vec![0.0; order.len()];
    for (stratum, point) in order.into_iter().enumerate() {
        parts[point as usize] = (stratum as f64 + stream.uniform(point)) / count as f64;
    }
    parts
}

/// All combinations; the last factor's levels change fastest.
fn factorial(factors: &[Factor], count: u64) -> Vec<Vec<Level>> {
    let level = |factor: &Factor, index: u64| match &factor.values {
        Some(values) => values[index as usize].clone(),
        None => factor.level(index as f64 / (levels(factor) - 1).max(1) as f64),
    };
    let point = |number: u64| {
        let mut rest = number;
        let backwards = factors.iter().rev().map(|factor| {
            let index = rest % levels(factor);
            rest /= levels(factor);
            level(factor, index)
        });
        let mut point: Vec<Level> = backwards.collect();
        point.reverse();
        point
    };
    (0..count).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(design: Design, factor: Vec<Factor>) -> StudyConfig {
        StudyConfig {
            format: 1,
            description: String::new(),
            scenario: "x.toml".into(),
            design,
            points: Some(40),
            replications: 1,
            seed: 7,
            common_random_numbers: true,
            responses: vec!["go".into()],
            factor,
        }
    }

    fn factor(name: &str) -> Factor {
        let (key, range) = (Some("time.duration".into()), Some([2.0, 6.0]));
        Factor { name: name.into(), key, keys: None, values: None, range, steps: Some(3) }
    }

    fn numbers(points: &[Vec<Level>], factor: usize) -> Vec<f64> {
        let number = |level: &Level| match level {
            Level::Number(x) => *x,
            _ => f64::NAN,
        };
        points.iter().map(|point| number(&point[factor])).collect()
    }

    #[test]
    fn a_full_factorial_design_has_every_combination_once() {
        let words = ["mud", "sand"].map(|word| Level::Word(word.into()));
        let soil = Factor { range: None, values: Some(words.to_vec()), ..factor("soil") };
        let config = config(Design::FullFactorial, vec![soil, factor("a")]);
        assert_eq!(count(&config), Some(6));
        let points = points(&config, 6);
        assert_eq!(numbers(&points, 1), [2.0, 4.0, 6.0, 2.0, 4.0, 6.0]);
        assert!(points[..3].iter().all(|point| point[0] == words[0]));
        assert!(points[3..].iter().all(|point| point[0] == words[1]));
    }

    #[test]
    fn a_latin_hypercube_draws_once_from_every_stratum() {
        let config = config(Design::LatinHypercube, vec![factor("a"), factor("b")]);
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
        for design in [Design::LatinHypercube, Design::Random] {
            let alone = points(&config(design, vec![factor("a")]), 40);
            let beside = points(&config(design, vec![factor("b"), factor("a")]), 40);
            assert_eq!(numbers(&alone, 0), numbers(&beside, 1));
        }
    }

    #[test]
    fn values_are_drawn_alike() {
        let values = [1.0, 2.0, 3.0, 4.0].map(Level::Number).to_vec();
        let factor = Factor { range: None, values: Some(values), ..factor("a") };
        let points = points(&config(Design::LatinHypercube, vec![factor]), 40);
        let drawn = numbers(&points, 0);
        // ten strata of forty lie in each quarter
        for value in [1.0, 2.0, 3.0, 4.0] {
            assert_eq!(drawn.iter().filter(|x| **x == value).count(), 10);
        }
    }
}
