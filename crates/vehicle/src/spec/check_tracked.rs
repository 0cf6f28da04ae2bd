//! Checks of the parameters of a tracked vehicle.

use super::check::{
    Check, chassis, check_range, inertia, list, not_negative, part, point, positive, powertrain,
    require, require_distinct,
};
use super::{SpecError, Track, TrackSteering, TrackedSpec};

impl TrackedSpec {
    /// Checks that the parameters define a valid tracked vehicle.
    ///
    /// # Errors
    ///
    /// [`SpecError::Value`] for the first invalid parameter, in the order of the file.
    pub fn check(&self) -> Result<(), SpecError> {
        require(self.format == 1, "format", self.format, "1")?;
        require(!self.name.trim().is_empty(), "name", "''", "given")?;
        chassis(&self.chassis)?;
        self.check_ends()?;
        self.check_wheels()?;
        self.check_shoe()?;
        self.check_track("left", &self.left)?;
        self.check_track("right", &self.right)?;
        let (left, right) = (self.left.stations.len(), self.right.stations.len());
        let stations = format!("{right} stations");
        require(left == right, "right.stations", stations, "the same number as on the left")?;
        self.check_drive()?;
        powertrain(&self.powertrain)?;
        super::plausible::check_values(self)?;
        self.check_geometry()
    }

    fn check_ends(&self) -> Check {
        let (sprocket, idler) = (&self.sprocket, &self.idler);
        point("sprocket.position", &sprocket.position)?;
        let left = sprocket.position[1] > 0.0;
        let place = list(&sprocket.position);
        require(left, "sprocket.position", place, "on the left (y above 0)")?;
        require((5..=60).contains(&sprocket.teeth), "sprocket.teeth", sprocket.teeth, "5 to 60")?;
        positive("sprocket.mass", sprocket.mass)?;
        positive("sprocket.spin_inertia", sprocket.spin_inertia)?;
        let tooth = &sprocket.tooth;
        positive("sprocket.tooth.height", tooth.height)?;
        check_range("sprocket.tooth.flank_deg", tooth.flank_deg, 0.0, 60.0)?;
        not_negative("sprocket.tooth.backlash", tooth.backlash)?;
        positive("sprocket.tooth.stiffness", tooth.stiffness)?;
        point("idler.position", &idler.position)?;
        let behind = idler.position[0] < sprocket.position[0];
        require(behind, "idler.position", list(&idler.position), "behind the sprocket")?;
        positive("idler.radius", idler.radius)?;
        part("idler.wheel", &idler.wheel)?;
        part("idler.carrier", &idler.carrier)?;
        not_negative("idler.preload", idler.preload)?;
        positive("idler.stiffness", idler.stiffness)?;
        not_negative("idler.damping", idler.damping)?;
        check_range("idler.compression", idler.compression, -1.0, 1.0)
    }

    fn check_wheels(&self) -> Check {
        let (arm, wheel) = (&self.road_arm, &self.road_wheel);
        require(
            self.wheel_height.is_finite(),
            "wheel_height",
            self.wheel_height,
            "a finite height",
        )?;
        part("road_arm.arm", &arm.arm)?;
        point("road_arm.com", &arm.com)?;
        require_distinct("road_arm.pivot", &arm.pivot, &[0.0; 3])?;
        require_distinct("road_arm.damper_arm", &arm.damper_arm, &arm.damper_chassis)?;
        require(arm.torque.is_finite(), "road_arm.torque", arm.torque, "a finite torque")?;
        positive("road_arm.stiffness", arm.stiffness)?;
        not_negative("road_arm.damping", arm.damping)?;
        not_negative("road_arm.damper", arm.damper)?;
        check_range("road_arm.bump_deg", arm.bump_deg, 0.0, 90.0)?;
        check_range("road_arm.rebound_deg", arm.rebound_deg, 0.0, 90.0)?;
        not_negative("road_arm.stop_stiffness", arm.stop_stiffness)?;
        positive("road_wheel.mass", wheel.mass)?;
        inertia("road_wheel.inertia", &wheel.inertia)?;
        positive("road_wheel.radius", wheel.radius)?;
        positive("road_wheel.rim_stiffness", wheel.rim_stiffness)?;
        not_negative("road_wheel.rim_damping", wheel.rim_damping)?;
        let Some(roller) = &self.return_roller else { return Ok(()) };
        part("return_roller.wheel", &roller.wheel)?;
        positive("return_roller.radius", roller.radius)?;
        let above = roller.height - roller.radius > self.wheel_height + wheel.radius;
        let low = self.wheel_height + wheel.radius + roller.radius;
        let allowed = format!("above the road wheels ({low})");
        require(above, "return_roller.height", roller.height, &allowed)
    }

    fn check_shoe(&self) -> Check {
        let shoe = &self.shoe;
        positive("shoe.mass", shoe.mass)?;
        part("shoe", &super::MassProperties { mass: shoe.mass, inertia: shoe.inertia })?;
        positive("shoe.pitch", shoe.pitch)?;
        if let Some(connector) = &shoe.connector {
            let (length, most) = (connector.length, 0.9 * shoe.pitch);
            check_range("shoe.connector.length", length, 0.01 * shoe.pitch, most)?;
            let part = super::MassProperties { mass: connector.mass, inertia: connector.inertia };
            super::check::part("shoe.connector", &part)?;
        }
        not_negative("shoe.top", shoe.top)?;
        positive("shoe.pin_stiffness", shoe.pin_stiffness)?;
        not_negative("shoe.pin_damping_time", shoe.pin_damping_time)?;
        not_negative("shoe.bending.stiffness", shoe.bending.stiffness)?;
        not_negative("shoe.bending.damping", shoe.bending.damping)?;
        not_negative("shoe.guide.clearance", shoe.guide.clearance)?;
        positive("shoe.guide.stiffness", shoe.guide.stiffness)?;
        not_negative("shoe.guide.friction", shoe.guide.friction)?;
        positive("shoe.pad_stiffness", shoe.pad_stiffness)?;
        not_negative("shoe.pad_damping", shoe.pad_damping)?;
        require(!shoe.faces.is_empty(), "shoe.faces", "none", "at least one face")?;
        for (index, face) in shoe.faces.iter().enumerate() {
            let key = |name: &str| format!("shoe.faces[{index}].{name}");
            point(&key("center"), &face.center)?;
            positive(&key("length"), face.length)?;
            positive(&key("width"), face.width)?;
        }
        Ok(())
    }

    fn check_track(&self, key: &str, track: &Track) -> Check {
        let count = track.stations.len();
        let stations = format!("{key}.stations");
        require((2..=16).contains(&count), &stations, format!("{count} stations"), "from 2 to 16")?;
        let (front, rear) = (self.sprocket.position[0], self.idler.position[0]);
        let places = std::iter::once(front).chain(track.stations.iter().copied()).chain([rear]);
        let places: Vec<f64> = places.collect();
        let falling = places.windows(2).all(|pair| pair[1] < pair[0]);
        let allowed =
            format!("decreasing, between the sprocket at {front} and the idler at {rear}");
        require(falling, &stations, list(&track.stations), &allowed)?;
        let same = track.damped.len() == count;
        let damped = format!("{} entries", track.damped.len());
        require(same, &format!("{key}.damped"), damped, "one entry per station")?;
        let (rollers, key) = (&track.return_rollers, format!("{key}.return_rollers"));
        let given = self.return_roller.is_some() || rollers.is_empty();
        require(given, &key, list(rollers), "absent without return_roller")?;
        require(rollers.len() <= 16, &key, format!("{} positions", rollers.len()), "at most 16")?;
        let places = std::iter::once(front).chain(rollers.iter().copied()).chain([rear]);
        let falling = places.collect::<Vec<f64>>().windows(2).all(|pair| pair[1] < pair[0]);
        require(falling, &key, list(rollers), &allowed)
    }

    fn check_drive(&self) -> Check {
        let drive = &self.drive;
        positive("drive.ratio", drive.ratio)?;
        not_negative("drive.driveshaft_inertia", drive.driveshaft_inertia)?;
        not_negative("drive.carrier_inertia", drive.carrier_inertia)?;
        not_negative("drive.brake_torque", drive.brake_torque)?;
        let own = &drive.resistance;
        own.force.map_or(Ok(()), |force| not_negative("drive.resistance.force", force))?;
        own.per_speed.map_or(Ok(()), |rise| not_negative("drive.resistance.per_speed", rise))?;
        if let Some(of_weight) = own.coefficient {
            let key = "drive.resistance.coefficient";
            check_range(key, of_weight, 0.0, 0.5)?;
            require(own.force.is_none(), key, of_weight.to_string(), "absent with force")?;
        }
        let key = "drive.steering";
        match drive.steering {
            TrackSteering::ClutchBrake { brake_torque } => {
                not_negative(&format!("{key}.clutch_brake.brake_torque"), brake_torque)
            }
            TrackSteering::Differential { ratio, brake_torque } => {
                check_range(&format!("{key}.differential.ratio"), ratio, 0.01, 1.0)?;
                not_negative(&format!("{key}.differential.brake_torque"), brake_torque)
            }
            TrackSteering::Pivot { ratio } => {
                check_range(&format!("{key}.pivot.ratio"), ratio, 0.001, 1.0)
            }
        }
    }
}
