//! TMeasy tires.

use super::super::ImportError;
use super::super::log::ImportLog;
use super::super::part::rotor;
use super::super::source::JsonSource;
use super::truck::{TRAIL, load_capacity, truck_tire};
use super::{ImportedTire, outline};
use bekker_math::numeric::GRAVITY;
use bekker_vehicle::spec::{Point, Tire};
use bekker_vehicle::tire::{PneumaticTrail, SlipCurve, TMeasy};
use serde::Deserialize;

#[derive(Deserialize)]
struct TMeasyParams {
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

pub(super) fn tmeasy(
    source: &JsonSource,
    key: &str,
    log: &mut ImportLog,
) -> Result<ImportedTire, ImportError> {
    let own: TMeasyParams = source.params(log)?;
    let design = &own.design;
    let section = design.radius - design.rim_radius;
    let mut handling = match &own.parameters {
        Some(parameters) => parameters.handling(design),
        None => {
            let load = match (own.load_index, own.capacity) {
                (Some(index), _) => load_capacity(index) * GRAVITY,
                (None, Some(capacity)) => capacity,
                (None, None) => {
                    let allowed = "given, unless Parameters or Maximum Bearing Capacity [N] is \
                        given";
                    return Err(source.refused("Load Index", "absent", allowed));
                }
            };
            if own.load_index.is_some() && own.capacity.is_some() {
                let why = "Load Index has priority, as in Chrono";
                log.omit(source, "Maximum Bearing Capacity [N]", why);
            }
            if own.kind.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("passenger")) {
                log.omit(source, "Vehicle Type", "the rule for truck tires is used");
            }
            let inflated = match own.pressure.zip(own.design_pressure) {
                Some((used, of_design)) if used > 0.0 && of_design > 0.0 => used / of_design,
                _ => 1.0,
            };
            log.assume(format!("{key}.handling"), "from Chrono's rule for truck tires");
            truck_tire(load, inflated, design.radius, design.width, section, design.mass)
        }
    };
    handling.friction = own.friction;
    handling.rolling_resistance = own.rolling.first();
    let inertia = rotor(key, design.mass, design.inertia, log);
    let rigid = outline(design.radius, design.width, section, key, log);
    let tire = Tire { mass: design.mass, inertia, rigid, flexible: None, handling };
    Ok(ImportedTire { tire, rim_radius: design.rim_radius })
}

impl Parameters {
    fn handling(&self, design: &Design) -> TMeasy {
        // stiffness c over load F: F = a d + b d², c² = a² + 4 b F
        let [once, twice] = self.stiffness.vertical;
        let vanishing = (2.0 * once * once - twice * twice).max(0.25 * once * once).sqrt();
        let progression = ((twice * twice - once * once) / (4.0 * self.load.nominal)).max(0.0);
        let carcass = [self.stiffness.longitudinal, self.stiffness.lateral];
        let critical = |stiffness: f64| (stiffness * design.mass).sqrt();
        let damping = self.damping.as_ref();
        let trail = self.aligning.as_ref().map_or(TRAIL, |own| PneumaticTrail {
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
