//! Usual ranges of off-road vehicles, and warnings for values of a sheet outside them.
//!
//! The ranges are rules of thumb and deliberately wide:
//!
//! - Natural frequencies of 1 to 3 Hz for bodies and 7 to 15 Hz for wheels of trucks and cars
//!   (Wong, *Theory of Ground Vehicles*, chapter 7).
//! - A damping ratio of 0.2 to 0.7.
//! - A static stability factor of 0.7 to 1.5, from laden trucks to cars.
//! - A grade of 0.6, which is required of military vehicles.
//!
//! Driven axles must by law carry a quarter of the weight (Directive 96/53/EC, annex I, 4.1, from
//! memory). That applies to roads, where they transmit 0.8 of their load; a vehicle on soil needs
//! more.

use super::{AxleSheet, EngineSheet, FIRM, SpringRest, VehicleSheet};

/// Usual ranges.
const BOUNCE: [f64; 2] = [0.9, 3.2];
const HOP: [f64; 2] = [5.0, 18.0];
const DAMPING: [f64; 2] = [0.1, 1.5];
const STABILITY: [f64; 2] = [0.7, 2.0];
const SHARE: [f64; 2] = [0.08, 0.75];
/// A tenth of the track width to the side: drivers and tanks cause a few hundredths.
const LEFT: [f64; 2] = [0.4, 0.6];
const GRADE: f64 = 0.6;
const DRIVEN: f64 = 0.25;
/// Area of the shoe faces over that of the track's underside, below which there is a warning.
///
/// Below it the pressure on soft ground exceeds the nominal ground pressure. Gaps between real
/// shoes are a few hundredths of the area.
const FACES: f64 = 0.85;
const CIRCLE: [f64; 2] = [3.0, 30.0];
/// Relative difference allowed between the stated steering angle and that of the linkage.
///
/// Files round to degrees, and means of a linkage differ from Ackermann's geometry.
const STATED: f64 = 0.15;
/// Relative difference of power above which the basis of a curve, gross or net, matters.
const BASIS: f64 = 0.03;
/// Relative difference allowed between the load on the axles at rest and the weight.
///
/// The equilibrium is accurate to a few thousandths.
const SETTLED: f64 = 5e-3;

/// Returns a sentence for each value outside its range, with its keys.
pub(super) fn warnings(sheet: &VehicleSheet) -> Vec<String> {
    let mut found = Vec::new();
    let firm = (!sheet.rests).then_some(FIRM);
    let soft = sheet.soils.iter().filter(|own| own.sinkage.is_none()).map(|own| own.soil.as_str());
    let restless: Vec<&str> = firm.into_iter().chain(soft).collect();
    if !restless.is_empty() {
        let loads = firm.map_or("", |_| "its loads are those of the design position; ");
        found.push(format!(
            "no equilibrium found on {}: {loads}check axles.spring, trailer",
            restless.join(", ")
        ));
    }
    let carried: f64 = sheet.axles.iter().map(|axle| axle.share).sum();
    if !sheet.axles.is_empty() && (carried - 1.0).abs() > SETTLED {
        found.push(format!(
            "its axles carry {carried:.3} of its weight on {FIRM}: it is not fully at rest, or it \
             rests on its hull"
        ));
    }
    let mut judge = |what: String, value: f64, [low, high]: [f64; 2], unit: &str, keys: &str| {
        if !(low..=high).contains(&value) {
            found
                .push(format!("{what} is {value:.2}{unit}, usually {low} to {high}: check {keys}"));
        }
    };
    for (index, axle) in sheet.axles.iter().enumerate() {
        let (name, at) = (&axle.name, format!("axles[{index}]"));
        if let Some(own) = &axle.springs {
            judge(format!("{name}: bounce"), own.bounce, BOUNCE, " Hz", &format!("{at}.spring"));
            let keys = format!("{at}.suspension, tire.handling.vertical_stiffness");
            judge(format!("{name}: wheel hop"), own.hop, HOP, " Hz", &keys);
            let (ratio, keys) = (own.damping_ratio, format!("{at}.damper"));
            judge(format!("{name}: damping ratio"), ratio, DAMPING, "", &keys);
        }
        judge(format!("{name}: fraction of the weight"), axle.share, SHARE, "", "chassis.com");
    }
    let axles = sheet.axles.iter().enumerate();
    let resting: Vec<String> = axles.filter_map(|(index, axle)| rests(index, axle)).collect();
    let factor = sheet.roll.stability_factor;
    judge("static stability factor".into(), factor, STABILITY, "", "chassis.com");
    judge("fraction of the weight on the left".into(), sheet.roll.left, LEFT, "", "chassis.com");
    if let Some(trailer) = &sheet.trailer_roll {
        let what = "trailer: fraction of the weight on the left".into();
        judge(what, trailer.left, LEFT, "", "trailer.chassis.com");
    }
    if let Some(turning) = &sheet.turning {
        judge("turning circle".into(), turning.circle, CIRCLE, " m", "steering");
        let (reached, stated) = (turning.angle_deg, turning.stated_deg);
        if (reached / stated - 1.0).abs() > STATED {
            found.push(format!(
                "its linkage turns its wheels by {reached:.1} degrees at full lock, but drivers \
                 use the {stated:.1} that its file states: check steering"
            ));
        }
    }
    found.extend(resting);
    if sheet.hull.as_ref().is_some_and(|hull| hull.on_stop) {
        found.push(
            "its road arms rest on their bump stops: check road_arm.torque, road_arm.stiffness, \
             chassis.mass"
                .into(),
        );
    }
    found.extend(engine(sheet));
    if let Some(hull) = sheet.hull.filter(|hull| hull.face_share < FACES) {
        let nominal = 1e-3 * hull.ground_pressure;
        let share = hull.face_share;
        found.push(format!(
            "shoe.faces cover {share:.2} of the undersides of the tracks, usually {FACES} or more: \
             pressure on soft ground is {:.0} kPa, not the nominal {nominal:.0}",
            nominal / share
        ));
    }
    if let Some(share) = sheet.driven.filter(|share| *share < DRIVEN) {
        found.push(format!(
            "fraction of the weight on driven axles is {share:.2}, usually {DRIVEN} or more: it \
             may not start on soil; check driveline, chassis.com"
        ));
    }
    if let Some(grade) = sheet.effort.first().and_then(|still| still.grade).filter(|g| *g < GRADE) {
        found.push(format!(
            "the steepest grade that its tractive effort allows is {grade:.2}, usually {GRADE} or \
             more: check powertrain, axles.final_drive.ratio"
        ));
    }
    found
}

/// Returns a warning about a spring that does not carry its axle by itself, with its keys.
fn rests(index: usize, axle: &AxleSheet) -> Option<String> {
    let springs = axle.springs.as_ref()?;
    let (what, keys) = match springs.rests_on? {
        SpringRest::BumpStop => ("its bump stop", "free_length, tension, stops.min_length"),
        SpringRest::ReboundStop => ("its rebound stop", "free_length, stops.max_length"),
        SpringRest::CurveEnd => ("the end of its curve", "free_length, tension"),
    };
    let (name, load, rate) = (&axle.name, 0.5 * axle.load, springs.wheel_rate);
    Some(format!(
        "{name}: at rest under {load:.0} N the spring is on {what}, where its rate of {rate:.0} \
         N/m at the wheel is not valid: check axles[{index}].spring: {keys}"
    ))
}

/// Returns a warning about an engine whose file does not state whether its curve is gross, where
/// that matters.
fn engine(sheet: &VehicleSheet) -> Option<String> {
    let EngineSheet { shaft, curve, basis } = sheet.engine.as_ref()?;
    let matters = basis.is_none() && shaft.power < (1.0 - BASIS) * curve.power;
    matters.then(|| {
        format!(
            "the engine gives {:.0} kW at the crankshaft, but {:.0} kW by full_throttle_rpm; \
             manufacturers' curves are net: check powertrain.engine.torque_basis",
            1e-3 * shaft.power,
            1e-3 * curve.power
        )
    })
}
