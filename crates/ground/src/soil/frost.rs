//! Ground that is frozen from above, and ground that thaws from above.

use super::{DeformableSoil, SubLayer};
use bekker_math::curve::Curve;
use bekker_math::numeric::{atan, tan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A frozen layer that bears vehicles up to a weight of C d². C is 0.86 MN/m² for ground that was
/// wet when it froze and 0.35 MN/m² for dry ground (CRREL report 95-1, table A4; S. A. Shoop 1995).
/// Vehicles within that weight drive on frozen ground. Heavier vehicles break through and drive on
/// the soil as it is without frost. The heaviest vehicle of a scenario decides for all. In
/// practice, 5 cm are often considered sufficient (FASST), a third of what this rule requires for a
/// HMMWV. The rule therefore tends to underestimate the bearing capacity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frost {
    /// Depth d of the frozen layer, m.
    #[schemars(range(max = 5.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub depth: f64,
    /// Whether the ground was wet when it froze.
    #[serde(default)]
    pub wet: bool,
}

impl Frost {
    /// Weight of the heaviest vehicle that the layer bears, N.
    pub fn bearing(&self) -> f64 {
        let per_area = if self.wet { 0.86e6 } else { 0.35e6 };
        per_area * self.depth * self.depth
    }

    /// Returns the soil under a vehicle of this weight, N.
    pub fn under(&self, soil: &DeformableSoil, weight: f64) -> DeformableSoil {
        let mut met = soil.clone();
        if weight <= self.bearing() {
            met.details.below = Some(SubLayer::FROZEN);
        }
        met
    }
}

/// A thawed layer over ground that is still frozen. Its shear strength is that of the soil times a
/// factor that depends on its depth (CRREL report 95-1, table A3, the multiplier of traction). The
/// frozen ground below does not deform. The table's multiplier of resistance, up to 10, applies to
/// the resistance of frozen ground and is not used. Here the resistance results from the sinkage of
/// the layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thaw {
    /// Depth of the thawed layer, m.
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub depth: f64,
}

impl Thaw {
    /// Multiplier of traction over depth, m.
    const TRACTION: [[f64; 2]; 10] = [
        [0.02, 1.0],
        [0.03, 0.88],
        [0.04, 0.77],
        [0.05, 0.73],
        [0.06, 0.68],
        [0.08, 0.66],
        [0.10, 0.64],
        [0.12, 0.636],
        [0.15, 0.63],
        [0.20, 0.63],
    ];

    /// Returns the soil with its thawed strength, over frozen ground.
    pub fn thawed(&self, soil: &DeformableSoil) -> DeformableSoil {
        let factor = Curve::new(Thaw::TRACTION.to_vec()).map_or(1.0, |c| c.value(self.depth));
        let mut thawed = DeformableSoil {
            cohesion: soil.cohesion * factor,
            friction_angle: atan(tan(soil.friction_angle) * factor),
            ..soil.clone()
        };
        thawed.details.below = Some(SubLayer { depth: self.depth, ..SubLayer::FROZEN });
        thawed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::{SoilKind, catalog};

    // CRREL 95-1, table A4: bearing of frost by depth, lb, wet and dry
    #[test]
    fn frost_has_the_bearing_capacity_of_the_table() {
        let table = [(0.05, 483.0, 197.0), (0.10, 1933.0, 787.0), (0.20, 7734.0, 3147.0)];
        for (depth, wet, dry) in table {
            for (wet, bears) in [(true, wet), (false, dry)] {
                let frost = Frost { depth, wet };
                // the last digit of the table
                assert!((frost.bearing() / 4.448_22 - bears).abs() < 1.0, "{depth} {wet}");
            }
        }
        // a HMMWV of 24.5 kN needs 17 cm, or 26
        let needed = |per_area: f64| (24.5e3 / per_area).sqrt();
        assert!((needed(0.86e6) - 0.17).abs() < 0.005 && (needed(0.35e6) - 0.26).abs() < 0.005);
    }

    #[test]
    fn thawed_ground_shears_less_and_stands_on_frozen() {
        let SoilKind::Deformable(loam) = catalog().find("grenville_loam").unwrap().to_soil().kind
        else {
            unreachable!()
        };
        let thawed = Thaw { depth: 0.1 }.thawed(&loam);
        assert!((thawed.cohesion / loam.cohesion - 0.64).abs() < 1e-12);
        assert_eq!(thawed.details.below.unwrap().depth, 0.1);
        assert_eq!(Thaw { depth: 0.005 }.thawed(&loam).cohesion, loam.cohesion);
    }
}
