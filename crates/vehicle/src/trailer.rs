//! A trailer as others meet it, and how it hangs on its vehicle.

use super::outline::Outline;
use super::spec::{Footprint, VehicleSpec};
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// How a trailer hangs on its vehicle. Where it does not, its brakes apply in full, as the law
/// asks of those that part on the road (49 CFR 393.43(d); UN Regulation No. 13, 5.2.1.18.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coupling {
    /// Coupled; also of vehicles that draw nothing.
    #[default]
    Holds,
    /// Uncoupled on command: it stands on its landing gear.
    Released,
    /// Torn off: its landing gear is up.
    Broken,
}

/// What does not change of a trailer besides its figures.
#[derive(Clone, Debug)]
pub(super) struct TrailerParts {
    /// In the trailer's frame.
    pub outline: Outline,
    /// Feet of its landing gear, lowered, in the trailer's frame, m.
    pub feet: Vec<Vec3>,
}

impl TrailerParts {
    /// Of the trailer that a vehicle draws; `radius` is its largest tyre's, m.
    pub fn of(spec: &VehicleSpec, radius: f64) -> Option<TrailerParts> {
        let trailer = spec.trailer.as_ref()?;
        let coupling = Vec3::from(trailer.coupling);
        let axles = spec.axles.iter().enumerate().filter(|(_, axle)| axle.trailed);
        let (mut wheels, mut ground) = (Vec::new(), f64::INFINITY);
        for (index, axle) in axles {
            let [x, y, z] = axle.suspension.spindle();
            let middle = Vec3::from(axle.position) - coupling;
            wheels.extend([y, -y].map(|y| middle + Vec3::new(x, y, z)));
            ground = ground.min(middle.z + z - spec.tyre_of(index).rigid.radius());
        }
        let footprint = Footprint::of_trailer(spec, trailer);
        let mass = spec.trailer_mass();
        let outline = Outline::of(&trailer.chassis, &footprint, mass, &wheels, radius);
        let feet = match trailer.landing_gear {
            Some([x, 0.0]) => vec![Vec3::new(x, 0.0, ground)],
            Some([x, y]) => [y, -y].map(|y| Vec3::new(x, y, ground)).to_vec(),
            None => Vec::new(),
        };
        Some(TrailerParts { outline, feet })
    }
}
