//! Outline of a trailer, and the state of its coupling.

use super::outline::Outline;
use super::spec::{Footprint, VehicleSpec};
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// State of a trailer's coupling.
///
/// If the trailer is not coupled, its brakes apply in full, as the law requires for trailers that
/// break away on the road (49 CFR 393.43(d); UN Regulation No. 13, 5.2.1.18.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coupling {
    /// Coupled; also the state of vehicles without a trailer.
    #[default]
    Holds,
    /// Uncoupled on command: it rests on its landing gear.
    Released,
    /// Torn off: its landing gear is up.
    Broken,
}

/// Immutable properties of a trailer that are derived from its parameters.
#[derive(Clone, Debug)]
pub(super) struct TrailerParts {
    /// In the trailer's frame.
    pub outline: Outline,
    /// Feet of its landing gear, lowered, in the trailer's frame, m.
    pub feet: Vec<Vec3>,
}

impl TrailerParts {
    /// Builds the parts of a vehicle's trailer; `radius` is the radius of its largest tire, m.
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
