//! Driving with a trailer: its path in bends, and reversing.
//!
//! The model is the kinematics of a vehicle and one trailer whose axles do not slip sideways. The
//! vehicle's rear axle moves at v along the curvature κ, the coupling is c behind that axle, and
//! the trailer's axle is l behind the coupling. The articulation ψ (of the trailer, to the left)
//! then follows dψ/dt = -v (sin ψ / l + κ (1 + c/l cos ψ)).
//!
//! A reversing trailer is steered as a virtual tractor. Pure pursuit from its axle gives the
//! curvature of its path, and from this the steady articulation ψ_d follows. The vehicle's steering
//! leads the articulation there by dψ/ds = -k (ψ - ψ_d), for which the equation above is solved.
//! Sources: J. Morales, J. L. Martínez, A. Mandow and A. J. García-Cerezo, *Steering the last
//! trailer as a virtual tractor for reversing vehicles with passive on- and off-axle hitches*, IEEE
//! Transactions on Industrial Electronics 60 (2013) 5729; feedback of the hitch angle: C. Pradalier
//! and K. Usher, *Robust trajectory tracking for a reversing tractor trailer*, Journal of Field
//! Robotics 25 (2008) 378.

use super::SteeringGeometry;
use crate::spec::{Axle, VehicleSpec};
use bekker_math::numeric::{asin, atan, cos, sin};
use bekker_math::spatial::{Pose, Vec3};

/// Distance in which the error of the articulation falls to 1/e, in drawbar lengths.
///
/// Assumed; it is well below the distance in which the error would grow without steering.
const SETTLING: f64 = 0.5;
/// Largest requested articulation as a share of the point of no return.
const ASKED: f64 = 0.75;
/// Shares of the point of no return at which a reversing driver stops, and below which it reverses
/// again.
const FOLDS: [f64; 2] = [0.9, 0.25];
/// Outward swing of a vehicle as a share of its trailer's off-tracking: both deviate equally.
const SWINGS_OUT: f64 = 0.5;

/// Geometry of a trailer for steering its vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrailerGeometry {
    /// Distance of the coupling behind the vehicle's rear axle, m; negative ahead of it.
    pub overhang: f64,
    /// Distance of the middle of the trailer's axles behind the coupling, m.
    pub drawbar: f64,
    /// Articulation at which the trailer touches the vehicle, rad.
    pub most: f64,
}

impl TrailerGeometry {
    /// Returns the geometry of a vehicle's trailer, if it has one.
    pub fn from_spec(spec: &VehicleSpec) -> Option<TrailerGeometry> {
        let trailer = spec.trailer.as_ref()?;
        let axles = spec.axles.iter().filter(|axle| axle.trailed);
        let places = axles.map(Axle::wheel_x);
        let (sum, count) = places.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
        let coupling = trailer.coupling[0];
        Some(TrailerGeometry {
            overhang: spec.turning_line() - coupling,
            drawbar: coupling - sum / count,
            most: trailer.hitch.max_yaw_deg.to_radians(),
        })
    }

    /// Returns the middle of the trailer's axles, m, and its heading, for a vehicle at `pose`.
    pub fn axle(&self, own: &SteeringGeometry, pose: &Pose, articulation: f64) -> ([f64; 2], Vec3) {
        let heading = Vec3::new(cos(articulation), sin(articulation), 0.0);
        let coupling = Vec3::new(own.rear_axle - self.overhang, 0.0, 0.0);
        let axle = pose.point(&(coupling - heading * self.drawbar));
        ([axle.x, axle.y], pose.direction(&heading))
    }

    /// Returns the articulation at which the trailer's axle permanently follows a curvature, 1/m.
    pub fn steady_articulation(&self, curvature: f64) -> f64 {
        let TrailerGeometry { overhang, drawbar, .. } = *self;
        let lever = drawbar * drawbar - overhang * overhang;
        let square = (1.0 + lever * curvature * curvature).max(f64::MIN_POSITIVE);
        -(atan(drawbar * curvature) + atan(overhang * curvature / square.sqrt()))
    }

    /// Returns the curvature of the vehicle's rear axle, 1/m, that leads the articulation to
    /// `wanted` in reverse.
    pub fn leading_curvature(&self, articulation: f64, wanted: f64) -> f64 {
        let TrailerGeometry { overhang, drawbar, .. } = *self;
        let error = (articulation - wanted) / (SETTLING * drawbar);
        let lever = 1.0 + overhang / drawbar * cos(articulation);
        -(sin(articulation) / drawbar + error) / lever.max(0.1)
    }

    /// Returns the articulation beyond which no steering straightens the trailer in reverse, rad.
    ///
    /// `max_curvature` is the greatest curvature of the vehicle, 1/m. The limit is sin ψ = κ (l + c cos
    /// ψ), or the articulation at which the trailer touches the vehicle.
    pub fn point_of_no_return(&self, max_curvature: f64) -> f64 {
        let across = max_curvature * self.overhang;
        let sine = max_curvature * self.drawbar / (1.0 + across * across).sqrt();
        if sine >= 1.0 { self.most } else { self.most.min(asin(sine) + atan(across)) }
    }

    /// Returns the steering, -1 to 1, of a reversing vehicle whose trailer's axle follows a
    /// curvature, 1/m.
    pub fn reversing_steering(
        &self,
        own: &SteeringGeometry,
        articulation: f64,
        curvature: f64,
    ) -> f64 {
        let most = ASKED * self.point_of_no_return(own.max_curvature());
        // the curvature is unbounded for a trailer that must turn around
        let bounded = curvature.clamp(-1.0 / self.drawbar, 1.0 / self.drawbar);
        let wanted = self.steady_articulation(bounded).clamp(-most, most);
        own.steering(self.leading_curvature(articulation, wanted))
    }

    /// Whether the trailer is about to jackknife, or has not been straightened since.
    pub fn is_jackknifing(
        &self,
        own: &SteeringGeometry,
        articulation: f64,
        straightens: bool,
    ) -> bool {
        let share = FOLDS[usize::from(straightens)];
        articulation.abs() > share * self.point_of_no_return(own.max_curvature())
    }

    /// Returns the radius of the path of the trailer's axle, m, for a radius of the vehicle's rear
    /// axle, m.
    ///
    /// Both radii are legs of right triangles with the coupling's radius. `None` if no steady turn
    /// exists.
    pub fn axle_radius(&self, rear: f64) -> Option<f64> {
        let square = rear * rear + self.overhang * self.overhang - self.drawbar * self.drawbar;
        (square > 0.0).then(|| square.sqrt())
    }

    /// Returns the offset to the left of a path of this curvature, 1/m, for a vehicle with the
    /// trailer, m.
    ///
    /// With it the trailer cuts in no farther than the vehicle swings out.
    pub fn swing_out(&self, curvature: f64) -> f64 {
        let radius = 1.0 / curvature.abs().max(1e-6);
        let cut = radius - self.axle_radius(radius).unwrap_or(0.0);
        // bounded also for bends that no trailer can follow
        -curvature.signum() * SWINGS_OUT * cut.clamp(0.0, self.drawbar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUCK: SteeringGeometry = SteeringGeometry {
        wheelbase: 5.0,
        rear_axle: -2.0,
        max_steer: 0.5,
        skids: false,
        pivots: false,
        skid: None,
        articulated: None,
        trailer: None,
    };
    const SEMITRAILER: TrailerGeometry =
        TrailerGeometry { overhang: -0.3, drawbar: 7.5, most: 1.4 };
    const CARGO: TrailerGeometry = TrailerGeometry { overhang: 1.2, drawbar: 2.4, most: 1.3 };

    /// dψ/ds of the kinematics, per meter in reverse.
    fn rate(trailer: &TrailerGeometry, articulation: f64, curvature: f64) -> f64 {
        let TrailerGeometry { overhang, drawbar, .. } = *trailer;
        articulation.sin() / drawbar + curvature * (1.0 + overhang / drawbar * articulation.cos())
    }

    #[test]
    fn an_articulation_is_led_where_it_is_wanted() {
        for trailer in [SEMITRAILER, CARGO] {
            let (mut articulation, ds) = (0.3, 1e-3);
            let way = 5.0 * SETTLING * trailer.drawbar;
            for _ in 0..(way / ds) as usize {
                let curvature = trailer.leading_curvature(articulation, -0.2);
                articulation += ds * rate(&trailer, articulation, curvature);
            }
            // e^-5 of the initial error remains
            let left = 0.5 * (-5.0_f64).exp();
            assert!((articulation + 0.2 - left).abs() < 1e-4, "{articulation}");
        }
    }

    /// Where vehicle and trailer turn about a common center, the articulation is constant.
    #[test]
    fn a_steady_articulation_stays() {
        for trailer in [SEMITRAILER, CARGO] {
            for curvature in [0.02, -0.08] {
                let articulation = trailer.steady_articulation(curvature);
                let lever = trailer.drawbar.powi(2) - trailer.overhang.powi(2);
                let own = curvature / (1.0 + lever * curvature * curvature).sqrt();
                let rate = rate(&trailer, articulation, own);
                assert!(rate.abs() < 1e-12, "{curvature}: {rate}");
            }
        }
    }

    #[test]
    fn beyond_the_point_of_no_return_full_lock_does_not_help() {
        for trailer in [SEMITRAILER, CARGO] {
            let max_curvature = TRUCK.max_curvature();
            let edge = trailer.point_of_no_return(max_curvature);
            assert!(edge < trailer.most, "{edge}");
            assert!(rate(&trailer, edge - 0.01, -max_curvature) < 0.0);
            assert!(rate(&trailer, edge + 0.01, -max_curvature) > 0.0);
        }
    }

    #[test]
    fn a_vehicle_swings_out_by_half_of_its_trailers_off_tracking() {
        // 15 m: sqrt(15² + 0.3² - 7.5²) = 12.994 m, so 2.006 m
        assert!((SEMITRAILER.swing_out(1.0 / 15.0) + 1.003).abs() < 1e-3);
        assert!(SEMITRAILER.swing_out(-1.0 / 15.0) > 1.0);
        assert!(SEMITRAILER.swing_out(0.0).abs() < 1e-3);
    }
}
