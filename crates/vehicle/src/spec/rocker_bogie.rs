//! Rocker and rocker-bogie suspension: rigid links that carry all wheels of a vehicle.

use super::{MassProperties, Point, VehicleSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Links on each side that carry the wheels without springs. A rocker swings about a pin on the
/// chassis. A differential connects both rockers, so that the pitch of the chassis is the mean of
/// theirs. With a bogie the suspension carries three axles, otherwise two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RockerBogie {
    /// Link on the chassis. It carries one axle and the bogie, or two axles without a bogie.
    pub rocker: SuspensionLink,
    /// Link on the rocker that carries two axles. Where absent, the rocker carries all wheels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bogie: Option<SuspensionLink>,
}

/// A rigid link on each side that swings about a pin parallel to y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuspensionLink {
    /// Names of the axles whose wheels are fixed to the link, front first. Their suspension is
    /// `rigid`.
    pub axles: Vec<String>,
    /// Pin of the left link in the chassis frame, m.
    pub pin: Point,
    /// Mass and inertia of one link, without wheels and spindles.
    pub link: MassProperties,
    /// Center of mass of the left link in the chassis frame, m.
    pub com: Point,
    /// Angle to either side at which the link reaches its stop, degrees: of a rocker against the
    /// chassis, of a bogie against the rocker.
    pub max_angle_deg: f64,
}

impl RockerBogie {
    /// Returns the links of one side, the rocker first.
    pub fn links(&self) -> impl Iterator<Item = &SuspensionLink> {
        std::iter::once(&self.rocker).chain(&self.bogie)
    }

    /// Mass of the links of both sides, kg.
    pub fn mass(&self) -> f64 {
        self.links().map(|own| 2.0 * own.link.mass).sum()
    }
}

impl VehicleSpec {
    /// Returns the index of the axle with this name.
    pub fn axle_named(&self, name: &str) -> Option<usize> {
        self.axles.iter().position(|axle| axle.name == name)
    }

    /// Returns the mass, kg, and the height in the chassis frame, m, of the chassis with the links
    /// of a rocker-bogie.
    pub fn carried_mass(&self) -> (f64, f64) {
        let links = self.rocker_bogie.iter().flat_map(RockerBogie::links);
        let [mass, moment] = links.fold(
            [self.chassis.mass, self.chassis.mass * self.chassis.com[2]],
            |[mass, moment], own| {
                [mass + 2.0 * own.link.mass, moment + 2.0 * own.link.mass * own.com[2]]
            },
        );
        (mass, moment / mass)
    }
}
