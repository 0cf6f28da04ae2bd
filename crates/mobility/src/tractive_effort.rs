//! Steady tractive effort of engine, converter and gearbox at the rims, and its balance with
//! resistance.
//!
//! After J. Y. Wong, *Theory of Ground Vehicles*, chapter 3. At a speed, in each gear, the engine
//! is at full throttle and turns at the speed that the converter's capacity allows. The rest
//! follows from ratios. Only losses that the file states are included.

use bekker_math::numeric::{GRAVITY, asin, atan, cos, hypot, sin, tan};
use bekker_vehicle::powertrain::Powertrain;
use bekker_vehicle::spec::MotorDriveSpec;
use bekker_vehicle::{AnySpec, VehicleSpec, air_drag};

/// Upper limit of the speeds considered, m/s.
const FASTEST: f64 = 60.0;

/// Source of the torque at the wheels or sprockets.
#[derive(Clone, Copy, Debug)]
enum TorqueSource<'a> {
    /// An engine with its gearbox.
    Engine(&'a Powertrain),
    /// Electric motors, and their number.
    Motors(&'a MotorDriveSpec, f64),
}

/// Tractive effort of a vehicle.
#[derive(Clone, Debug)]
pub struct TractiveEffort<'a> {
    source: TorqueSource<'a>,
    /// Speed of the rims over that of the gearbox output or the motors, and the rim radius, m.
    ratio: f64,
    radius: f64,
    weight: f64,
    /// Rolling resistance over the weight: at rest, and its increase per m/s.
    resistance: [f64; 2],
    /// Drag area, m², if the file specifies one.
    drag_area: Option<f64>,
}

impl<'a> TractiveEffort<'a> {
    /// Creates the model from a vehicle file; `None` if the driven axles have no ratio.
    pub fn new(spec: &'a AnySpec) -> Option<TractiveEffort<'a>> {
        let (weight, drag_area) = (spec.total_mass() * GRAVITY, spec.drag_area());
        let driven = |own: &VehicleSpec| (0..own.axles.len()).find(|&axle| own.is_driven(axle));
        Some(match spec {
            AnySpec::Wheeled(own) => TractiveEffort {
                source: match &own.motor_drive {
                    Some(motors) => TorqueSource::Motors(
                        motors,
                        motors.motor_count(own.tractor_axles().len()) as f64,
                    ),
                    None => TorqueSource::Engine(own.powertrain.as_ref()?),
                },
                ratio: match &own.motor_drive {
                    Some(motors) => motors.ratio,
                    None => own.axles[driven(own)?].final_drive?.ratio,
                },
                radius: own.tire_of(driven(own)?).rigid.radius(),
                weight,
                resistance: [own.tire.handling.rolling_resistance, 0.0],
                drag_area,
            },
            AnySpec::Tracked(own) => {
                let of_track = own.drive.resistance.of_track(own.total_mass());
                TractiveEffort {
                    source: TorqueSource::Engine(&own.powertrain),
                    ratio: own.drive.ratio,
                    radius: own.drive_radius(),
                    weight,
                    resistance: of_track.map(|one| 2.0 * one / weight),
                    drag_area,
                }
            }
        })
    }

    /// Returns the greatest effort at a speed, m/s, in any gear, over the weight.
    pub fn relative_effort(&self, speed: f64) -> f64 {
        match self.source {
            TorqueSource::Engine(powertrain) => {
                let gears = 1..=powertrain.gearbox.ratios.len() as i32;
                gears.map(|gear| self.in_gear(powertrain, gear, speed)).fold(0.0, f64::max)
            }
            TorqueSource::Motors(own, count) => {
                let limit = own.motor.torque_limit(speed / self.radius / self.ratio, 1.0).value;
                count * own.efficiency * limit / self.ratio / self.radius / self.weight
            }
        }
    }

    fn in_gear(&self, powertrain: &Powertrain, gear: i32, speed: f64) -> f64 {
        let Powertrain { engine, converter, clutch, gearbox } = powertrain;
        let Some(gear) = gearbox.ratio(gear) else { return 0.0 };
        let ratio = gear * self.ratio;
        let input = speed / self.radius / ratio;
        // engine torque less the torque taken decreases with engine speed
        let balanced = |taken: &dyn Fn(f64) -> f64| {
            let (mut low, mut high) = (1.0, engine.free_speed(1.0));
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                let left = engine.torque(1.0, middle).value - taken(middle);
                if left > 0.0 { low = middle } else { high = middle }
            }
            low
        };
        let held = engine.torque(1.0, input).value;
        let torque = match (converter, clutch) {
            (Some(converter), clutch) => {
                let taken = |impeller: f64| -converter.torque(impeller, input).impeller;
                let through = converter.torque(balanced(&taken), input).turbine;
                // locked if the clutch then holds the engine's torque
                let locks = clutch.is_some_and(|own| own.capacity(input) >= held.abs());
                if locks { held.max(through) } else { through }
            }
            (None, Some(clutch)) => {
                let slipping = balanced(&|speed| clutch.capacity(speed));
                if slipping > input { clutch.capacity(slipping) } else { held }
            }
            (None, None) => 0.0,
        };
        torque / ratio / self.radius / self.weight
    }

    /// Returns whether air drag is included, that is, whether the file specifies a drag area.
    pub fn has_drag(&self) -> bool {
        self.drag_area.is_some()
    }

    /// Returns the air drag at a speed, m/s, over the weight.
    fn drag(&self, speed: f64) -> f64 {
        self.drag_area.map_or(0.0, |area| air_drag(area, speed) / self.weight)
    }

    /// Returns the rolling resistance at a speed, m/s, over the load.
    fn rolling(&self, speed: f64) -> f64 {
        let [still, growth] = self.resistance;
        still + growth * speed
    }

    /// Returns the steepest grade (rise over run) for the powertrain at a speed, m/s, with
    /// unlimited grip.
    ///
    /// sin θ + f cos θ = (F - D)/W with air drag D, so θ = asin((F - D)/(W √(1 + f²))) - atan f.
    /// `None` if the effort suffices for any grade.
    pub fn grade(&self, speed: f64) -> Option<f64> {
        let (left, rolling) = (self.relative_effort(speed) - self.drag(speed), self.rolling(speed));
        let share = left / hypot(1.0, rolling);
        (share < 1.0).then(|| tan(asin(share.max(-1.0)) - atan(rolling)).max(0.0))
    }

    /// Returns the resistance of rolling, grade and air at a speed, m/s, over the weight.
    fn resistance(&self, speed: f64, grade: f64) -> f64 {
        let slope = atan(grade);
        sin(slope) + self.rolling(speed) * cos(slope) + self.drag(speed)
    }

    /// Returns the greatest speed, m/s, against a resistance over the weight that includes rolling
    /// and grade.
    pub fn speed_against(&self, resistance: f64) -> f64 {
        last_satisfying(0.0, FASTEST, |speed| {
            resistance + self.drag(speed) <= self.relative_effort(speed)
        })
    }

    /// Returns the greatest speed up a grade (rise over run), m/s.
    pub fn speed(&self, grade: f64) -> f64 {
        last_satisfying(0.0, FASTEST, |speed| {
            self.resistance(speed, grade) <= self.relative_effort(speed)
        })
    }
}

/// Returns the last value of an interval that satisfies `holds`, by bisection.
fn last_satisfying(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::{find_vehicle, find_wheeled};

    /// The balance agrees with the converter's tables.
    ///
    /// At stall the impeller turns at K √T, and the turbine gives the torque ratio times T.
    #[test]
    fn stalls_by_the_tables() {
        let spec = find_vehicle("hmmwv").unwrap();
        let own = spec.wheeled().unwrap();
        let effort = TractiveEffort::new(&spec).unwrap();
        let powertrain = own.powertrain.as_ref().unwrap();
        let gearbox = &powertrain.gearbox;
        let capacity = powertrain.converter.as_ref().unwrap().capacity.value(0.0);
        let gain = powertrain.converter.as_ref().unwrap().torque_ratio.value(0.0);
        let ratio = gearbox.ratios[0] * own.axles[0].final_drive.unwrap().ratio;
        let torque = effort.relative_effort(0.0) * effort.weight * effort.radius * ratio / gain;
        let impeller = capacity * torque.sqrt();
        let engine = powertrain.engine.torque(1.0, impeller).value;
        // sixty bisections leave only rounding
        assert!((engine / torque - 1.0).abs() < 1e-9, "{engine} for {torque} N m");
    }

    /// Each grade balances effort and resistance by the formula of the resistance.
    ///
    /// A vehicle with more effort than weight climbs any grade.
    #[test]
    fn grades_balance_effort_and_resistance() {
        for (name, speed) in [("hmmwv", 2.0), ("m113", 0.5), ("man_8x8", 10.0), ("gator", 3.0)] {
            let spec = find_vehicle(name).unwrap();
            let effort = TractiveEffort::new(&spec).unwrap();
            match effort.grade(speed) {
                Some(grade) => {
                    let off = effort.resistance(speed, grade) - effort.relative_effort(speed);
                    assert!(off.abs() < 1e-12, "{name}: {off} on {grade}");
                }
                None => assert!(
                    effort.relative_effort(speed) >= 1.0,
                    "{name}: {}",
                    effort.relative_effort(speed)
                ),
            }
        }
        let spec = find_vehicle("hmmwv").unwrap();
        let strong = TractiveEffort { weight: 1e3, ..TractiveEffort::new(&spec).unwrap() };
        assert_eq!(strong.grade(1.0), None);
    }

    /// At the top speed effort equals rolling resistance and drag; more drag lowers it.
    #[test]
    fn air_drag_takes_from_the_top_speed() {
        let top = |area: Option<f64>| {
            let mut spec = find_wheeled("mrzr4").unwrap();
            spec.chassis.drag_area = area;
            let spec = AnySpec::Wheeled(Box::new(spec));
            let effort = TractiveEffort::new(&spec).unwrap();
            let speed = effort.speed(0.0);
            let off = effort.relative_effort(speed) - effort.resistance(speed, 0.0);
            assert!(off.abs() < 1e-6, "{off} at {speed} m/s with {area:?}");
            assert_eq!(effort.has_drag(), area.is_some());
            speed
        };
        assert_eq!(top(None), top(Some(0.0)));
        assert!(top(Some(4.0)) < top(Some(2.0)) && top(Some(2.0)) < top(None));
    }

    #[test]
    fn slower_vehicles_climb_steeper_grades() {
        for name in ["hmmwv", "m113", "mrzr4"] {
            let spec = find_vehicle(name).unwrap();
            let effort = TractiveEffort::new(&spec).unwrap();
            let speeds = [0.0, 0.1, 0.2, 0.4].map(|grade| effort.speed(grade));
            assert!(speeds.windows(2).all(|pair| pair[1] <= pair[0]), "{name}: {speeds:?}");
            assert!(speeds[0] > 10.0 && speeds[0] < FASTEST - 1.0, "{name}: {speeds:?}");
        }
    }
}
