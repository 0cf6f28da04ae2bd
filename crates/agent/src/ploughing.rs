//! A hull that ploughs: yielding soil before its upright faces.
//!
//! A face that goes forward into soil pushes a wedge of it ahead, which resists by its weight, its
//! friction and its cohesion ([`PassiveWedge`]). Soil is met as high as it stands a node before the
//! face, in columns across it. The force is level, against the face: what rubs along the face is left
//! out, so nothing is lifted by what it pushes. It only ever takes energy.

use super::agent::AgentModel;
use super::contact_context::ContactContext;
use super::ground_vehicle::GroundVehicleWorkspace;
use bekker_ground::soil::PassiveWedge;
use bekker_ground::working_surface_height;
use bekker_math::numeric::hypot;
use bekker_math::spatial::{Load, Vec3};
use bekker_vehicle::collision::Hull;

/// Greatest distance between columns across a face, m.
const COLUMN: f64 = 0.3;
/// Speed below which the resistance fades out, m/s: a wedge takes way to form, and what stands makes
/// none. Half of it is there at 6 mm/s.
const ADVANCING: f64 = 1e-2;
/// Level part of a face's normal below which it is upright no more.
const UPRIGHT: f64 = 0.7;

/// An upright face of a hull in the chassis frame.
struct Face {
    /// Out of the hull.
    out: Vec3,
    /// Middle of its lower edge, m.
    edge: Vec3,
    /// Along that, to half of its width.
    half: Vec3,
    /// m.
    height: f64,
}

/// Front, rear, left and right.
fn faces(hull: &Hull) -> [Face; 4] {
    let (half, bottom) = (hull.shape.half(), hull.centre - Vec3::z() * hull.shape.half().z);
    [
        (Vec3::x(), Vec3::y()),
        (-Vec3::x(), Vec3::y()),
        (Vec3::y(), Vec3::x()),
        (-Vec3::y(), Vec3::x()),
    ]
    .map(|(out, along)| Face {
        out,
        edge: bottom + out.component_mul(&half),
        half: along.component_mul(&half),
        height: 2.0 * half.z,
    })
}

impl AgentModel {
    /// Adds what yielding soil before the faces of a hull does to the chassis, about its frame's
    /// origin.
    pub(super) fn plough(
        &self,
        hull: &Hull,
        body: &GroundVehicleWorkspace,
        context: &ContactContext<'_>,
        load: &mut Load,
    ) {
        let ContactContext { ground, published, overlay, grips, .. } = context;
        if !(*grips && ground.laws().passive_pressure) {
            return;
        }
        let (chassis, twist) = (self.vehicle.pose(body), self.vehicle.twist(body));
        let ahead = ground.lattice().spacing;
        for face in faces(hull) {
            let out = chassis.direction(&face.out);
            let level = Vec3::new(out.x, out.y, 0.0);
            let upright = level.norm();
            // what is not finite is no face
            if upright.is_nan() || upright <= UPRIGHT {
                continue;
            }
            let out = level / upright;
            let width = 2.0 * face.half.norm();
            let columns = (width / COLUMN).ceil();
            for column in 0..columns as u32 {
                let part = (2.0 * f64::from(column) + 1.0) / columns - 1.0;
                let edge = chassis.point(&(face.edge + face.half * part));
                let speed = twist.at(&(edge - chassis.position)).dot(&out);
                if speed <= 0.0 {
                    continue;
                }
                let before = edge + out * ahead;
                let depth =
                    working_surface_height(ground, published, overlay, before.x, before.y) - edge.z;
                let Some(wedge) = ground.passive_wedge(before.x, before.y) else { continue };
                if depth > 0.0 {
                    push(
                        wedge,
                        [depth, face.height, width, width / columns],
                        (&edge, &out, speed),
                        &chassis.position,
                        load,
                    );
                }
            }
        }
    }
}

/// Adds the resistance of a column of soil `share` m wide, `depth` m deep at the lower `edge` of a face that
/// is `height` m high and `width` m wide and comes on at a `speed`, m/s.
fn push(
    wedge: &PassiveWedge,
    [depth, height, width, share]: [f64; 4],
    (edge, out, speed): (&Vec3, &Vec3, f64),
    origin: &Vec3,
    load: &mut Load,
) {
    let [resistance, above] = wedge.on_face(depth, height, width);
    // the secant: however long the step is, it stops a face and does not turn it round
    let drag = share * resistance / hypot(speed, ADVANCING);
    let arm = edge + Vec3::z() * above - origin;
    load.wrench.add_force(&(out * (-drag * speed)), &arm);
    load.add_tangent(out, &arm, 0.0, drag);
}
