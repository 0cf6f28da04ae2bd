//! Resistance of deformable soil in front of the upright faces of a hull.
//!
//! A face that advances into soil pushes a wedge ahead, which resists by weight, friction and
//! cohesion ([`PassiveWedge`]). Its depth is the soil height one node in front of the face, in
//! columns across the face.
//!
//! The force is horizontal and opposes the face. Friction along the face is neglected, so the soil
//! lifts nothing. The force only dissipates energy.

use super::agent::AgentModel;
use super::any_vehicle::GroundVehicleWorkspace;
use super::contact_context::ContactContext;
use super::ground_vehicle::GroundVehicle;
use bekker_ground::soil::PassiveWedge;
use bekker_ground::working_surface_height;
use bekker_math::numeric::hypot;
use bekker_math::spatial::{Load, Vec3};
use bekker_vehicle::collision::Hull;

/// Largest width of a column across a face, m.
const MAX_COLUMN_WIDTH: f64 = 0.3;
/// Speed below which the resistance decreases to zero, m/s.
///
/// A wedge needs travel to form, and a face at rest forms none. Half of the resistance acts at 6
/// mm/s.
const REFERENCE_SPEED: f64 = 1e-2;
/// Horizontal component of a face's normal below which the face is not upright.
const MIN_HORIZONTAL_NORMAL: f64 = 0.7;

/// Upright face of a hull in the chassis frame.
struct HullFace {
    /// Outward normal.
    out: Vec3,
    /// Center of the lower edge, m.
    edge: Vec3,
    /// Vector from there to the end of the edge, m.
    half: Vec3,
    /// Height, m.
    height: f64,
}

/// Returns the front, rear, left and right faces.
fn faces(hull: &Hull) -> [HullFace; 4] {
    let (half, bottom) = (hull.shape.half(), hull.center - Vec3::z() * hull.shape.half().z);
    [
        (Vec3::x(), Vec3::y()),
        (-Vec3::x(), Vec3::y()),
        (Vec3::y(), Vec3::x()),
        (-Vec3::y(), Vec3::x()),
    ]
    .map(|(out, along)| HullFace {
        out,
        edge: bottom + out.component_mul(&half),
        half: along.component_mul(&half),
        height: 2.0 * half.z,
    })
}

impl AgentModel {
    /// Adds the load of deformable soil in front of a hull's faces on the chassis, about its
    /// frame's origin.
    pub(super) fn add_passive_pressure(
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
            // a non-finite normal is skipped
            if upright.is_nan() || upright <= MIN_HORIZONTAL_NORMAL {
                continue;
            }
            let out = level / upright;
            let width = 2.0 * face.half.norm();
            let columns = (width / MAX_COLUMN_WIDTH).ceil();
            for column in 0..columns as u32 {
                let part = (2.0 * f64::from(column) + 1.0) / columns - 1.0;
                let edge = chassis.point(&(face.edge + face.half * part));
                let speed = twist.velocity_at(&(edge - chassis.position)).dot(&out);
                if speed <= 0.0 {
                    continue;
                }
                let before = edge + out * ahead;
                let depth =
                    working_surface_height(ground, published, overlay, before.x, before.y) - edge.z;
                let Some(wedge) = ground.passive_wedge(before.x, before.y) else { continue };
                if depth > 0.0 {
                    add_column_resistance(
                        wedge,
                        [depth, face.height, width, width / columns],
                        &AdvancingEdge { point: edge, out, speed },
                        &chassis.position,
                        load,
                    );
                }
            }
        }
    }
}

/// Lower edge of a face that advances into soil.
struct AdvancingEdge {
    /// Middle of the column, m.
    point: Vec3,
    /// Horizontal direction of the face's normal.
    out: Vec3,
    /// Speed along it, m/s.
    speed: f64,
}

/// Adds the resistance of a column of soil.
///
/// The column is `share` m wide and `depth` m deep at the lower `edge` of a face. The face is
/// `height` m high and `width` m wide and advances at `speed`, m/s.
fn add_column_resistance(
    wedge: &PassiveWedge,
    [depth, height, width, share]: [f64; 4],
    edge: &AdvancingEdge,
    origin: &Vec3,
    load: &mut Load,
) {
    let AdvancingEdge { point, out, speed } = edge;
    let [resistance, above] = wedge.on_face(depth, height, width);
    // secant damping: at any step length it stops a face but never reverses it
    let drag = share * resistance / hypot(*speed, REFERENCE_SPEED);
    let arm = point + Vec3::z() * above - origin;
    load.wrench.add_force(&(out * (-drag * speed)), &arm);
    load.add_tangent(out, &arm, 0.0, drag);
}
