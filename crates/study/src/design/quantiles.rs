//! Quantiles of standard distributions, bit-identical on all machines.

use bekker_math::numeric::{exp, ln, ln_gamma};

/// Returns the quantile of the standard normal distribution.
///
/// It uses the rational functions PPND16 of M. Wichura (Algorithm AS 241, Applied Statistics 37,
/// 1988), with a relative accuracy of 1e-16.
pub(super) fn normal_quantile(part: f64) -> f64 {
    let q = part - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(&MIDDLE, r);
    }
    let r = (-ln(part.min(1.0 - part))).sqrt();
    let size = if r <= 5.0 { ratio(&TAIL, r - 1.6) } else { ratio(&FAR, r - 5.0) };
    size.copysign(q)
}

/// Coefficients of a numerator and a denominator, in ascending powers.
type Rational = [[f64; 8]; 2];

const MIDDLE: Rational = [
    [
        3.3871328727963665,
        133.14166789178438,
        1971.5909503065513,
        13731.69376550946,
        45921.95393154987,
        67265.7709270087,
        33430.57558358813,
        2509.0809287301227,
    ],
    [
        1.0,
        42.31333070160091,
        687.1870074920579,
        5394.196021424751,
        21213.794301586597,
        39307.89580009271,
        28729.085735721943,
        5226.495278852854,
    ],
];
const TAIL: Rational = [
    [
        1.4234371107496835,
        4.630337846156546,
        5.769497221460691,
        3.6478483247632045,
        1.2704582524523684,
        0.2417807251774506,
        0.022723844989269184,
        0.0007745450142783414,
    ],
    [
        1.0,
        2.053191626637759,
        1.6763848301838038,
        0.6897673349851,
        0.14810397642748008,
        0.015198666563616457,
        0.0005475938084995345,
        1.0507500716444169e-09,
    ],
];
const FAR: Rational = [
    [
        6.657904643501103,
        5.463784911164114,
        1.7848265399172913,
        0.29656057182850487,
        0.026532189526576124,
        0.0012426609473880784,
        2.7115555687434876e-05,
        2.0103343992922881e-07,
    ],
    [
        1.0,
        0.599832206555888,
        0.1369298809227358,
        0.014875361290850615,
        0.0007868691311456133,
        1.8463183175100548e-05,
        1.421511758316446e-07,
        2.0442631033899397e-15,
    ],
];

fn ratio([above, below]: &Rational, x: f64) -> f64 {
    let at = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    at(above) / at(below)
}

/// Returns the quantile of the beta distribution of shapes `a` and `b`, by bisection to 1e-16.
pub(super) fn beta_quantile(a: f64, b: f64, part: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        if incomplete_beta(a, b, middle) < part { low = middle } else { high = middle }
    }
    low
}

/// Returns the regularized incomplete beta function.
///
/// It uses its continued fraction (*NIST Handbook of Mathematical Functions*, 8.17.22) on the side
/// where that converges fast.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let ln_front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * ln(x) + b * ln(1.0 - x);
    exp(ln_front) / (a * fraction(a, b, x))
}

/// Evaluates 1 + d₁/(1 + d₂/(1 + ...)) by the method of W. Lentz as modified by I. Thompson and A.
/// Barnett (J. Comput. Phys. 64, 1986).
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |x: f64| if x.abs() < TINY { TINY } else { x };
    let (mut value, mut above, mut below) = (1.0, 1.0, 0.0);
    // the number of terms grows as the root of the greater shape
    for n in 1..2000 {
        let m = f64::from(n / 2);
        let d = if n % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        below = 1.0 / away(1.0 + d * below);
        above = away(1.0 + d / above);
        value *= above * below;
        if (above * below - 1.0_f64).abs() < 1e-16 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Beta, ContinuousCDF};

    /// The three values printed with AS 241.
    #[test]
    fn gives_the_published_normal_quantiles() {
        for (part, known) in [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_814),
            (1e-20, -9.262_340_089_798_408),
        ] {
            assert!((normal_quantile(part) / known - 1.0).abs() < 1e-15);
        }
        assert_eq!(normal_quantile(0.5), 0.0);
    }

    #[test]
    fn gives_the_beta_distribution_of_another_library() {
        for (a, b) in [(0.5, 0.5), (2.0, 5.0), (1.0, 1.0), (30.0, 0.7), (800.0, 1200.0)] {
            let other = Beta::new(a, b).unwrap();
            for n in 1..20 {
                let part = f64::from(n) / 20.0;
                let x = beta_quantile(a, b, part);
                // each library has an error of one gamma function in the exponent
                assert!((other.cdf(x) - part).abs() < 1e-11, "{a} {b} {part}");
                assert!((incomplete_beta(a, b, x) - part).abs() < 1e-11, "{a} {b} {part}");
            }
        }
    }
}
