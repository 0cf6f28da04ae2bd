//! Classic theory of rigid wheels, for comparison with the rig.
//!
//! The towed wheel is that of M. G. Bekker (*Theory of Land Locomotion*, 1956): its radial pressure
//! follows his pressure–sinkage curve. The driven wheel is that of J. Y. Wong and A. R. Reece (J.
//! Terramech. 4(1) and 4(2), 1967): its greatest pressure lies ahead of the axle and its shear
//! follows Janosi and Hanamoto.

use super::slip::travel;
use bekker_math::numeric::{acos, cos, exp, pow, sin, tan};

/// Number of parts of a contact: the integrals are accurate to 1e-7.
const PARTS: u32 = 2000;

/// A rigid wheel and its load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidWheel {
    /// Radius, m.
    pub radius: f64,
    /// Width, m.
    pub width: f64,
    /// Load, N.
    pub load: f64,
}

/// Part of the contact that carries load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadedArc {
    /// The half ahead of the axle: the wheel rolls.
    Ahead,
    /// Both halves: the wheel is pressed straight down.
    Both,
}

impl RigidWheel {
    /// Returns Bekker's sinkage of a towed wheel, m.
    ///
    /// The soil has the modulus k_c/b + k_φ, N/m^(n+2), and the exponent `n`. The formula
    /// approximates the wheel by a parabola and an integral by (3 - n)/3, which holds for n near 1
    /// and shallow ruts.
    pub fn bekker_sinkage(&self, modulus: f64, n: f64) -> f64 {
        let by = (3.0 - n) * self.width * modulus * (2.0 * self.radius).sqrt();
        pow(3.0 * self.load / by, 2.0 / (2.0 * n + 1.0))
    }

    /// Returns the work per meter of compacting a rut of depth `sinkage`, m: the motion resistance,
    /// N.
    pub fn compaction(&self, modulus: f64, n: f64, sinkage: f64) -> f64 {
        self.width * modulus * pow(sinkage, n + 1.0) / (n + 1.0)
    }

    /// Returns the sinkage at which the pressure under the true circle carries the load, m.
    pub fn sinkage(&self, modulus: f64, n: f64, bearing: LoadedArc) -> f64 {
        let halves = if bearing == LoadedArc::Both { 2.0 } else { 1.0 };
        let carried = |entry: f64| {
            // the substitution θ = θ₁ (1 - u²) removes the kink of the integrand at the edge
            let part = |k: u32| {
                let u = (f64::from(k) + 0.5) / f64::from(PARTS);
                let angle = entry * (1.0 - u * u);
                let depth = self.radius * (cos(angle) - cos(entry)).max(0.0);
                pow(depth, n) * cos(angle) * 2.0 * entry * u / f64::from(PARTS)
            };
            halves * self.width * modulus * self.radius * (0..PARTS).map(part).sum::<f64>()
        };
        let entry = bisect(carried, self.load);
        self.radius * (1.0 - cos(entry))
    }
}

/// Returns the angle between 0 and 90° at which an increasing function reaches a value.
pub(super) fn bisect(of: impl Fn(f64) -> f64, value: f64) -> f64 {
    let (mut low, mut high) = (1e-4, 1.57);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if of(middle) < value { low = middle } else { high = middle }
    }
    low
}

/// The driven wheel of Wong and Reece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WongReece {
    /// The wheel.
    pub wheel: RigidWheel,
    /// Pressure over sinkageⁿ, N/m^(n+2).
    pub modulus: f64,
    /// Exponent n.
    pub exponent: f64,
    /// Cohesion, Pa.
    pub cohesion: f64,
    /// Angle of internal friction, rad.
    pub friction_angle: f64,
    /// Janosi's modulus, m.
    pub shear_modulus: f64,
    /// Coefficients c₁ and c₂: the greatest pressure is at (c₁ + c₂ slip) of the entry angle.
    pub peak: [f64; 2],
    /// Height of the soil behind the wheel over the sinkage.
    pub exit: f64,
}

/// Result of the theory at a slip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrivenWheel {
    /// Sinkage, m.
    pub sinkage: f64,
    /// Drawbar pull, N.
    pub drawbar: f64,
    /// Torque, N m.
    pub torque: f64,
}

impl WongReece {
    /// Computes the forces at a slip 1 - v/(ω r), or ω r/v - 1 for a braked wheel.
    pub fn forces_at(&self, slip: f64) -> DrivenWheel {
        let entry = bisect(|entry| self.forces(entry, slip)[0], self.wheel.load);
        let [_, drawbar, torque] = self.forces(entry, slip);
        DrivenWheel { sinkage: self.wheel.radius * (1.0 - cos(entry)), drawbar, torque }
    }

    /// Returns vertical force, pull and torque for an entry angle.
    fn forces(&self, entry: f64, slip: f64) -> [f64; 3] {
        let RigidWheel { radius, width, .. } = self.wheel;
        let exit = -acos(1.0 - self.exit * (1.0 - cos(entry)));
        let peak = (self.peak[0] + self.peak[1] * slip) * entry;
        let friction = tan(self.friction_angle);
        let part = (entry - exit) / f64::from(PARTS);
        let [mut up, mut pull, mut torque] = [0.0; 3];
        for k in 0..PARTS {
            let angle = exit + (f64::from(k) + 0.5) * part;
            // behind its peak the pressure mirrors the part ahead of it
            let ahead = if angle >= peak {
                angle
            } else {
                entry - (angle - exit) / (peak - exit) * (entry - peak)
            };
            let depth = radius * (cos(ahead) - cos(entry)).max(0.0);
            let pressure = self.modulus * pow(depth, self.exponent);
            let way = radius * ((entry - angle) - travel(slip) * (sin(entry) - sin(angle)));
            let mobilized = (1.0 - exp(-way.abs() / self.shear_modulus)) * way.signum();
            let shear = (self.cohesion + pressure * friction) * mobilized;
            up += pressure * cos(angle) + shear * sin(angle);
            pull += shear * cos(angle) - pressure * sin(angle);
            torque += shear;
        }
        let strip = radius * width * part;
        [up * strip, pull * strip, torque * radius * strip]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, worked: f64) {
        // computed independently with scipy, to five digits
        assert!((value / worked - 1.0).abs() < 5e-5, "{value}, not {worked}");
    }

    #[test]
    fn gives_the_worked_figures_of_towed_wheels() {
        let hmmwv = RigidWheel { radius: 0.467, width: 0.254, load: 6311.6 };
        let light = RigidWheel { load: 2500.0, ..hmmwv };
        let small = RigidWheel { radius: 0.4, width: 0.2, load: 1500.0 };
        let sand = |width: f64| 1_528_430.0 + 990.0 / width;
        for (wheel, modulus, n, bekker, rolling, resistance, pressed) in [
            (hmmwv, 2e6, 1.1, 0.087532, 0.087748, 1460.3, 0.056538),
            (hmmwv, 5.301e6 + 102e3 / 0.254, 0.793, 0.019443, 0.020116, 733.78, 0.011742),
            (hmmwv, 0.2e6, 1.1, 0.36912, 0.39779, 3490.7, 0.24852),
            (hmmwv, sand(0.254), 1.1, 0.10339, 0.10399, 1598.3, 0.066919),
            (hmmwv, 692.15e3 + 13.19e3 / 0.254, 0.5, 0.041466, 0.044811, 1195.2, 0.022197),
            (light, 196.72e3 + 4.37e3 / 0.254, 1.6, 0.33724, 0.31852, 1067.2, 0.22587),
            (small, sand(0.2), 1.1, 0.051303, 0.051138, 283.67, 0.033019),
        ] {
            close(wheel.bekker_sinkage(modulus, n), bekker);
            let sinkage = wheel.sinkage(modulus, n, LoadedArc::Ahead);
            close(sinkage, rolling);
            close(wheel.compaction(modulus, n, sinkage), resistance);
            close(wheel.sinkage(modulus, n, LoadedArc::Both), pressed);
        }
    }

    #[test]
    fn gives_the_worked_figures_of_driven_wheels() {
        let inch = 0.0254;
        let wide = RigidWheel { radius: 24.7 * inch, width: 12.0 * inch, load: 2085.0 * 4.4482216 };
        let loose = WongReece {
            wheel: wide,
            modulus: 542_894.275 * wide.width / pow(wide.width, 1.15),
            exponent: 1.15,
            cohesion: 827.370_875,
            friction_angle: 31.1_f64.to_radians(),
            shear_modulus: 1.5 * inch,
            peak: [0.18, 0.32],
            exit: 0.0,
        };
        let found = loose.forces_at(0.2);
        close(found.sinkage, 0.20112);
        close(found.drawbar, 1522.0);
        close(found.torque, 2914.4);
        // with soil that rises behind the wheel
        let ishigami = WongReece {
            wheel: RigidWheel { radius: 0.09, width: 0.11, load: 64.68 },
            modulus: 814e3 + 1370.0 / 0.11,
            exponent: 1.0,
            cohesion: 800.0,
            friction_angle: 37.2_f64.to_radians(),
            shear_modulus: 0.036,
            peak: [0.4, 0.15],
            exit: 0.9,
        };
        let found = ishigami.forces_at(0.2);
        close(found.sinkage, 0.015571);
        close(found.drawbar, 10.057);
        close(found.torque, 1.4717);
    }
}
