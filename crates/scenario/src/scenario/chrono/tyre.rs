//! Tyres: TMeasy in full or by Chrono's rule for truck tyres, and what becomes one.

use super::ImportError;
use super::library::Source;
use super::log::Log;
use crate::numeric::{GRAVITY, pow};
use crate::vehicle::spec::{OutlinePoint, Point, RigidTyre, Tyre};
use crate::vehicle::tyre::{SlipCurve, TMeasy, Trail};
use serde::Deserialize;

/// Templates that are known, the best first.
pub(super) const TYRES: [&str; 4] = ["TMeasyTire", "TMsimpleTire", "FialaTire", "RigidTire"];
/// Radius of a rim over that of its tyre where no file gives it.
const RIM: f64 = 0.55;
/// Deflection under a nominal load, over the tyre's radius, where no file gives the load.
const DEFLECTION: f64 = 0.06;
/// Loads that tyres carry by their load index, kg, from index 80 on; 80 indices are a decade
/// (ISO 4000-1).
const LOAD_INDEX: [f64; 80] = [
    450.0, 462.0, 475.0, 487.0, 500.0, 515.0, 530.0, 545.0, 560.0, 580.0, 600.0, 615.0, 630.0,
    650.0, 670.0, 690.0, 710.0, 730.0, 750.0, 775.0, 800.0, 825.0, 850.0, 875.0, 900.0, 925.0,
    950.0, 975.0, 1000.0, 1030.0, 1060.0, 1090.0, 1120.0, 1150.0, 1180.0, 1215.0, 1250.0, 1285.0,
    1320.0, 1360.0, 1400.0, 1450.0, 1500.0, 1550.0, 1600.0, 1650.0, 1700.0, 1750.0, 1800.0, 1850.0,
    1900.0, 1950.0, 2000.0, 2060.0, 2120.0, 2180.0, 2240.0, 2300.0, 2360.0, 2430.0, 2500.0, 2575.0,
    2650.0, 2725.0, 2800.0, 2900.0, 3000.0, 3075.0, 3150.0, 3250.0, 3350.0, 3450.0, 3550.0, 3650.0,
    3750.0, 3875.0, 4000.0, 4125.0, 4250.0, 4375.0,
];

/// A tyre and the radius of its rim, m.
pub(super) struct Read {
    pub tyre: Tyre,
    pub rim_radius: f64,
}

/// The tyre of a file, `key` in ours.
pub(super) fn tyre(source: &Source, key: &str, log: &mut Log) -> Result<Read, ImportError> {
    log.origin(key, source);
    match source.template()? {
        "TMeasyTire" | "TMsimpleTire" => tmeasy(source, key, log),
        "FialaTire" => fiala(source, key, log),
        "RigidTire" => rigid(source, key, log),
        other => Err(source.refused("Template", other, &TYRES.join(", "))),
    }
}

#[derive(Deserialize)]
struct TMeasyFigures {
    #[serde(rename = "Design")]
    design: Design,
    #[serde(rename = "Coefficient of Friction")]
    friction: f64,
    #[serde(
        rename = "Rolling Resistance Coefficient",
        alias = "Rolling Resistance Coefficients",
        default
    )]
    rolling: OneOrTwo,
    #[serde(rename = "Vehicle Type")]
    kind: Option<String>,
    #[serde(rename = "Load Index")]
    load_index: Option<usize>,
    #[serde(rename = "Maximum Bearing Capacity [N]")]
    capacity: Option<f64>,
    #[serde(rename = "Inflation Pressure Design [Pa]")]
    design_pressure: Option<f64>,
    #[serde(rename = "Inflation Pressure Use [Pa]")]
    pressure: Option<f64>,
    #[serde(rename = "Parameters")]
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrTwo {
    One(f64),
    Two([f64; 2]),
}

impl Default for OneOrTwo {
    fn default() -> Self {
        OneOrTwo::One(0.015)
    }
}

impl OneOrTwo {
    fn first(&self) -> f64 {
        match self {
            OneOrTwo::One(one) => *one,
            OneOrTwo::Two([first, _]) => *first,
        }
    }
}

#[derive(Deserialize)]
struct Design {
    #[serde(rename = "Unloaded Radius [m]")]
    radius: f64,
    #[serde(rename = "Mass [kg]")]
    mass: f64,
    #[serde(rename = "Inertia [kg.m2]")]
    inertia: Point,
    #[serde(rename = "Width [m]")]
    width: f64,
    #[serde(rename = "Rim Radius [m]")]
    rim_radius: f64,
}

#[derive(Deserialize)]
struct Parameters {
    #[serde(rename = "Tire Load")]
    load: Loads,
    #[serde(rename = "Tire Stiffness")]
    stiffness: Stiffness,
    #[serde(rename = "Tire Damping")]
    damping: Option<Damping>,
    #[serde(rename = "Longitudinal")]
    longitudinal: Longitudinal,
    #[serde(rename = "Lateral")]
    lateral: Lateral,
    #[serde(rename = "Aligning")]
    aligning: Option<Aligning>,
}

#[derive(Deserialize)]
struct Loads {
    #[serde(rename = "Nominal Vertical Force [N]")]
    nominal: f64,
    #[serde(rename = "Maximum Vertical Force [N]")]
    most: f64,
}

#[derive(Deserialize)]
struct Stiffness {
    #[serde(rename = "Longitudinal [N/m]")]
    longitudinal: f64,
    #[serde(rename = "Lateral [N/m]")]
    lateral: f64,
    /// At the nominal load and at twice that.
    #[serde(rename = "Vertical [N/m]")]
    vertical: [f64; 2],
}

#[derive(Deserialize)]
struct Damping {
    #[serde(rename = "Longitudinal [Ns/m]")]
    longitudinal: f64,
    #[serde(rename = "Lateral [Ns/m]")]
    lateral: f64,
    #[serde(rename = "Vertical [Ns/m]")]
    vertical: f64,
}

#[derive(Deserialize)]
struct Longitudinal {
    #[serde(rename = "Initial Slopes dFx/dsx [N]")]
    slope: [f64; 2],
    #[serde(rename = "Maximum Fx Load [N]")]
    most: [f64; 2],
    #[serde(rename = "Slip sx at Maximum Fx")]
    slip_of_most: [f64; 2],
    #[serde(rename = "Sliding Fx Load [N]")]
    sliding: [f64; 2],
    #[serde(rename = "Slip sx where sliding begins")]
    slip_of_sliding: [f64; 2],
}

#[derive(Deserialize)]
struct Lateral {
    #[serde(rename = "Initial Slopes dFy/dsy [N]")]
    slope: [f64; 2],
    #[serde(rename = "Maximum Fy Load [N]")]
    most: [f64; 2],
    #[serde(rename = "Slip sy at Maximum Fy")]
    slip_of_most: [f64; 2],
    #[serde(rename = "Sliding Fy Load [N]")]
    sliding: [f64; 2],
    #[serde(rename = "Slip sy where sliding begins")]
    slip_of_sliding: [f64; 2],
}

#[derive(Deserialize)]
struct Aligning {
    #[serde(rename = "Normalized Trail at Zero Slip sy")]
    trail: [f64; 2],
    #[serde(rename = "Slip sy where Trail Changes Sign")]
    zero: [f64; 2],
    #[serde(rename = "Slip sy where Trail Tends to Zero")]
    end: [f64; 2],
}

fn tmeasy(source: &Source, key: &str, log: &mut Log) -> Result<Read, ImportError> {
    let own: TMeasyFigures = source.figures(log)?;
    let design = &own.design;
    let section = design.radius - design.rim_radius;
    let mut handling = match &own.parameters {
        Some(parameters) => parameters.handling(design),
        None => {
            let load = match (own.load_index, own.capacity) {
                (Some(index), _) => carried(index) * GRAVITY,
                (None, Some(capacity)) => capacity,
                (None, None) => {
                    let allowed = "given, or Parameters or Maximum Bearing Capacity [N]";
                    return Err(source.refused("Load Index", "absent", allowed));
                }
            };
            if own.load_index.is_some() && own.capacity.is_some() {
                let why = "Load Index comes before it, as in Chrono";
                log.omit(source, "Maximum Bearing Capacity [N]", why);
            }
            if own.kind.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("passenger")) {
                log.omit(source, "Vehicle Type", "by the rule for truck tyres here");
            }
            let inflated = match own.pressure.zip(own.design_pressure) {
                Some((used, of_design)) if used > 0.0 && of_design > 0.0 => used / of_design,
                _ => 1.0,
            };
            log.assume(format!("{key}.handling"), "by Chrono's rule for truck tyres");
            of_a_truck(load, inflated, design.radius, design.width, section, design.mass)
        }
    };
    handling.friction = own.friction;
    handling.rolling_resistance = own.rolling.first();
    let inertia = super::part::rotor(key, design.mass, design.inertia, log);
    let rigid = outline(design.radius, design.width, section, key, log);
    let tyre = Tyre { mass: design.mass, inertia, rigid, flexible: None, handling };
    Ok(Read { tyre, rim_radius: design.rim_radius })
}

/// What a tyre of a load index carries, kg.
fn carried(index: usize) -> f64 {
    let decade = (index / 80) as f64 - 1.0;
    LOAD_INDEX[index % 80] * pow(10.0, decade)
}

/// Chrono's rule for truck tyres of section 80 % (`GuessTruck80Par` at 7689fbc): the full load
/// deflects the tyre by 16 % of its section's height, half of it is the nominal load, which
/// falls with the inflation to the power of 0.8; slip curves are shares of that. The damping is
/// half of the critical one of the tyre's own mass.
fn of_a_truck(
    load: f64,
    inflated: f64,
    radius: f64,
    width: f64,
    section: f64,
    mass: f64,
) -> TMeasy {
    let stiffness = load / (0.16 * section);
    let nominal = 0.5 * load * pow(inflated, 0.8);
    let carcass = [0.9 * stiffness, 0.8 * stiffness];
    let damping = |stiffness: f64| (stiffness * mass).sqrt();
    let shares =
        |at_nominal: f64, at_double: f64| [at_nominal * nominal, at_double * 2.0 * nominal];
    TMeasy {
        unloaded_radius: radius,
        width,
        vertical_stiffness: stiffness,
        vertical_progression: 0.0,
        vertical_damping: damping(stiffness),
        nominal_load: nominal,
        max_load: 3.5 * nominal,
        friction: 0.8,
        rolling_resistance: 0.015,
        carcass_stiffness: carcass,
        carcass_damping: carcass.map(damping),
        longitudinal: SlipCurve {
            initial_slope: shares(17.7764, 14.5301),
            max_force: shares(0.89965, 0.77751),
            max_slip: [0.10811, 0.12389],
            sliding_force: shares(0.46183, 0.42349),
            sliding_slip: [0.66667, 0.66667],
        },
        lateral: SlipCurve {
            initial_slope: shares(7.4013, 6.8505),
            max_force: shares(0.75876, 0.72628),
            max_slip: [0.33167, 0.33216],
            sliding_force: shares(0.68276, 0.65319),
            sliding_slip: [1.0296, 1.0296],
        },
        trail: TRAIL,
    }
}

/// Trail of that rule.
const TRAIL: Trail =
    Trail { initial: [0.178, 0.19], zero_slip: [0.36484, 0.36538], end_slip: [1.0296, 1.0296] };

impl Parameters {
    fn handling(&self, design: &Design) -> TMeasy {
        // stiffness c over load F: F = a d + b d², c² = a² + 4 b F
        let [once, twice] = self.stiffness.vertical;
        let vanishing = (2.0 * once * once - twice * twice).max(0.25 * once * once).sqrt();
        let progression = ((twice * twice - once * once) / (4.0 * self.load.nominal)).max(0.0);
        let carcass = [self.stiffness.longitudinal, self.stiffness.lateral];
        let critical = |stiffness: f64| (stiffness * design.mass).sqrt();
        let damping = self.damping.as_ref();
        let trail = self.aligning.as_ref().map_or(TRAIL, |own| Trail {
            initial: own.trail,
            zero_slip: own.zero,
            end_slip: own.end,
        });
        TMeasy {
            unloaded_radius: design.radius,
            width: design.width,
            vertical_stiffness: vanishing,
            vertical_progression: progression,
            vertical_damping: damping.map_or(critical(vanishing), |own| own.vertical),
            nominal_load: self.load.nominal,
            max_load: self.load.most,
            friction: 0.8,
            rolling_resistance: 0.015,
            carcass_stiffness: carcass,
            carcass_damping: damping
                .map_or(carcass.map(critical), |own| [own.longitudinal, own.lateral]),
            longitudinal: SlipCurve {
                initial_slope: self.longitudinal.slope,
                max_force: self.longitudinal.most,
                max_slip: self.longitudinal.slip_of_most,
                sliding_force: self.longitudinal.sliding,
                sliding_slip: self.longitudinal.slip_of_sliding,
            },
            lateral: SlipCurve {
                initial_slope: self.lateral.slope,
                max_force: self.lateral.most,
                max_slip: self.lateral.slip_of_most,
                sliding_force: self.lateral.sliding,
                sliding_slip: self.lateral.slip_of_sliding,
            },
            trail,
        }
    }
}

/// The tyre's outline: a flat tread with bevelled shoulders.
fn outline(radius: f64, width: f64, section: f64, key: &str, log: &mut Log) -> RigidTyre {
    let what = "a tread flat over three quarters of its width, with bevelled shoulders";
    log.assume(format!("{key}.rigid.outline"), what);
    let half = 0.5 * width;
    let outline = vec![
        OutlinePoint { half_width: 0.0, radius },
        OutlinePoint { half_width: 0.75 * half, radius },
        OutlinePoint { half_width: half, radius: radius - 0.12 * section },
    ];
    RigidTyre { outline, grousers: None, soil: None }
}

#[derive(Deserialize)]
struct FialaFile {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
    #[serde(rename = "Coefficient of Friction", default = "on_road")]
    friction: f64,
    #[serde(rename = "Fiala Parameters")]
    fiala: Fiala,
}

fn on_road() -> f64 {
    0.8
}

#[derive(Deserialize)]
struct Fiala {
    #[serde(rename = "Unloaded Radius")]
    radius: f64,
    #[serde(rename = "Width")]
    width: f64,
    #[serde(rename = "Vertical Stiffness")]
    stiffness: Option<f64>,
    #[serde(rename = "Vertical Curve Data")]
    curve: Option<Vec<[f64; 2]>>,
    #[serde(rename = "Vertical Damping")]
    damping: f64,
    #[serde(rename = "Rolling Resistance", default)]
    rolling: f64,
    #[serde(rename = "CSLIP")]
    along: f64,
    #[serde(rename = "CALPHA")]
    aside: f64,
    #[serde(rename = "UMIN")]
    sliding: f64,
    #[serde(rename = "UMAX")]
    most: f64,
}

fn fiala(source: &Source, key: &str, log: &mut Log) -> Result<Read, ImportError> {
    let FialaFile { mass, inertia, friction, fiala: own } = source.figures(log)?;
    let (vanishing, progression) = match (&own.curve, own.stiffness) {
        (Some(curve), _) => parabola(curve),
        (None, Some(stiffness)) => (stiffness, 0.0),
        (None, None) => {
            return Err(source.refused("Fiala Parameters / Vertical Stiffness", "absent", "given"));
        }
    };
    let deflection = DEFLECTION * own.radius;
    let nominal = deflection * (vanishing + progression * deflection);
    let what = format!("load at a deflection of {DEFLECTION} of the radius");
    log.assume(format!("{key}.handling.nominal_load"), what);
    let what = "slopes, friction and slips of full sliding of Fiala's law; its trail is a truck's";
    log.assume(format!("{key}.handling"), what);
    let loads = [nominal, 2.0 * nominal];
    let slips = |slope: f64, times: f64| {
        loads.map(|load| (times * own.most * load / slope).clamp(1e-3, 0.9))
    };
    let law = |slope: f64, times: f64| SlipCurve {
        // steep enough for the greatest force at its slip
        initial_slope: [0, 1].map(|at| {
            slope.max(2.0 * own.most * loads[at] / slips(slope, times)[at] * (1.0 + 1e-9))
        }),
        max_force: loads.map(|load| own.most * load),
        max_slip: slips(slope, times),
        sliding_force: loads.map(|load| own.sliding.min(own.most) * load),
        sliding_slip: [1.0; 2],
    };
    let carcass = [0.9 * vanishing, 0.8 * vanishing];
    let handling = TMeasy {
        unloaded_radius: own.radius,
        width: own.width,
        vertical_stiffness: vanishing,
        vertical_progression: progression,
        vertical_damping: own.damping,
        nominal_load: nominal,
        max_load: 3.5 * nominal,
        friction,
        rolling_resistance: own.rolling,
        carcass_stiffness: carcass,
        carcass_damping: carcass.map(|stiffness| (stiffness * mass).sqrt()),
        // Fiala's forces reach friction at 2 and 3 times friction over slope
        longitudinal: law(own.along, 2.0),
        lateral: law(own.aside, 3.0),
        trail: TRAIL,
    };
    let rim_radius = RIM * own.radius;
    log.assume(format!("{key} on a rim"), format!("of {RIM} of its radius"));
    let inertia = super::part::rotor(key, mass, inertia, log);
    let rigid = outline(own.radius, own.width, own.radius - rim_radius, key, log);
    Ok(Read { tyre: Tyre { mass, inertia, rigid, flexible: None, handling }, rim_radius })
}

/// Rate and progression of a parabola a x + b x² by least squares through points, b not below 0.
fn parabola(points: &[[f64; 2]]) -> (f64, f64) {
    let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|&[x, y]| of(x, y)).sum::<f64>();
    let [x2, x3, x4] = [sum(&|x, _| x * x), sum(&|x, _| x * x * x), sum(&|x, _| x * x * x * x)];
    let [xy, x2y] = [sum(&|x, y| x * y), sum(&|x, y| x * x * y)];
    let determinant = x2 * x4 - x3 * x3;
    let (a, b) = ((xy * x4 - x2y * x3) / determinant, (x2 * x2y - x3 * xy) / determinant);
    if a > 0.0 && b > 0.0 { (a, b) } else { (xy / x2, 0.0) }
}

#[derive(Deserialize)]
struct RigidFigures {
    #[serde(rename = "Radius")]
    radius: f64,
    #[serde(rename = "Width")]
    width: f64,
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
    #[serde(rename = "Contact Material")]
    material: Material,
}

#[derive(Deserialize)]
struct Material {
    #[serde(rename = "Coefficient of Friction")]
    friction: f64,
    #[serde(rename = "Coefficients")]
    coefficients: Coefficients,
}

#[derive(Deserialize)]
struct Coefficients {
    #[serde(rename = "Normal Stiffness")]
    normal: f64,
}

fn rigid(source: &Source, key: &str, log: &mut Log) -> Result<Read, ImportError> {
    let own: RigidFigures = source.figures(log)?;
    let rim_radius = RIM * own.radius;
    let section = own.radius - rim_radius;
    log.assume(format!("{key} on a rim"), format!("of {RIM} of its radius"));
    log.assume(format!("{key}.handling"), "a truck tyre's of the stiffness of the contact");
    let load = own.material.coefficients.normal * 0.16 * section;
    let handling = TMeasy {
        friction: own.material.friction,
        ..of_a_truck(load, 1.0, own.radius, own.width, section, own.mass)
    };
    let inertia = super::part::rotor(key, own.mass, own.inertia, log);
    let rigid = outline(own.radius, own.width, section, key, log);
    let tyre = Tyre { mass: own.mass, inertia, rigid, flexible: None, handling };
    Ok(Read { tyre, rim_radius })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vehicle::find;

    /// The HMMWV's tyre is by the same rule from 3850 lbf and 37/12.5/16.5 in.
    #[test]
    fn the_rule_gives_the_hmmwv_s_tyre() {
        let known = find("hmmwv").unwrap().tyre;
        let load = 2.0 * known.handling.nominal_load;
        let TMeasy { unloaded_radius, width, .. } = known.handling;
        let section = unloaded_radius - 0.5 * 16.5 * 0.0254;
        let own = of_a_truck(load, 1.0, unloaded_radius, width, section, known.mass);
        let figures = |tyre: &TMeasy| {
            let curves = [tyre.longitudinal, tyre.lateral];
            let each = curves
                .map(|curve| [curve.initial_slope, curve.max_force, curve.sliding_force].concat());
            let [along, aside] = tyre.carcass_stiffness;
            let [slow, slower] = tyre.carcass_damping;
            let upright = [tyre.vertical_stiffness, tyre.vertical_damping, tyre.max_load];
            [each.concat(), upright.to_vec(), vec![along, aside, slow, slower]].concat()
        };
        // the file has ten digits
        for (a, b) in figures(&own).iter().zip(figures(&known.handling)) {
            assert!((a / b - 1.0).abs() < 1e-8, "{a} is not {b}");
        }
    }

    #[test]
    fn load_indices_are_those_of_the_table() {
        // by the standard's table: 108, 121, 159, 164 and 60
        for (index, mass) in [(108, 1000.0), (121, 1450.0), (159, 4375.0), (164, 5000.0)] {
            assert!((carried(index) / mass - 1.0).abs() < 1e-12, "{index}: {}", carried(index));
        }
        assert!((carried(60) - 250.0).abs() < 1e-9);
    }

    #[test]
    fn a_parabola_goes_through_its_own_points() {
        let points: Vec<[f64; 2]> =
            (1..6).map(|step| 0.01 * f64::from(step)).map(|x| [x, 1e5 * x + 2e6 * x * x]).collect();
        let (a, b) = parabola(&points);
        // least squares of exact points: rounding
        assert!((a / 1e5 - 1.0).abs() < 1e-9 && (b / 2e6 - 1.0).abs() < 1e-9, "{a}, {b}");
    }
}
