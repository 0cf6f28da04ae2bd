//! Checks that parameters within their ranges together define a vehicle that could be built.
//!
//! Magnitudes are checked by the kind of parameter, then the geometry: wheels under the body and
//! next to each other, hard points within range of their wheel, tires that carry the weight. The
//! bounds admit every real vehicle, from a rover of a few kilograms to a mining truck. They reject
//! a misplaced decimal point or a wrong unit.

use super::check::{Check, check_range, list, require, rigid};
use super::{Axle, Chassis, Point, SpecError, Tire, Track, TrackedSpec, VehicleSpec, Wheel};
use bekker_math::numeric::GRAVITY;
use nalgebra::Matrix3;
use serde::Serialize;
use serde_json::Value;

/// Greatest distance of a point of a vehicle from its origin, m.
const FARTHEST: f64 = 50.0;
/// Greatest distance of a hard point from the wheel that it guides, m.
const REACH: f64 = 3.0;
/// Greatest stretch of a shoe by the tensioner, in pitches.
const LARGEST_STRETCH: f64 = 0.1;

/// Keys of lists with one number for each part: three numbers are not a point.
const LISTS: [&str; 4] = ["inflation_kpa", "ratios", "stations", "return_rollers"];

/// Rejects parameters of implausible magnitude.
pub(super) fn check_values(file: &impl Serialize) -> Check {
    let Ok(file) = serde_json::to_value(file) else { return Ok(()) };
    sizes("", "", &file)
}

/// Largest magnitude of a parameter, by the name of its key; SI units, revolutions per minute,
/// degrees.
fn largest(name: &str) -> f64 {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match name {
        "mass" => 1e5,
        "ratio" | "ratios" | "reverse" | "torque_ratio" => 1e3,
        "initial_slope" => 1e9,
        "latency" | "teeth" | "shoes" | "count" | "format" => 1e3,
        _ if ends(&["inertia", "products"]) => 1e6,
        _ if ends(&["torque"]) => 1e7,
        _ if ends(&["stiffness"]) => 1e11,
        _ if ends(&["_rpm"]) => 1e6,
        _ if ends(&["_deg"]) => 3600.0,
        _ if ends(&["radius", "length", "width", "wheelbase", "pitch", "height", "stations"]) => {
            FARTHEST
        }
        _ => 1e8,
    }
}

/// Checks all numbers recursively; `name` is their key.
fn sizes(key: &str, name: &str, value: &Value) -> Check {
    match value {
        Value::Object(entries) => entries.iter().try_for_each(|(name, value)| {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            sizes(&key, name, value)
        }),
        Value::Array(items) => {
            if let Some(point) = as_point(value)
                && !name.ends_with("inertia")
                && name != "products"
                && !LISTS.contains(&name)
            {
                let near = point.iter().all(|x| x.abs() <= FARTHEST);
                return require(near, key, list(&point), "within 50 m of the origin");
            }
            items
                .iter()
                .enumerate()
                .try_for_each(|(index, item)| sizes(&format!("{key}[{index}]"), name, item))
        }
        Value::Number(number) => {
            let (number, most) = (number.as_f64().unwrap_or(f64::INFINITY), largest(name));
            // a negative mass has already been rejected by its own rule
            let least = if name == "mass" { 0.0 } else { -most };
            check_range(key, number, least, most)
        }
        _ => Ok(()),
    }
}

/// Returns the three numbers of a point.
fn as_point(value: &Value) -> Option<Point> {
    let items = value.as_array()?;
    let numbers: Vec<f64> = items.iter().filter_map(Value::as_f64).collect();
    if numbers.len() == items.len() { numbers.try_into().ok() } else { None }
}

/// Rejects a chassis whose inertia matrix is not that of a rigid body.
fn chassis(chassis: &Chassis) -> Check {
    let ([xx, yy, zz], [xy, xz, yz]) = (chassis.inertia, chassis.products);
    let principal = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz).symmetric_eigenvalues();
    let principal: Point = [principal[0], principal[1], principal[2]];
    let definite = principal.iter().all(|moment| *moment > 0.0);
    let smaller = format!(
        "smaller: with chassis.inertia, they give the principal moments {}, which must all be \
         above 0",
        list(&principal.map(|moment| moment.round()))
    );
    require(definite, "chassis.products", list(&chassis.products), &smaller)?;
    rigid("chassis", chassis.mass, &principal, 1.0 + 1e-3)
}

/// Checks that the chassis is above the ground, with its weight between first and last wheel.
fn check_position(body: &Chassis, bottom: f64, [rear, front]: [f64; 2], half_width: f64) -> Check {
    let [x, y, z] = body.com;
    let allowed = format!("between the first and the last wheel, x from {rear} to {front}");
    require(x > rear && x < front, "chassis.com", list(&body.com), &allowed)?;
    let allowed = format!("between the wheels, y from -{half_width} to {half_width}");
    require(y.abs() < half_width, "chassis.com", list(&body.com), &allowed)?;
    let allowed = format!("up to 5 m above the ground, which the wheels touch at z = {bottom:.3}");
    require(z > bottom && z < bottom + 5.0, "chassis.com", list(&body.com), &allowed)?;
    let Some(belly) = &body.belly else { return Ok(()) };
    let clear = belly.center[2] > bottom;
    let allowed = format!("above the ground, which the wheels touch at z = {bottom:.3}");
    require(clear, "chassis.belly.center", list(&belly.center), &allowed)?;
    let middle = belly.center[0] > rear - 5.0 && belly.center[0] < front + 5.0;
    require(middle, "chassis.belly.center", list(&belly.center), "under the vehicle")
}

impl VehicleSpec {
    /// Rejects geometry that is impossible for a wheeled vehicle.
    pub(super) fn check_geometry(&self) -> Result<(), SpecError> {
        let own = self.tractor_axles();
        let Some([first, last]) = own.first().zip(own.last()).map(<[_; 2]>::from) else {
            return Ok(());
        };
        chassis(&self.chassis)?;
        self.check_tire(&self.wheel, &self.tire)?;
        for axle in 0..self.axles.len() {
            self.of_axle(axle, VehicleSpec::check_tire)?;
        }
        let mut bottom = f64::INFINITY;
        for (index, axle) in self.axles.iter().enumerate() {
            let key = format!("axles[{index}]");
            let wheel = axle.suspension.spindle();
            let tire = self.tire_of(index);
            let radius = tire.rigid.radius();
            let half = 0.5 * tire.rigid.width().max(tire.handling.width);
            let height = axle.position[2] + wheel[2] - radius;
            if index > 0 {
                let ahead = &self.axles[index - 1];
                let gap = ahead.wheel_x() - axle.wheel_x();
                let least = 1.9 * radius;
                let allowed =
                    format!("far enough back for its wheels to clear those ahead: {least:.3} m");
                let place = list(&axle.position);
                require(gap > least, &format!("{key}.position"), place, &allowed)?;
                let level = (height - bottom).abs() < radius;
                let allowed = format!(
                    "such that its wheels touch the ground like the others, whose lowest point is \
                     at z = {bottom:.3}"
                );
                let place = list(&axle.position);
                require(level, &format!("{key}.position"), place, &allowed)?;
            }
            bottom = bottom.min(height);
            let aside = format!("{key}.suspension");
            let place = list(&wheel);
            let allowed = format!(
                "a wheel clear of the opposite one: y above half a tire's width, {half:.3}"
            );
            require(axle.position[1] + wheel[1] > half, &aside, place, &allowed)?;
            reach(&aside, &wheel, &serde_json::to_value(&axle.suspension).unwrap_or_default())?;
        }
        let ends = [last, first].map(Axle::wheel_x);
        let half_track = first.suspension.spindle()[1];
        check_position(&self.chassis, bottom, ends, half_track)?;
        let between = ends[1] - ends[0];
        let allowed = format!(
            "the distance between the wheels of the first and last axle, {between:.3} m, within 1 %"
        );
        let near = (self.wheelbase - between).abs() <= 0.01 * between;
        require(own.len() > 2 || near, "wheelbase", self.wheelbase, &allowed)?;
        self.check_load()
    }

    fn check_tire(&self, wheel: &Wheel, tire: &Tire) -> Check {
        let (rigid, handling) = (&tire.rigid, &tire.handling);
        check_range("tire.handling.unloaded_radius", handling.unloaded_radius, 0.05, 3.0)?;
        check_range("tire.handling.width", handling.width, 0.01, 3.0)?;
        let (radius, width) = (rigid.radius(), rigid.width());
        let share = radius / handling.unloaded_radius;
        let allowed = format!(
            "within a quarter of tire.handling.unloaded_radius, {}",
            handling.unloaded_radius
        );
        require((0.75..=1.25).contains(&share), "tire.rigid.outline", radius, &allowed)?;
        let share = width / handling.width;
        let allowed = format!("from half to twice tire.handling.width, {}", handling.width);
        require((0.5..=2.0).contains(&share), "tire.rigid.outline", width, &allowed)?;
        if let Some(grousers) = &rigid.grousers {
            check_range("tire.rigid.grousers.height", grousers.height, 0.0, 0.3 * radius)?;
        }
        super::check::inertia("wheel.inertia", &wheel.inertia)?;
        let slack = 1.0 + 1e-3;
        self::rigid("wheel", wheel.mass, &wheel.inertia, slack)?;
        self::rigid("tire", tire.mass, &tire.inertia, slack)
    }

    /// Checks that the tires carry the weight before they are compressed to the rim.
    fn check_load(&self) -> Check {
        let tires = |axle| 2 * self.tire_offsets(axle).len();
        let wheels = (0..self.axles.len()).map(tires).sum::<usize>() as f64;
        let handling = &self.tire.handling;
        let load = self.total_mass() * GRAVITY / wheels;
        let height = handling.unloaded_radius - self.wheel.rim_radius;
        let least = load / height.max(1e-3);
        let allowed = format!(
            "at least {least:.0} N/m: each tire carries {load:.0} N and is {height:.3} m high \
             above the rim"
        );
        let stiffness = handling.vertical_stiffness;
        require(stiffness >= least, "tire.handling.vertical_stiffness", stiffness, &allowed)?;
        self.check_belts(load, height)
    }

    /// Checks that flexible tires carry a load, N, by their belts before they deflect by a height,
    /// m.
    ///
    /// It is checked at the lowest inflation of the wheels with the vehicle's own tire.
    fn check_belts(&self, load: f64, height: f64) -> Check {
        let Some(tire) = &self.tire.flexible else { return Ok(()) };
        // points that define no belt are reported when the vehicle is built
        let Ok(belt) = tire.ring(self.tire.rigid.radius()) else { return Ok(()) };
        let wheels = 2 * self.tractor_axles().len();
        let like = (0..wheels).filter(|wheel| self.axles[wheel / 2].tire.is_none());
        let inflations = like.map(|wheel| tire.inflation_kpa.kpa(wheel, wheels));
        let Some(least) = inflations.min_by(f64::total_cmp) else { return Ok(()) };
        let carried = belt.plate(least, height).load;
        let allowed = format!(
            "high enough for the load of {load:.0} N per tire: compressed to the rim, by \
             {height:.3} m, a tire carries {carried:.0} N at {} kPa",
            1e-3 * least
        );
        require(
            carried >= load,
            "tire.flexible.inflation_kpa",
            list(tire.inflation_kpa.all_kpa()),
            &allowed,
        )
    }
}

/// Checks that all hard points under a key are within range of the wheel.
fn reach(key: &str, wheel: &Point, value: &Value) -> Check {
    let Value::Object(entries) = value else { return Ok(()) };
    entries.iter().try_for_each(|(name, value)| {
        let key = format!("{key}.{name}");
        if let Some(point) = as_point(value)
            && !name.ends_with("inertia")
        {
            let [x, y, z] = [0, 1, 2].map(|k| point[k] - wheel[k]);
            let near = (x * x + y * y + z * z).sqrt() <= REACH;
            let allowed = format!("within {REACH} m of the wheel at {}", list(wheel));
            return require(near, &key, list(&point), &allowed);
        }
        reach(&key, wheel, value)
    })
}

impl TrackedSpec {
    /// Rejects geometry that is impossible for a tracked vehicle.
    pub(super) fn check_geometry(&self) -> Result<(), SpecError> {
        chassis(&self.chassis)?;
        let radius = self.road_wheel.radius;
        check_range("road_wheel.radius", radius, 0.03, 1.5)?;
        check_range("idler.radius", self.idler.radius, 0.03, 1.5)?;
        check_range("shoe.pitch", self.shoe.pitch, 0.01, 1.0)?;
        check_range("shoe.top", self.shoe.top, 0.0, 0.3)?;
        check_range(
            "sprocket.tooth.height",
            self.sprocket.tooth.height,
            0.0,
            0.5 * self.shoe.pitch,
        )?;
        for (name, height) in [("sprocket", self.sprocket.position), ("idler", self.idler.position)]
        {
            let near = (height[2] - self.wheel_height).abs() <= 2.0;
            let allowed = format!("within 2 m of wheel_height, {}", self.wheel_height);
            require(near, &format!("{name}.position"), list(&height), &allowed)?;
        }
        let width = self.shoe_width();
        let gauge = self.gauge();
        let allowed =
            format!("far enough out that the tracks, {width:.3} m wide, clear each other");
        require(gauge > width, "sprocket.position", list(&self.sprocket.position), &allowed)?;
        self.check_arm()?;
        self.check_tension()?;
        self.check_band("left", &self.left)?;
        self.check_band("right", &self.right)?;
        let bottom = self.wheel_height - radius - self.shoe.top - self.shoe_depth();
        let ends = [self.idler.position[0], self.sprocket.position[0]];
        check_position(&self.chassis, bottom, ends, 0.5 * gauge)
    }

    fn check_arm(&self) -> Check {
        let arm = &self.road_arm;
        rigid("road_wheel", self.road_wheel.mass, &self.road_wheel.inertia, 1.0 + 1e-3)?;
        let points = [
            ("com", arm.com),
            ("pivot", arm.pivot),
            ("damper_arm", arm.damper_arm),
            ("damper_chassis", arm.damper_chassis),
        ];
        for (name, point) in points {
            let near = point.iter().map(|x| x * x).sum::<f64>().sqrt() <= REACH;
            let allowed = format!("within {REACH} m of the wheel's center");
            require(near, &format!("road_arm.{name}"), list(&point), &allowed)?;
        }
        Ok(())
    }

    /// Checks that the tensioner stretches the track only slightly.
    fn check_tension(&self) -> Check {
        let (idler, shoe) = (&self.idler, &self.shoe);
        // both runs of the track pull on the idler
        let tension = (0.5 * (idler.preload + idler.stiffness * idler.compression)).max(0.0);
        let least = tension / (LARGEST_STRETCH * shoe.pitch);
        let allowed = format!(
            "at least {least:.0} N/m: the tensioner, [idler], pulls with {tension:.0} N and would \
             stretch a shoe by more than a tenth of its pitch"
        );
        require(shoe.pin_stiffness >= least, "shoe.pin_stiffness", shoe.pin_stiffness, &allowed)
    }

    /// Checks that the wheels are apart and that the band fits around them.
    fn check_band(&self, side: &str, track: &Track) -> Check {
        let radius = self.road_wheel.radius;
        let key = format!("{side}.stations");
        let allowed = format!("at least a wheel's radius, {radius} m, from each other");
        let apart = track.stations.windows(2).all(|pair| pair[0] - pair[1] >= radius);
        require(apart, &key, list(&track.stations), &allowed)?;
        let (sprocket, idler) = (&self.sprocket, &self.idler);
        // a circle inside another one has no common tangent with it
        let ends = [
            (sprocket.position, self.pitch_radius(), track.stations.first()),
            (idler.position, idler.radius, track.stations.last()),
        ];
        for (end, end_radius, station) in ends {
            let Some(station) = station else { continue };
            let (dx, dz) = (end[0] - station, end[2] - self.wheel_height);
            let far = (dx * dx + dz * dz).sqrt() > (end_radius - radius).abs() + 0.02;
            let allowed = "such that the first and last wheels and the sprocket and idler do not \
                contain each other";
            require(far, &key, list(&track.stations), allowed)?;
        }
        let (dx, dz) =
            (sprocket.position[0] - idler.position[0], sprocket.position[2] - idler.position[2]);
        let straight = 2.0 * (dx * dx + dz * dz).sqrt();
        let length = f64::from(track.shoes) * self.shoe.pitch;
        let round = std::f64::consts::TAU * (self.pitch_radius() + idler.radius + radius);
        let allowed = format!(
            "a number that fits around: {:.0} to {:.0} of shoe.pitch = {} m",
            (straight / self.shoe.pitch).ceil(),
            ((straight + round) / self.shoe.pitch).floor(),
            self.shoe.pitch
        );
        let fits = length >= straight && length <= straight + round;
        require(fits, &format!("{side}.shoes"), track.shoes, &allowed)?;
        check_range(&format!("{side}.shoes"), f64::from(track.shoes), 8.0, 500.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The inflations of three axles are not a point 138 m away, nor are the ratios of three gears.
    #[test]
    fn three_figures_of_three_parts_are_no_point() {
        let of = |value: Value| sizes("", "", &value);
        let inflation = json!([138.0, 207.0, 180.0]);
        assert!(of(json!({ "tire": { "flexible": { "inflation_kpa": inflation } } })).is_ok());
        assert!(of(json!({ "gearbox": { "ratios": [80.0, 4.0, 1.0] } })).is_ok());
        for value in [
            json!({ "position": inflation }),
            json!({ "ratios": [2e3, 4.0, 1.0] }),
            json!({ "stations": [60.0, 1.0, 0.0] }),
        ] {
            assert!(of(value.clone()).is_err(), "{value}");
        }
        let told = of(json!({ "mass": 1e9 })).unwrap_err().to_string();
        assert!(told.contains("from 0 to 100000"), "{told}");
    }
}
