//! Engines and transmissions.

use super::kind::{POWERTRAINS, check_type, split_powertrain};
use super::library::Library;
use super::log::ImportLog;
use super::source::JsonSource;
use super::strut::curve;
use super::{CompanionFiles, ImportError};
use bekker_math::curve::Curve;
use bekker_vehicle::powertrain::{
    Engine, EngineClutch, Gearbox, Powertrain, RPM, TorqueBasis, TorqueConverter,
};
use serde::Deserialize;
use std::path::PathBuf;

/// Supported templates, in order of preference.
const ENGINES: [&str; 3] = ["EngineShafts", "EngineSimpleMap", "EngineSimple"];
const TRANSMISSIONS: [&str; 2] = ["AutomaticTransmissionShafts", "AutomaticTransmissionSimpleMap"];
/// Ratio of an engine's inertia to its maximum torque where none is specified, kg m² over N m: the
/// HMMWV's.
const INERTIA: f64 = 0.5 / 793.0;
/// Parameters of a clutch that replaces a missing one.
///
/// `CLUTCH` is its capacity over the engine's maximum torque. `ENGAGE` are the speeds of first
/// contact and full engagement, over the upshift speed of the first gear.
const CLUTCH: f64 = 1.5;
const ENGAGE: [f64; 2] = [0.3, 0.55];
/// Governor of an engine whose curve ends with positive torque.
///
/// `GOVERNED` is the end of governing over the end of the curve, `GOVERNOR` the braking torque
/// there over the maximum torque.
const GOVERNED: f64 = 1.06;
const GOVERNOR: f64 = -0.5;
/// Inertias of a gearbox that specifies none, kg m².
const GEARBOX: [f64; 2] = [0.3, 0.5];
/// Times between shifts and of a shift where none are specified, s.
const LATENCY: f64 = 1.0;
const SHIFT_TIME: f64 = 0.5;
/// Fraction of the maximum speed below which the end of an engine map indicates rad/s, not rpm.
const FEWEST: f64 = 0.25;
/// Minimum downshift speed, rpm; some files specify 0.
const MIN_DOWN: f64 = 1.0;

/// Reads engine, converter or clutch, and gearbox.
pub(super) fn powertrain(
    library: &Library,
    vehicle: &JsonSource,
    companions: &CompanionFiles,
    log: &mut ImportLog,
) -> Result<Powertrain, ImportError> {
    let combined = combined_powertrain(library, vehicle, companions, log)?;
    let mut of = |kind: &str, option: &str, given: &Option<PathBuf>, known: &[&str]| {
        let key = if kind == "Engine" { "powertrain.engine" } else { "powertrain.gearbox" };
        let path = match given {
            Some(path) => path.clone(),
            None => {
                let found = library.files_beside(vehicle, kind, known);
                let Some(first) = found.first() else {
                    let allowed =
                        format!("given by --{option}, because the vehicle's folder has none");
                    return Err(vehicle.refused(option, "absent", &allowed));
                };
                if found.len() > 1 {
                    let (name, of) = (library.display_path(first), found.len());
                    log.assume(
                        key,
                        format!("{name}, the best supported of {of} in the vehicle's folder"),
                    );
                }
                first.clone()
            }
        };
        let source = library.open(&path, log)?;
        check_type(&source, kind, known)?;
        log.origin(key, &source);
        Ok(source)
    };
    let [of_engine, of_transmission] = match combined {
        Some([engine, transmission]) => [Some(engine), Some(transmission)],
        None => [None, None],
    };
    let engine = match of_engine.filter(|_| companions.engine.is_none()) {
        Some(engine) => engine,
        None => of("Engine", "engine", &companions.engine, &ENGINES)?,
    };
    let transmission = match of_transmission.filter(|_| companions.transmission.is_none()) {
        Some(transmission) => transmission,
        None => of("Transmission", "transmission", &companions.transmission, &TRANSMISSIONS)?,
    };
    let (engine_source, mut engine) = (&engine, read_engine(&engine, log)?);
    let peak = engine.full_throttle_rpm.points().iter().map(|point| point[1]).fold(0.0, f64::max);
    match transmission.template()? {
        "AutomaticTransmissionShafts" => {
            let own: ShaftsTransmission = transmission.params(log)?;
            // there the gearbox's motor shaft takes part in the dynamics, the engine's is
            // overwritten
            if engine_source.template()? == "EngineShafts" {
                let why = "replaced by the gearbox's Motorshaft Inertia";
                log.omit(engine_source, "Motorshaft Inertia", why);
            }
            engine.inertia = own.motor_inertia;
            let key = "Torque Converter / ";
            let converter = TorqueConverter {
                capacity: curve(
                    &transmission,
                    &format!("{key}Capacity Factor Map"),
                    own.converter.capacity,
                )?,
                torque_ratio: curve(
                    &transmission,
                    &format!("{key}Torque Ratio Map"),
                    own.converter.torque_ratio,
                )?,
            };
            let inertias = [own.input_inertia, own.output_inertia];
            let gearbox = own.gearbox.gearbox(&transmission, inertias, log)?;
            Ok(Powertrain { engine, converter: Some(converter), clutch: None, gearbox })
        }
        "AutomaticTransmissionSimpleMap" => {
            let own: SimpleTransmission = transmission.params(log)?;
            log.assume("powertrain.gearbox.input_inertia", format!("{} kg m²", GEARBOX[0]));
            log.assume("powertrain.gearbox.output_inertia", format!("{} kg m²", GEARBOX[1]));
            let gearbox = own.gearbox.gearbox(&transmission, GEARBOX, log)?;
            let leaves = gearbox.shift_rpm.first().map_or(gearbox.upshift_rpm, |pair| pair[1]);
            let clutch = EngineClutch {
                torque: (CLUTCH * peak).round(),
                engage_rpm: ENGAGE.map(|share| (share * leaves).round()),
            };
            log.assume(
                "powertrain.clutch",
                "assumed, because the source connects engine and gearbox rigidly",
            );
            Ok(Powertrain { engine, converter: None, clutch: Some(clutch), gearbox })
        }
        other => Err(transmission.refused("Template", other, &TRANSMISSIONS.join(", "))),
    }
}

/// Returns engine and transmission of a combined file.
///
/// It is the file given in the call, or the preferred one of the vehicle's folder if that lacks a
/// separate file for either.
fn combined_powertrain(
    library: &Library,
    vehicle: &JsonSource,
    companions: &CompanionFiles,
    log: &mut ImportLog,
) -> Result<Option<[JsonSource; 2]>, ImportError> {
    let path = match &companions.powertrain {
        Some(path) => path.clone(),
        None => {
            let lacks = |kind: &str, given: &Option<PathBuf>, known: &[&str]| {
                given.is_none() && library.files_beside(vehicle, kind, known).is_empty()
            };
            let is_lacking = lacks("Engine", &companions.engine, &ENGINES)
                || lacks("Transmission", &companions.transmission, &TRANSMISSIONS);
            let found = library.files_beside(vehicle, "Powertrain", &POWERTRAINS);
            let Some(first) = found.first().filter(|_| is_lacking) else { return Ok(None) };
            let (name, of) = (library.display_path(first), found.len());
            log.assume(
                "powertrain",
                format!("{name}, the best supported of {of} in the vehicle's folder"),
            );
            first.clone()
        }
    };
    let source = library.open(&path, log)?;
    check_type(&source, "Powertrain", &POWERTRAINS)?;
    log.origin("powertrain", &source);
    split_powertrain(&source, log).map(Some)
}

#[derive(Deserialize)]
struct EngineShafts {
    #[serde(rename = "Motorshaft Inertia")]
    inertia: f64,
    #[serde(rename = "Torque Map")]
    torque: Vec<[f64; 2]>,
    #[serde(rename = "Losses Map")]
    losses: Vec<[f64; 2]>,
}

#[derive(Deserialize)]
struct EngineMap {
    #[serde(rename = "Maximal Engine Speed RPM")]
    most: f64,
    #[serde(rename = "Map Full Throttle")]
    full: Vec<[f64; 2]>,
    #[serde(rename = "Map Zero Throttle")]
    zero: Vec<[f64; 2]>,
}

impl EngineMap {
    /// Converts maps with speeds in rad/s to rpm: those that end far below the maximum speed.
    fn in_revolutions(&mut self, source: &JsonSource, log: &mut ImportLog) {
        let end = self.full.last().map_or(self.most, |point| point[0]);
        if end > FEWEST * self.most {
            return;
        }
        for (name, map) in [("Full", &mut self.full), ("Zero", &mut self.zero)] {
            map.iter_mut().for_each(|point| point[0] /= RPM);
            log.omit(
                source,
                &format!("Map {name} Throttle"),
                "its speeds are interpreted as rad/s",
            );
        }
    }
}

#[derive(Deserialize)]
struct EngineSimple {
    #[serde(rename = "Maximum Engine Torque")]
    torque: f64,
    #[serde(rename = "Maximum Engine Power")]
    power: f64,
    /// Maximum speed, rad/s.
    #[serde(rename = "Maximum Engine Speed")]
    speed: f64,
}

fn read_engine(source: &JsonSource, log: &mut ImportLog) -> Result<Engine, ImportError> {
    let assumed = |full: &[[f64; 2]], log: &mut ImportLog| {
        let inertia = INERTIA * full.iter().map(|point| point[1]).fold(0.0, f64::max);
        log.assume("powertrain.engine.inertia", "proportional to its torque, as for the HMMWV");
        (1e3 * inertia).round().max(1.0) / 1e3
    };
    let curves = |full: Vec<[f64; 2]>, losses: Vec<[f64; 2]>, log: &mut ImportLog| {
        let losses = curve(source, "losses", losses)?;
        let full = with_governor(full, &losses, log);
        Ok((curve(source, "torque", full)?, losses))
    };
    let ((full_throttle_rpm, losses_rpm), inertia) = match source.template()? {
        "EngineShafts" => {
            let own: EngineShafts = source.params(log)?;
            (curves(own.torque, own.losses, log)?, own.inertia)
        }
        "EngineSimpleMap" => {
            let mut own: EngineMap = source.params(log)?;
            own.in_revolutions(source, log);
            let inertia = assumed(&own.full, log);
            let (full, zero) = (
                curve(source, "Map Full Throttle", own.full)?,
                curve(source, "Map Zero Throttle", own.zero)?,
            );
            // Chrono's torque is throttle full + (1 - throttle) zero, bekker's is throttle full +
            // losses
            let knots = curve_speeds(&full, &zero, own.most);
            let full = knots.iter().map(|&x| [x, full.value(x) - zero.value(x)]).collect();
            let losses = knots.iter().map(|&x| [x, loss_torque(x, zero.value(x))]).collect();
            (curves(full, losses, log)?, inertia)
        }
        "EngineSimple" => {
            let own: EngineSimple = source.params(log)?;
            let torque = |speed: f64| own.torque.min(own.power / speed.max(1e-6));
            // evenly spaced over 1/speed beyond the corner, where the curve bends
            let corner = (own.power / own.torque).min(own.speed);
            let beyond = (0..=12).map(|step| {
                let share = f64::from(step) / 12.0;
                1.0 / ((1.0 - share) / corner + share / own.speed)
            });
            let mut full = vec![[0.0, own.torque]];
            full.extend(beyond.map(|speed| [speed / RPM, torque(speed)]));
            full.dedup_by(|next, before| next[0] <= before[0]);
            let inertia = assumed(&full, log);
            log.assume("powertrain.engine.losses_rpm", "none, as in the source");
            let end = full.last().map_or(1.0, |point| point[0]);
            (curves(full, vec![[0.0, 0.0], [end, 0.0]], log)?, inertia)
        }
        other => return Err(source.refused("Template", other, &ENGINES.join(", "))),
    };
    let torque_basis = Some(TorqueBasis::Gross);
    Ok(Engine { full_throttle_rpm, losses_rpm, torque_basis, inertia, fuel: None })
}

/// Returns a torque of losses: at most 0 for an engine that turns forward.
fn loss_torque(rpm: f64, torque: f64) -> f64 {
    if rpm > 0.0 { torque.min(0.0) } else { torque }
}

/// Returns the speeds at which either curve has a point, up to the maximum speed.
fn curve_speeds(full: &Curve, zero: &Curve, most: f64) -> Vec<f64> {
    let all = full.points().iter().chain(zero.points()).map(|point| point[0]);
    let mut knots: Vec<f64> = all.filter(|speed| *speed <= most).chain([most]).collect();
    knots.sort_by(f64::total_cmp);
    knots.dedup();
    knots
}

/// Appends a governor to the curve unless it has one, so that an engine cannot overspeed.
fn with_governor(mut full: Vec<[f64; 2]>, losses: &Curve, log: &mut ImportLog) -> Vec<[f64; 2]> {
    let Some(&[end, torque]) = full.last() else { return full };
    let beyond = losses.points().last().map_or(0.0, |point| point[1]);
    if torque + beyond < 0.0 {
        return full;
    }
    let peak = full.iter().map(|point| point[1]).fold(0.0, f64::max);
    log.assume(
        "powertrain.engine.full_throttle_rpm",
        "a governor above the source's highest speed",
    );
    full.push([(GOVERNED * end).round().max(end + 1.0), GOVERNOR * peak]);
    full
}

#[derive(Deserialize)]
struct ShaftsTransmission {
    #[serde(rename = "Input Shaft Inertia")]
    input_inertia: f64,
    #[serde(rename = "Motorshaft Inertia")]
    motor_inertia: f64,
    #[serde(rename = "Driveshaft Inertia")]
    output_inertia: f64,
    #[serde(rename = "Torque Converter")]
    converter: ConverterParams,
    #[serde(rename = "Gear Box")]
    gearbox: Gears,
}

#[derive(Deserialize)]
struct ConverterParams {
    #[serde(rename = "Capacity Factor Map")]
    capacity: Vec<[f64; 2]>,
    #[serde(rename = "Torque Ratio Map")]
    torque_ratio: Vec<[f64; 2]>,
}

#[derive(Deserialize)]
struct SimpleTransmission {
    #[serde(rename = "Gear Box")]
    gearbox: Gears,
}

#[derive(Deserialize)]
struct Gears {
    #[serde(rename = "Forward Gear Ratios")]
    ratios: Vec<f64>,
    #[serde(rename = "Reverse Gear Ratio")]
    reverse: f64,
    #[serde(rename = "Upshift RPM")]
    up: Option<f64>,
    #[serde(rename = "Downshift RPM")]
    down: Option<f64>,
    #[serde(rename = "Shift Points Map RPM")]
    shifts: Option<Vec<[f64; 2]>>,
    #[serde(rename = "Shift Latency")]
    latency: Option<f64>,
}

impl Gears {
    fn gearbox(
        self,
        source: &JsonSource,
        [input_inertia, output_inertia]: [f64; 2],
        log: &mut ImportLog,
    ) -> Result<Gearbox, ImportError> {
        let shifts: Vec<[f64; 2]> = self.shifts.unwrap_or_default();
        let shifts: Vec<[f64; 2]> =
            shifts.into_iter().map(|[down, up]| [down.max(MIN_DOWN), up]).collect();
        let first = shifts.first().copied();
        let (down, up) =
            (self.down.or(first.map(|own| own[0])), self.up.or(first.map(|own| own[1])));
        let Some((down, up)) = down.zip(up) else {
            let key = "Gear Box / Shift Points Map RPM";
            return Err(source.refused(
                key,
                "absent",
                "given, unless Upshift RPM and Downshift RPM are given",
            ));
        };
        if self.latency.is_none() {
            log.assume("powertrain.gearbox.latency", format!("{LATENCY} s"));
        }
        log.assume("powertrain.gearbox.shift_time", format!("{SHIFT_TIME} s"));
        let mut ratios = self.ratios;
        if !ratios.is_sorted() {
            log.omit(source, "Gear Box / Forward Gear Ratios", "sorted in increasing order");
            ratios.sort_by(f64::total_cmp);
        }
        Ok(Gearbox {
            ratios,
            reverse: -self.reverse.abs(),
            upshift_rpm: up,
            downshift_rpm: down,
            shift_rpm: shifts,
            latency: self.latency.unwrap_or(LATENCY),
            shift_time: SHIFT_TIME,
            input_inertia,
            output_inertia,
        })
    }
}
