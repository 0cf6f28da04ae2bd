//! Driving with a trailer: what bends ask for, and how one is backed.
//!
//! All of it is the kinematics of a vehicle and one trailer whose axles do not slip sideways. With
//! the vehicle's rear axle running at v along the curvature κ, the coupling c behind that axle and
//! the trailer's axle l behind the coupling, the articulation ψ (of the trailer, to the left)
//! follows dψ/dt = -v (sin ψ / l + κ (1 + c/l cos ψ)).
//!
//! A trailer that is backed is steered as if it drove itself: pure pursuit from its axle gives the
//! curvature that it should run along, that gives the articulation at which it does, and the
//! vehicle's steering leads the articulation there by dψ/ds = -k (ψ - ψ_d), which the equation
//! above is solved for. Sources: J. Morales, J. L. Martínez, A. Mandow and A. J. García-Cerezo,
//! *Steering the last trailer as a virtual tractor for reversing vehicles with passive on- and
//! off-axle hitches*, IEEE Transactions on Industrial Electronics 60 (2013) 5729; feedback of the
//! hitch angle: C. Pradalier and K. Usher, *Robust trajectory tracking for a reversing tractor
//! trailer*, Journal of Field Robotics 25 (2008) 378.

use super::SteeringGeometry;
use crate::spec::VehicleSpec;
use bekker_math::numeric::{asin, atan, cos, sin};
use bekker_math::spatial::{Pose, Vec3};

/// Distance in which the error of the articulation falls to 1/e, in lengths of the drawbar:
/// assumed, well within the one in which it would grow without steering.
const SETTLING: f64 = 0.5;
/// Share of the articulation from which there is no way back that is asked for at most.
const ASKED: f64 = 0.75;
/// Share of it at which a driver who backs pulls up, and below which he backs again.
const FOLDS: [f64; 2] = [0.9, 0.25];
/// Share of a trailer's off-tracking by which its vehicle swings out: both are as far off.
const SWINGS_OUT: f64 = 0.5;

/// A trailer as who steers its vehicle thinks of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrailerGeometry {
    /// Its coupling behind the vehicle's rear axle, m; below 0 ahead of it.
    pub overhang: f64,
    /// The middle of its axles behind the coupling, m.
    pub drawbar: f64,
    /// Articulation at which it meets the vehicle, rad.
    pub most: f64,
}

impl TrailerGeometry {
    /// Of the trailer that a vehicle draws by its file.
    pub fn of(spec: &VehicleSpec) -> Option<TrailerGeometry> {
        let trailer = spec.trailer.as_ref()?;
        let axles = spec.axles.iter().filter(|axle| axle.trailed);
        let places = axles.map(|axle| axle.position[0] + axle.suspension.spindle()[0]);
        let (sum, count) = places.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
        let coupling = trailer.coupling[0];
        Some(TrailerGeometry {
            overhang: spec.turning_line() - coupling,
            drawbar: coupling - sum / count,
            most: trailer.hitch.max_yaw_deg.to_radians(),
        })
    }

    /// Middle of its axles, m, and its heading, behind a vehicle at `pose`.
    pub fn axle(&self, own: &SteeringGeometry, pose: &Pose, articulation: f64) -> ([f64; 2], Vec3) {
        let heading = Vec3::new(cos(articulation), sin(articulation), 0.0);
        let coupling = Vec3::new(own.rear_axle - self.overhang, 0.0, 0.0);
        let axle = pose.point(&(coupling - heading * self.drawbar));
        ([axle.x, axle.y], pose.direction(&heading))
    }

    /// Articulation at which the trailer's axle runs along a curvature, 1/m, for good.
    pub fn steady(&self, curvature: f64) -> f64 {
        let TrailerGeometry { overhang, drawbar, .. } = *self;
        let lever = drawbar * drawbar - overhang * overhang;
        let square = (1.0 + lever * curvature * curvature).max(f64::MIN_POSITIVE);
        -(atan(drawbar * curvature) + atan(overhang * curvature / square.sqrt()))
    }

    /// Curvature of the vehicle's rear axle, 1/m, that leads the articulation to `wanted` as it
    /// backs.
    pub fn leading(&self, articulation: f64, wanted: f64) -> f64 {
        let TrailerGeometry { overhang, drawbar, .. } = *self;
        let error = (articulation - wanted) / (SETTLING * drawbar);
        let lever = 1.0 + overhang / drawbar * cos(articulation);
        -(sin(articulation) / drawbar + error) / lever.max(0.1)
    }

    /// Articulation from which no steering leads back while it backs, with the tightest
    /// curvature of the vehicle, 1/m: sin ψ = κ (l + c cos ψ), or where it meets the vehicle.
    pub fn point_of_no_return(&self, tightest: f64) -> f64 {
        let across = tightest * self.overhang;
        let sine = tightest * self.drawbar / (1.0 + across * across).sqrt();
        if sine >= 1.0 { self.most } else { self.most.min(asin(sine) + atan(across)) }
    }

    /// Steering of a vehicle that backs it, -1 to 1, for its axle to run along a curvature, 1/m.
    pub fn backing(&self, own: &SteeringGeometry, articulation: f64, curvature: f64) -> f64 {
        let most = ASKED * self.point_of_no_return(own.tightest());
        // one that is to turn round has no curvature
        let bounded = curvature.clamp(-1.0 / self.drawbar, 1.0 / self.drawbar);
        let wanted = self.steady(bounded).clamp(-most, most);
        own.steering(self.leading(articulation, wanted))
    }

    /// Whether it is about to fold up, or has not been straightened since.
    pub fn folds(&self, own: &SteeringGeometry, articulation: f64, straightens: bool) -> bool {
        let share = FOLDS[usize::from(straightens)];
        articulation.abs() > share * self.point_of_no_return(own.tightest())
    }

    /// Radius at which its axle runs, m, where the vehicle's rear axle runs at one, m: legs of right
    /// triangles with the coupling's. None where it comes to no steady turn.
    pub fn axle_radius(&self, rear: f64) -> Option<f64> {
        let square = rear * rear + self.overhang * self.overhang - self.drawbar * self.drawbar;
        (square > 0.0).then(|| square.sqrt())
    }

    /// How far a vehicle holds itself to the left of a path of this curvature, 1/m, so that its
    /// trailer cuts in no farther than it swings out, m.
    pub fn swing_out(&self, curvature: f64) -> f64 {
        let radius = 1.0 / curvature.abs().max(1e-6);
        let cut = radius - self.axle_radius(radius).unwrap_or(0.0);
        // also of bends that no trailer goes round
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
        trailer: None,
    };
    const SEMITRAILER: TrailerGeometry =
        TrailerGeometry { overhang: -0.3, drawbar: 7.5, most: 1.4 };
    const CARGO: TrailerGeometry = TrailerGeometry { overhang: 1.2, drawbar: 2.4, most: 1.3 };

    /// dψ/ds of the kinematics, per metre backward.
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
                let curvature = trailer.leading(articulation, -0.2);
                articulation += ds * rate(&trailer, articulation, curvature);
            }
            // e^-5 of the first error is left
            let left = 0.5 * (-5.0_f64).exp();
            assert!((articulation + 0.2 - left).abs() < 1e-4, "{articulation}");
        }
    }

    /// Where vehicle and trailer turn about one centre, the articulation stays.
    #[test]
    fn a_steady_articulation_stays() {
        for trailer in [SEMITRAILER, CARGO] {
            for curvature in [0.02, -0.08] {
                let articulation = trailer.steady(curvature);
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
            let tightest = TRUCK.tightest();
            let edge = trailer.point_of_no_return(tightest);
            assert!(edge < trailer.most, "{edge}");
            assert!(rate(&trailer, edge - 0.01, -tightest) < 0.0);
            assert!(rate(&trailer, edge + 0.01, -tightest) > 0.0);
        }
    }

    #[test]
    fn a_vehicle_swings_out_by_half_of_what_its_trailer_cuts_in() {
        // 15 m: sqrt(15² + 0.3² - 7.5²) = 12.994 m, so 2.006 m
        assert!((SEMITRAILER.swing_out(1.0 / 15.0) + 1.003).abs() < 1e-3);
        assert!(SEMITRAILER.swing_out(-1.0 / 15.0) > 1.0);
        assert!(SEMITRAILER.swing_out(0.0).abs() < 1e-3);
    }
}
