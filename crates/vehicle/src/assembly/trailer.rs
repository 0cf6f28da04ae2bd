//! Trailer: a second sprung body, connected to the first by its coupling.
//!
//! A coupling consists of springs and dampers that hold a point of the trailer to a point of the
//! vehicle. A ball has three of them and transmits no moment. A fifth wheel bears at two points
//! left and right, so it transmits roll moments; yaw and pitch are free. Stops limit both angles
//! where the bodies of trailer and tractor would touch.

use super::{Frame, Mount, sprung_inertia, vec3};
use crate::multibody::{Body, BodyId, Element, Joint};
use crate::spec::HitchKind;
use bekker_math::numeric::{asin, atan2};
use bekker_math::spatial::{Pose, Twist, Vec3};

/// Stiffness of the stops, N m/rad: they deflect by half a degree under 20 kN on a lever of 1 m.
const STOP_STIFFNESS: f64 = 2e6;
/// Damping of the stops over their stiffness, s.
const STOP_DAMPING_TIME: f64 = 0.02;

/// Indices and parameters by which a step accesses a trailer.
#[derive(Clone, Debug)]
pub(crate) struct Coupled {
    /// Sprung body of the trailer; its frame has its origin at the coupling.
    pub body: BodyId,
    /// Springs of the coupling along the chassis axes: index among the mounts, and axis.
    pub springs: Vec<(usize, Vec3)>,
    /// Force at which the coupling breaks, N.
    pub breaking: f64,
    /// Yaw and pitch at which the stops begin to act, rad.
    most: [f64; 2],
}

impl Coupled {
    /// Returns the moment of the stops on the trailer, N m, world axes.
    ///
    /// Poses and twists are of vehicle and trailer, in this order.
    pub fn stop(&self, poses: [&Pose; 2], twists: [&Twist; 2]) -> Vec3 {
        let [yaw, pitch] = articulation(poses);
        let rate = twists[1].angular - twists[0].angular;
        let axes = [poses[0].direction(&Vec3::z()), poses[1].direction(&Vec3::y())];
        let moment = |k: usize| {
            let angle = [yaw, pitch][k];
            let beyond = angle - angle.clamp(-self.most[k], self.most[k]);
            if beyond == 0.0 {
                return Vec3::zeros();
            }
            let push = beyond + STOP_DAMPING_TIME * rate.dot(&axes[k]);
            // a stop pushes and never pulls
            let push = if beyond > 0.0 { push.max(0.0) } else { push.min(0.0) };
            axes[k] * (-STOP_STIFFNESS * push)
        };
        moment(0) + moment(1)
    }
}

/// Returns yaw and pitch of a trailer relative to its vehicle, rad: positive to the left and nose
/// down.
pub(crate) fn articulation([vehicle, trailer]: [&Pose; 2]) -> [f64; 2] {
    let ahead = vehicle.orientation.inverse() * trailer.direction(&Vec3::x());
    [atan2(ahead.y, ahead.x), asin((-ahead.z).clamp(-1.0, 1.0))]
}

impl Frame<'_> {
    /// Adds the trailer's body and its coupling, if there is a trailer.
    pub(super) fn trailer(&mut self) {
        let spec = self.spec;
        let Some(trailer) = &spec.trailer else { return };
        let origin = vec3(trailer.coupling);
        let body = self.builder.body(Body {
            name: "trailer".into(),
            parent: BodyId::WORLD,
            joint: Joint::Free,
            anchor: origin,
            origin,
            inertia: sprung_inertia(&trailer.chassis, origin),
        });
        let hitch = &trailer.hitch;
        let mut places = vec![(origin, Vec3::x(), 1.0), (origin, Vec3::y(), 1.0)];
        match hitch.kind {
            HitchKind::Ball => places.push((origin, Vec3::z(), 1.0)),
            HitchKind::FifthWheel => {
                let aside = Vec3::y() * (0.5 * hitch.plate_width.unwrap_or_default());
                places.extend([aside, -aside].map(|aside| (origin + aside, Vec3::z(), 0.5)));
            }
        }
        let mut springs = Vec::with_capacity(places.len());
        for (point, axis, share) in places {
            let drawn_by = self.rear_frame.unwrap_or(self.chassis);
            let (a, point_a, b, point_b) = (body, point, drawn_by, point);
            let element = self.builder.element(Element::Axial { a, point_a, b, point_b, axis });
            let stiffness = hitch.stiffness * share;
            springs.push((self.mounts.len(), axis));
            self.mounts.push(Mount { element, stiffness, damping: stiffness * hitch.damping_time });
        }
        let most = [hitch.max_yaw_deg, hitch.max_pitch_deg].map(f64::to_radians);
        for (index, axle) in spec.axles.iter().enumerate() {
            if axle.trailed {
                self.spring_seats[index] = [body; 2];
            }
        }
        let breaking = hitch.breaking_load.unwrap_or(f64::INFINITY);
        self.trailer = Some(Coupled { body, springs, breaking, most });
    }
}
