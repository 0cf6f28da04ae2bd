//! CRREL's formulas for vehicles in shallow snow, for comparison with the rigs.
//!
//! Traction is that of NRMM II; sinkage follows from compaction (CRREL reports 95-1, table A5, and
//! 95-7, p. 11 and 16).

use bekker_math::numeric::{acos, pow};

/// Winter surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WinterSurface {
    /// Snow without previous traffic.
    Undisturbed,
    /// Packed or disturbed snow.
    Packed,
    /// Ice.
    Ice,
}

impl WinterSurface {
    /// Returns the greatest traction per contact area at a pressure, both Pa.
    pub fn traction(self, pressure: f64) -> f64 {
        let (factor, exponent) = match self {
            WinterSurface::Undisturbed => (0.851, 0.823),
            WinterSurface::Packed => (0.321, 0.97),
            WinterSurface::Ice => (0.127, 1.06),
        };
        // the coefficients are for kPa
        1e3 * factor * pow(1e-3 * pressure, exponent)
    }
}

/// Base under the snow, by CRREL's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnowBase {
    /// Superhighways and primary roads (1).
    Road,
    /// Trails and strong frozen ground (3).
    Trail,
}

impl SnowBase {
    /// Returns the internal resistance of tracks over their weight.
    ///
    /// It is the value of CRM-1 on packed snow that compacts no further (report 95-1, table A5,
    /// examples 3 and 4).
    pub fn resistance(self) -> f64 {
        match self {
            SnowBase::Road => 0.0375,
            SnowBase::Trail => 0.0525,
        }
    }
}

/// Returns the density, kg/m³, to which a greatest pressure, Pa, compacts snow.
pub fn packed_density(pressure: f64) -> f64 {
    match 1e-3 * pressure {
        p if p > 700.0 => 650.0,
        p if p > 350.0 => 600.0,
        p if p > 210.0 => 550.0,
        _ => 500.0,
    }
}

/// Returns the rut depth, m, in snow of a depth, m, compacted from one density to another.
pub fn packed_rut_depth(depth: f64, density: f64, packed: f64) -> f64 {
    depth * (1.0 - density / packed).max(0.0)
}

/// Returns the resistance of snow to a leading wheel, N: 13.6041 (ρ w a)^1.26, a being the arc in
/// the snow.
///
/// Width, radius and sinkage are in m. The exponent was read in report 95-7, the factor is from
/// memory.
pub fn wheel_resistance(density: f64, width: f64, radius: f64, sinkage: f64) -> f64 {
    let arc = radius * acos(1.0 - sinkage / radius);
    13.6041 * pow(density * width * arc, 1.26)
}

#[cfg(test)]
mod tests {
    use super::*;

    // CRREL 95-1, table A5. The vehicle's weight and area follow from two values of the table (its
    // file, p. 24, has 23401 lb and two tracks of 15 by 105 inches). The other values are then
    // predicted.
    #[test]
    fn gives_the_printed_figures_of_the_m113() {
        let (weight, area) = (104_092.488_756_857, 2.032_212_207_445);
        let pressure = weight / area;
        let close = |value: f64, printed: f64| {
            assert!((value / printed - 1.0).abs() < 1e-4, "{value}, not {printed}");
        };
        close(area * WinterSurface::Undisturbed.traction(pressure), 44134.3);
        close(area * WinterSurface::Packed.traction(pressure), 29692.1);
        close(area * WinterSurface::Ice.traction(pressure), 16741.3);
        let slope = 30_f64.to_radians();
        let leaning = WinterSurface::Undisturbed.traction(pressure * slope.cos());
        close(area * leaning, 39207.1);
        close(weight * slope.sin() + 5585.4, 57631.6);
        close(weight * SnowBase::Road.resistance(), 3903.5);
        close(weight * SnowBase::Trail.resistance(), 5464.8);
        close(packed_rut_depth(0.15, 200.0, packed_density(pressure)), 0.09);
        close(packed_rut_depth(0.12, 200.0, packed_density(pressure)), 0.072);
    }
}
