//! Identification of soil parameters from plate and shear measurements.
//!
//! Bekker's p = (k_c/b + k_φ) zⁿ and Janosi–Hanamoto's τ = (c + p tan φ)(1 - e^(-j/K)) are fitted
//! to pressures and stresses themselves, not to their logarithms. This equals the weighting by p²
//! that Wong requires in a logarithmic fit (J. Y. Wong, J. Terramech. 17, 1980).

use super::fit::{Fit, FitError, FitObservation, ILL_CONDITIONED, ParameterEstimate, fit};
use bekker_math::numeric::{atan, exp, ln, pow};
use serde::{Deserialize, Serialize};

/// Reasons why an identification fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentifyError {
    /// The text is not a table of measurements.
    #[error("{0}")]
    Table(#[from] csv::Error),
    /// A value of a row is out of range.
    #[error("row {row}: {column} = {value}: must be {allowed}")]
    Row {
        /// Row number; the first below the header is 1.
        row: usize,
        /// Name of the column.
        column: &'static str,
        /// Value.
        value: f64,
        /// Allowed range.
        allowed: &'static str,
    },
    /// A row has no plate size.
    #[error("row {row}: give width_m or diameter_m")]
    NoWidth {
        /// Row number.
        row: usize,
    },
    /// The fit failed.
    #[error(transparent)]
    Fit(#[from] FitError),
}

/// A point of a plate test.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct PlateRow {
    /// Shorter side of a rectangular plate, m.
    #[serde(default)]
    pub width_m: Option<f64>,
    /// Longer side of a rectangular plate, m.
    ///
    /// With it, Bekker's b is twice the area over the perimeter, as in the contacts of the
    /// simulation. Without it, b is the shorter side, as for a strip.
    #[serde(default)]
    pub length_m: Option<f64>,
    /// Diameter of a circular plate, m; Bekker's b is its radius.
    #[serde(default)]
    pub diameter_m: Option<f64>,
    /// Sinkage, m.
    pub sinkage_m: f64,
    /// Pressure, Pa.
    #[serde(rename = "pressure_Pa")]
    pub pressure: f64,
    /// Standard deviation of the pressure, Pa.
    #[serde(default, rename = "deviation_Pa")]
    pub deviation: Option<f64>,
    /// Trial of the point.
    #[serde(default)]
    pub trial: u32,
}

/// A point of a shear test.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct ShearRow {
    /// Normal pressure, Pa.
    #[serde(rename = "pressure_Pa")]
    pub pressure: f64,
    /// Shear displacement, m.
    pub displacement_m: f64,
    /// Shear stress, Pa.
    #[serde(rename = "stress_Pa")]
    pub stress: f64,
    /// Standard deviation of the stress, Pa.
    #[serde(default, rename = "deviation_Pa")]
    pub deviation: Option<f64>,
    /// Trial of the point.
    #[serde(default)]
    pub trial: u32,
}

/// Quality of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quality {
    /// Root mean square of the residuals, Pa.
    pub residual: f64,
    /// Fraction of the variance that the curve explains.
    pub explained: f64,
    /// Condition of the scaled Jacobian.
    pub condition: f64,
    /// Number of points.
    pub points: usize,
    /// Number of trials.
    pub trials: usize,
}

impl<const P: usize> From<&Fit<P>> for Quality {
    fn from(fit: &Fit<P>) -> Quality {
        let Fit { residual, explained, condition, points, trials, .. } = *fit;
        Quality { residual, explained, condition, points, trials }
    }
}

/// Bekker's parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SinkageParameters {
    /// k_φ, N/m^(n+2); for a single plate size, k_c/b + k_φ.
    pub k_phi: ParameterEstimate,
    /// k_c, N/m^(n+1); `None` for plates of one size.
    pub k_c: Option<ParameterEstimate>,
    /// Exponent n.
    pub n: ParameterEstimate,
    /// Quality of the fit.
    pub quality: Quality,
    /// k_φ and n with k_c fixed at zero, and the quality of that fit.
    pub without_k_c: Option<(ParameterEstimate, ParameterEstimate, Quality)>,
    /// Warnings for the user of the parameters.
    pub remarks: Vec<String>,
}

/// Parameters of Mohr–Coulomb and Janosi.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShearParameters {
    /// Cohesion, Pa; `None` for a single pressure.
    pub cohesion: Option<ParameterEstimate>,
    /// Angle of internal friction, rad.
    pub friction_angle: ParameterEstimate,
    /// Shear modulus K, m.
    pub shear_modulus: ParameterEstimate,
    /// Quality of the fit.
    pub quality: Quality,
    /// Warnings for the user of the parameters.
    pub remarks: Vec<String>,
}

/// Reads plate tests from CSV.
///
/// The columns are `sinkage_m`, `pressure_Pa`, `width_m` or `diameter_m`, and optionally
/// `deviation_Pa` and `trial`. Lines that begin with # are ignored.
///
/// # Errors
/// Unreadable tables, and values out of range.
pub fn read_plates(text: &str) -> Result<Vec<PlateRow>, IdentifyError> {
    let rows: Vec<PlateRow> = read(text)?;
    for (row, point) in rows.iter().enumerate() {
        let row = row + 1;
        let width = point.width_m.or(point.diameter_m).ok_or(IdentifyError::NoWidth { row })?;
        check_range(row, "the plate's size, m,", width, 0.005..=5.0, "from 0.005 to 5 m")?;
        let length = point.length_m.unwrap_or(width);
        check_range(row, "length_m", length, width..=50.0, "from width_m to 50 m")?;
        if let (Some(value), None) = (point.length_m, point.width_m) {
            let allowed = "absent unless width_m is given";
            return Err(IdentifyError::Row { row, column: "length_m", value, allowed });
        }
        check_range(row, "sinkage_m", point.sinkage_m, 1e-6..=2.0, "from 1e-6 to 2 m")?;
        check_range(row, "pressure_Pa", point.pressure, 0.0..=1e8, PRESSURES)?;
        let deviation = point.deviation.unwrap_or(1.0);
        check_range(row, "deviation_Pa", deviation, 1e-6..=1e8, "above 0 to 1e8 Pa")?;
    }
    Ok(rows)
}

/// Reads shear tests from CSV.
///
/// The columns are `pressure_Pa`, `displacement_m`, `stress_Pa`, and optionally `deviation_Pa` and
/// `trial`.
///
/// # Errors
/// Unreadable tables, and values out of range.
pub fn read_shears(text: &str) -> Result<Vec<ShearRow>, IdentifyError> {
    let rows: Vec<ShearRow> = read(text)?;
    for (row, point) in rows.iter().enumerate() {
        let row = row + 1;
        check_range(row, "pressure_Pa", point.pressure, 1e-3..=1e8, PRESSURES)?;
        check_range(row, "displacement_m", point.displacement_m, 0.0..=2.0, "from 0 to 2 m")?;
        check_range(row, "stress_Pa", point.stress, -1e8..=1e8, "from -1e8 to 1e8 Pa")?;
        let deviation = point.deviation.unwrap_or(1.0);
        check_range(row, "deviation_Pa", deviation, 1e-6..=1e8, "above 0 to 1e8 Pa")?;
    }
    Ok(rows)
}

fn read<R: for<'de> Deserialize<'de>>(text: &str) -> Result<Vec<R>, IdentifyError> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

/// Allowed pressures, for messages.
const PRESSURES: &str = "from 0 to 1e8 Pa";

fn check_range(
    row: usize,
    column: &'static str,
    value: f64,
    range: std::ops::RangeInclusive<f64>,
    allowed: &'static str,
) -> Result<(), IdentifyError> {
    // NaN is in no range
    if range.contains(&value) {
        return Ok(());
    }
    Err(IdentifyError::Row { row, column, value, allowed })
}

impl PlateRow {
    /// Returns the reciprocal of Bekker's b, 1/m.
    fn inverse_width(&self) -> f64 {
        match (self.width_m, self.length_m) {
            (Some(width), Some(length)) => 1.0 / width + 1.0 / length,
            (Some(width), None) => 1.0 / width,
            (None, _) => self.diameter_m.map_or(0.0, |diameter| 2.0 / diameter),
        }
    }
}

/// Estimates Bekker's parameters from plate tests.
///
/// # Errors
/// Points that do not determine the parameters.
pub fn fit_pressure_sinkage(rows: &[PlateRow]) -> Result<SinkageParameters, IdentifyError> {
    let observed: Vec<FitObservation> = rows
        .iter()
        .map(|r| FitObservation {
            value: r.pressure,
            deviation: r.deviation.unwrap_or(1.0),
            trial: r.trial,
        })
        .collect();
    let single = |p: &[f64; 2], i: usize| {
        let z = rows[i].sinkage_m;
        let power = pow(z, p[1]);
        (p[0] * power, [power, p[0] * power * ln(z)])
    };
    let one = fit(log_log(rows), &observed, single)?;
    let [k, n] = one.parameters;
    let widths = rows.iter().map(PlateRow::inverse_width);
    let (least, most) = widths.fold((f64::INFINITY, 0.0_f64), |(a, b), w| (a.min(w), b.max(w)));
    if most - least < 1e-6 * most {
        let remarks = vec![format!(
            "all plates have one size (b = {:.4} m), so k_c and k_phi cannot be separated; k_phi \
             here is k_c/b + k_phi, valid for contacts of that width",
            1.0 / most
        )];
        let quality = Quality::from(&one);
        let found =
            SinkageParameters { k_phi: k, k_c: None, n, quality, without_k_c: None, remarks };
        return Ok(found);
    }
    let both = |p: &[f64; 3], i: usize| {
        let (z, w) = (rows[i].sinkage_m, rows[i].inverse_width());
        let power = pow(z, p[2]);
        let modulus = p[0] * w + p[1];
        (modulus * power, [w * power, power, modulus * power * ln(z)])
    };
    let two = fit([0.0, k.value, n.value], &observed, both)?;
    let [k_c, k_phi, exponent] = two.parameters;
    let mut found = SinkageParameters {
        k_phi,
        k_c: Some(k_c),
        n: exponent,
        quality: Quality::from(&two),
        without_k_c: Some((k, n, Quality::from(&one))),
        remarks: Vec::new(),
    };
    found.remarks = remarks_on_plates(&found, &k_c, [1.0 / most, 1.0 / least]);
    if rows.iter().any(|row| row.width_m.is_some() && row.length_m.is_none()) {
        found.remarks.push(
            "where length_m is not given, b is width_m, as for strips. Simulated contacts have b = \
             2 area/perimeter, half the side of a square. For plates that are not much longer than \
             wide, k_c is up to twice too large; give length_m"
                .to_string(),
        );
    }
    Ok(found)
}

/// Returns initial values from the regression line of ln p over ln z.
fn log_log(rows: &[PlateRow]) -> [f64; 2] {
    let points: Vec<[f64; 2]> = rows
        .iter()
        .filter(|r| r.pressure > 0.0)
        .map(|r| [ln(r.sinkage_m), ln(r.pressure)])
        .collect();
    let count = points.len().max(1) as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let sxx: f64 = points.iter().map(|p| (p[0] - x) * (p[0] - x)).sum();
    let sxy: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let n = if sxx > 0.0 { (sxy / sxx).clamp(0.05, 3.0) } else { 1.0 };
    [exp(y - n * x), n]
}

fn remarks_on_plates(
    found: &SinkageParameters,
    k_c: &ParameterEstimate,
    [narrow, wide]: [f64; 2],
) -> Vec<String> {
    let mut remarks = Vec::new();
    let k_phi = found.k_phi.value;
    if k_c.value < 0.0 {
        remarks.push(format!(
            "k_c is negative: at the same sinkage the wider plate carried more pressure, which \
             Bekker's k_c/b + k_phi with positive moduli cannot represent. Possible causes are \
             frictional soil, whose bearing capacity grows with width, and nearby walls or bottom \
             of the box. The curve is valid only from b = {narrow:.3} to {wide:.3} m; below b = \
             {:.4} m its pressure would be negative",
            -k_c.value / k_phi
        ));
    }
    if k_c.low < 0.0 && k_c.high > 0.0 {
        remarks.push(
            "the bounds of k_c include zero: these plates show no effect of width; the fit with \
             k_c = 0 is equivalent with one parameter less"
                .to_string(),
        );
    }
    remarks.extend(condition(found.quality.condition, "plates with a wider range of widths"));
    if k_phi <= 0.0 {
        remarks.push(
            "k_phi is not positive: wide contacts would have no resistance; measure with wider \
             plates"
                .to_string(),
        );
    }
    if found.n.value > 1.3 {
        remarks.push(format!(
            "n = {:.2} is above 1.3: Bekker's closed forms for wheels (0.8 to 1.3) are not valid",
            found.n.value
        ));
    }
    remarks
}

fn condition(condition: f64, remedy: &str) -> Option<String> {
    (condition > ILL_CONDITIONED).then(|| {
        format!(
            "the parameters are strongly correlated (condition number {condition:.0}, limit \
             {ILL_CONDITIONED:.0}): other parameter sets give nearly the same curve. Use them only \
             as a set, or measure with {remedy}"
        )
    })
}

/// Estimates the parameters of Mohr–Coulomb and Janosi from shear tests.
///
/// # Errors
/// Points that do not determine the parameters.
pub fn fit_shear(rows: &[ShearRow]) -> Result<ShearParameters, IdentifyError> {
    let observed: Vec<FitObservation> = rows
        .iter()
        .map(|r| FitObservation {
            value: r.stress,
            deviation: r.deviation.unwrap_or(1.0),
            trial: r.trial,
        })
        .collect();
    let reach = rows.iter().map(|r| r.displacement_m).fold(0.0, f64::max);
    let ratio = rows.iter().map(|r| r.stress / r.pressure).fold(0.0, f64::max);
    let mobilized = |modulus: f64, j: f64| {
        let kept = exp(-j / modulus);
        (1.0 - kept, -kept * j / (modulus * modulus))
    };
    // without cohesion
    let without = |p: &[f64; 2], i: usize| {
        let (part, slope) = mobilized(p[1], rows[i].displacement_m);
        let q = rows[i].pressure;
        (p[0] * q * part, [q * part, p[0] * q * slope])
    };
    let start = [ratio.max(0.05), (0.2 * reach).max(1e-4)];
    let friction = fit(start, &observed, without)?;
    let mut remarks = Vec::new();
    let pressures = rows.iter().map(|r| r.pressure);
    let (least, most) = pressures.fold((f64::INFINITY, 0.0_f64), |(a, b), p| (a.min(p), b.max(p)));
    let several = most - least > 1e-6 * most;
    let mut cohesion = None;
    let [mut tangent, mut modulus] = friction.parameters;
    let mut quality = Quality::from(&friction);
    if several {
        let with = |p: &[f64; 3], i: usize| {
            let (part, slope) = mobilized(p[2], rows[i].displacement_m);
            let q = rows[i].pressure;
            let strength = p[0] + p[1] * q;
            (strength * part, [part, q * part, strength * slope])
        };
        let full = fit([0.0, tangent.value, modulus.value], &observed, with)?;
        let [c, t, k] = full.parameters;
        if c.value < 0.0 {
            remarks.push(format!(
                "fitted cohesion was {:.0} Pa, which is not possible: it is set to zero, and \
                 friction and K are fitted again",
                c.value
            ));
            cohesion = Some(ParameterEstimate::default());
        } else {
            (cohesion, tangent, modulus, quality) = (Some(c), t, k, Quality::from(&full));
            remarks.extend(condition(full.condition, "a wider range of pressures"));
        }
    } else {
        remarks.push(
            "all tests have one pressure, so cohesion and friction cannot be separated; the angle \
             attributes all strength to friction"
                .to_string(),
        );
    }
    if reach < 2.0 * modulus.value {
        remarks.push(format!(
            "the plate slid {:.1} mm, less than twice K; strength and K are extrapolated",
            1e3 * reach
        ));
    }
    let angle = |value: f64| atan(value);
    let friction_angle = ParameterEstimate {
        value: angle(tangent.value),
        error: tangent.error / (1.0 + tangent.value * tangent.value),
        low: angle(tangent.low),
        high: angle(tangent.high),
    };
    Ok(ShearParameters { cohesion, friction_angle, shear_modulus: modulus, quality, remarks })
}

/// Plate tests of CMU (C. Pavlov, 2022, github.com/robomechanics/3d-terramechanics).
///
/// Nine trials of three circular plates in dry sand.
pub const CMU_PLATES: &str = include_str!("measured/cmu_plates.csv");

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::RandomStream;

    /// Plates of three widths with 3 % scatter; the true values lie within the bounds.
    #[test]
    fn synthetic_plates_give_their_soil_back() {
        let (k_c, k_phi, n) = (20e3, 1.5e6, 0.9);
        let (mut inside, mut exact) = (0, Vec::new());
        for seed in 0..20 {
            let random = RandomStream::new(seed, "plates");
            let mut rows = Vec::new();
            for (trial, width) in [0.05, 0.1, 0.2].into_iter().enumerate() {
                for step in 1..=25 {
                    let z = 0.004 * f64::from(step);
                    let p = (k_c / width + k_phi) * pow(z, n);
                    let pressure = p + 2e3 * random.normal(rows.len() as u64);
                    rows.push(PlateRow {
                        width_m: Some(width),
                        length_m: None,
                        diameter_m: None,
                        sinkage_m: z,
                        pressure,
                        deviation: Some(2e3),
                        trial: trial as u32,
                    });
                }
            }
            let found = fit_pressure_sinkage(&rows).unwrap();
            let estimates = [(found.k_c.unwrap(), k_c), (found.k_phi, k_phi), (found.n, n)];
            inside += estimates.iter().filter(|(e, t)| (e.low..=e.high).contains(t)).count();
            exact.push(found.n.value);
        }
        // 60 bounds of 95 %: 57 hold on average, fewer than 52 in one of a hundred runs
        assert!(inside >= 52, "{inside} of 60 hold");
        let mean = exact.iter().sum::<f64>() / exact.len() as f64;
        assert!((mean - n).abs() < 0.01, "{mean}");
    }

    #[test]
    fn synthetic_shear_gives_its_soil_and_one_pressure_warns() {
        let (c, phi, k) = (1.3e3, 31.1_f64.to_radians(), 0.012);
        let rows: Vec<ShearRow> = [1e4, 3e4, 6e4]
            .into_iter()
            .flat_map(|pressure| {
                (1..=20).map(move |i| {
                    let j = 0.003 * f64::from(i);
                    let stress =
                        (c + pressure * bekker_math::numeric::tan(phi)) * (1.0 - exp(-j / k));
                    ShearRow { pressure, displacement_m: j, stress, deviation: None, trial: 0 }
                })
            })
            .collect();
        let found = fit_shear(&rows).unwrap();
        assert!((found.cohesion.unwrap().value / c - 1.0).abs() < 1e-6);
        assert!((found.friction_angle.value / phi - 1.0).abs() < 1e-6);
        assert!((found.shear_modulus.value / k - 1.0).abs() < 1e-6);
        let one = fit_shear(&rows[..20]).unwrap();
        assert!(one.cohesion.is_none() && one.remarks[0].contains("one pressure"));
    }

    /// As in the contacts of the simulation, b = 2 area/perimeter, half the side of a square.
    ///
    /// A table without lengths causes a remark.
    #[test]
    fn plates_have_the_width_of_the_contacts_that_are_driven() {
        let (k_c, k_phi, n) = (1e5, 1e3, 1.0);
        let rows = |length: bool| {
            let head = if length { "width_m,length_m," } else { "width_m," };
            let mut table = format!("{head}sinkage_m,pressure_Pa\n");
            for (width, long) in [(0.1, 0.1), (0.2, 0.2), (0.4, 1.2)] {
                for step in 1..=5 {
                    let z = 0.01 * f64::from(step);
                    let p = (k_c * (1.0 / width + 1.0 / long) + k_phi) * pow(z, n);
                    let length = if length { format!("{long},") } else { String::new() };
                    table += &format!("{width},{length}{z},{p}\n");
                }
            }
            fit_pressure_sinkage(&read_plates(&table).unwrap()).unwrap()
        };
        let told = rows(true);
        assert!((told.k_c.unwrap().value / k_c - 1.0).abs() < 1e-6, "{told:?}");
        let speaks =
            |found: &SinkageParameters| found.remarks.iter().any(|r| r.contains("length_m"));
        assert!(!speaks(&told));
        let strips = rows(false);
        assert!(strips.k_c.unwrap().value > 1.5 * k_c && speaks(&strips), "{strips:?}");
        for (table, named) in [
            ("width_m,length_m,sinkage_m,pressure_Pa\n0.2,0.1,0.01,1e4\n", "from width_m to 50 m"),
            (
                "diameter_m,length_m,sinkage_m,pressure_Pa\n0.2,0.3,0.01,1e4\n",
                "absent unless width_m",
            ),
        ] {
            let refused = read_plates(table).unwrap_err().to_string();
            assert!(refused.contains("length_m") && refused.contains(named), "{refused}");
        }
    }

    /// At 14 mm the plates of 60, 80 and 100 mm bore 11.9, 16.1 and 22.0 kPa.
    ///
    /// So k_c is negative, and a remark reports it. The authors' own fits of single trials have n
    /// from 1.33 to 1.61.
    #[test]
    fn the_cmu_plates_need_a_negative_k_c_with_a_warning() {
        let found = fit_pressure_sinkage(&read_plates(CMU_PLATES).unwrap()).unwrap();
        let k_c = found.k_c.unwrap();
        assert!(k_c.high < 0.0, "{k_c:?}");
        assert!((1.33..1.61).contains(&found.n.value), "{:?}", found.n);
        assert!(found.remarks.iter().any(|r| r.contains("k_c is negative")));
        let at = |b: f64| (k_c.value / b + found.k_phi.value) * pow(0.014, found.n.value);
        // one fit for all plates: within 12 % of each mean at one depth
        for (b, pressure) in [(0.03, 11.86e3), (0.04, 16.11e3), (0.05, 21.97e3)] {
            assert!((at(b) / pressure - 1.0).abs() < 0.12, "{b}: {}", at(b));
        }
        let (_, _, quality) = found.without_k_c.unwrap();
        assert!(quality.residual > found.quality.residual);
    }

    #[test]
    fn rows_that_cannot_be_are_refused() {
        let text = "sinkage_m,pressure_Pa,width_m\n0.01,1000,0.1\n-0.01,1000,0.1\n";
        let error = read_plates(text).unwrap_err().to_string();
        assert_eq!(error, "row 2: sinkage_m = -0.01: must be from 1e-6 to 2 m");
        let error = read_plates("sinkage_m,pressure_Pa\n0.01,1000\n").unwrap_err().to_string();
        assert_eq!(error, "row 1: give width_m or diameter_m");
    }
}
