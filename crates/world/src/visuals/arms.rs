//! Parts that move relative to the hull besides the wheels: suspension arms, the trailer and the rear
//! frame of an articulated vehicle.
//!
//! Arms follow from their hard points and from the wheel poses in a vehicle's message.

use super::DARK;
use bekker_math::numeric::atan2;
use bekker_math::spatial::{Mat3, Pose, Quat, Vec3};
use bekker_sensor::material::Material;
use bekker_sensor::mesh::{Mesh, MeshBuilder};
use bekker_sync::message::VehicleMessage;
use bekker_vehicle::Vehicle;
use bekker_vehicle::spec::{Axle, Point, RoadArm, Suspension, SuspensionLink, VehicleSpec};

/// A link between chassis and wheels, or the hull of a trailer or a rear frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawnArm {
    mesh: usize,
    held: LinkKind,
    /// Center of the hulls of the rear frame that carries a link, in that frame; `None` if the
    /// chassis carries it.
    rear: Option<Vec3>,
}

#[derive(Clone, Debug, PartialEq)]
enum LinkKind {
    /// Rotates about an axis through `pivot` on the chassis.
    ///
    /// Its end, at `reach` from the pivot in the design position, then comes close to `joint`. That
    /// point is fixed to the wheel's upright, in a frame with y along the axle and x horizontal.
    Swing { pivot: Vec3, axis: Vec3, reach: Vec3, wheel: usize, joint: Vec3 },
    /// Carries two wheels of one side, with their centers at `design` in the design position.
    Bogie { wheels: [usize; 2], design: [Vec3; 2] },
    /// Connects the left and the right wheel of an axle.
    Across { wheels: [usize; 2] },
    /// The trailer, coupled or not, or the rear frame. The message contains the center of its hulls,
    /// which is at `middle` in its own frame.
    Trailer { middle: Vec3 },
}

impl DrawnArm {
    /// Returns its mesh and its pose in the world for a message; `None` for a trailer that the
    /// message lacks.
    pub(crate) fn placed(&self, message: &VehicleMessage) -> Option<(usize, Pose)> {
        let wheels = message.gear.ground_wheels();
        let pose = match &self.held {
            LinkKind::Trailer { middle } => behind(message, middle)?,
            held => {
                let frame = match &self.rear {
                    Some(middle) => behind(message, middle)?,
                    None => message.chassis,
                };
                let wheel = |index: usize| {
                    let pose = wheels.get(index)?.pose;
                    let in_rear = |_| local_pose(&frame, &message.chassis, &pose);
                    Some(self.rear.as_ref().map_or(pose, in_rear))
                };
                let own = held.by_wheels(wheel)?;
                Pose {
                    position: frame.point(&own.position),
                    orientation: frame.orientation * own.orientation,
                }
            }
        };
        Some((self.mesh, pose))
    }
}

/// Frame of the trailer or the rear frame in the world, whose hulls have their center at `middle`.
fn behind(message: &VehicleMessage, middle: &Vec3) -> Option<Pose> {
    let pose = message.trailer?.pose();
    Some(Pose { position: pose.point(&-middle), ..pose })
}

/// Returns a pose of the frame `from` in the frame `to`.
fn local_pose(to: &Pose, from: &Pose, pose: &Pose) -> Pose {
    Pose {
        position: to.local_point(&from.point(&pose.position)),
        orientation: to.orientation.inverse() * (from.orientation * pose.orientation),
    }
}

impl LinkKind {
    /// Pose of a link between chassis and wheels in the frame that carries it and in which the poses
    /// of the wheels are.
    fn by_wheels(&self, wheels: impl Fn(usize) -> Option<Pose>) -> Option<Pose> {
        Some(match self {
            LinkKind::Swing { pivot, axis, reach, wheel, joint } => {
                let wheel = wheels(*wheel)?;
                let y = wheel.orientation * Vec3::y();
                let x = y.cross(&Vec3::z()).try_normalize(1e-9)?;
                let end = wheel.position + x * joint.x + y * joint.y + x.cross(&y) * joint.z;
                let to = end - pivot;
                let across = |v: &Vec3| v - axis * axis.dot(v);
                let (from, to) = (across(reach), across(&to));
                let angle = atan2(axis.dot(&from.cross(&to)), from.dot(&to));
                Pose { position: *pivot, orientation: Quat::from_scaled_axis(axis * angle) }
            }
            LinkKind::Bogie { wheels: [front, rear], design: [front_design, rear_design] } => {
                let [front, rear] = [wheels(*front)?, wheels(*rear)?].map(|pose| pose.position);
                let pitch = |along: Vec3| atan2(-along.z, along.x);
                let angle = pitch(front - rear) - pitch(front_design - rear_design);
                let orientation = Quat::from_scaled_axis(Vec3::y() * angle);
                Pose { position: (front + rear) * 0.5, orientation }
            }
            LinkKind::Trailer { .. } => return None,
            LinkKind::Across { wheels: [left, right] } => {
                let [left, right] = [wheels(*left)?, wheels(*right)?];
                let y = (left.position - right.position).try_normalize(1e-9)?;
                let x = y.cross(&Vec3::z()).try_normalize(1e-9)?;
                let axes = Mat3::from_columns(&[x, y, x.cross(&y)]);
                let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
                Pose {
                    position: (left.position + right.position) * 0.5,
                    orientation: Quat::from_rotation_matrix(&turn),
                }
            }
        })
    }
}

/// Collects meshes and arms.
struct Builder<'a> {
    meshes: &'a mut Vec<Mesh>,
    arms: Vec<DrawnArm>,
    /// Frame that carries the next links, as in [`DrawnArm`], and its origin in the chassis frame.
    rear: Option<(Vec3, Vec3)>,
}

impl Builder<'_> {
    fn mesh(&mut self, builder: MeshBuilder) -> usize {
        self.meshes.push(builder.finish());
        self.meshes.len() - 1
    }

    fn add(&mut self, mesh: usize, held: LinkKind) {
        let rear = self.rear.map(|(middle, _)| middle);
        self.arms.push(DrawnArm { mesh, held, rear });
    }

    /// Adds an arm that rotates about the axis through two `hinges`.
    ///
    /// It consists of bars from the hinges to its end, and from there to the wheel's center. All
    /// points are in the design position, chassis frame.
    fn swing(&mut self, wheel: usize, hinges: [Vec3; 2], end: Vec3, center: Vec3, thick: f32) {
        let Some(axis) = (hinges[0] - hinges[1]).try_normalize(1e-9) else { return };
        let pivot = (hinges[0] + hinges[1]) * 0.5;
        let origin = self.rear.map_or(Vec3::zeros(), |(_, joint)| joint);
        let own = |p: Vec3| (p - pivot).map(|x| x as f32).into();
        let mut builder = MeshBuilder::new();
        for hinge in hinges {
            builder.bar(own(hinge), own(end), thick, DARK);
        }
        builder.bar(own(hinges[0]), own(hinges[1]), 1.3 * thick, DARK);
        if (center - end).norm() > 1e-3 {
            builder.bar(own(end), own(center), thick, Material::STEEL);
        }
        let mesh = self.mesh(builder);
        let (reach, joint) = (end - pivot, end - center);
        let held = LinkKind::Swing { pivot: pivot - origin, axis, reach, wheel, joint };
        self.add(mesh, held);
    }
}

impl Builder<'_> {
    /// Adds rockers and bogies: bars from each pin to the wheels and to the bogie's pin.
    fn rocker_bogie(&mut self, spec: &VehicleSpec) {
        let Some(own) = &spec.rocker_bogie else { return };
        for (side, mirror) in [1.0, -1.0].into_iter().enumerate() {
            let pin = |link: &SuspensionLink| {
                let [x, y, z] = link.pin;
                Vec3::new(x, mirror * y, z)
            };
            // the bars are in the plane of the pins, on the inside of the wheels
            let ends = |link: &SuspensionLink| -> Vec<(usize, Vec3)> {
                let axles = link.axles.iter().filter_map(|name| spec.axle_named(name));
                let wheel = |axle: usize| {
                    let own = &spec.axles[axle];
                    (2 * axle + side, placed(own, mirror, own.suspension.spindle()))
                };
                axles.map(wheel).collect()
            };
            let bars = |origin: Vec3, from: Vec3, to: &[Vec3]| {
                let own = |p: Vec3| (p - origin).map(|x| x as f32).into();
                let mut builder = MeshBuilder::new();
                for end in to {
                    let inside = Vec3::new(end.x, from.y, end.z);
                    builder.bar(own(from), own(inside), 0.03, DARK);
                    builder.bar(own(inside), own(*end), 0.025, Material::STEEL);
                }
                builder
            };
            if let Some(bogie) = &own.bogie
                && let [front, rear] = ends(bogie)[..]
            {
                let middle = (front.1 + rear.1) * 0.5;
                let mesh = self.mesh(bars(middle, pin(bogie), &[front.1, rear.1]));
                let (wheels, design) = ([front.0, rear.0], [front.1, rear.1]);
                self.add(mesh, LinkKind::Bogie { wheels, design });
            }
            let (carried, pivot) = (ends(&own.rocker), pin(&own.rocker));
            let Some(&(wheel, center)) = carried.first() else { continue };
            let to: Vec<Vec3> =
                carried.iter().map(|own| own.1).chain(own.bogie.iter().map(pin)).collect();
            let mesh = self.mesh(bars(pivot, pivot, &to));
            let (axis, reach, joint) = (Vec3::y(), center - pivot, Vec3::zeros());
            self.add(mesh, LinkKind::Swing { pivot, axis, reach, wheel, joint });
        }
    }
}

/// Arms, beams and links of all axles. Wheels are ordered by axle, left before right.
pub(super) fn of_axles(vehicle: &Vehicle, meshes: &mut Vec<Mesh>) -> Vec<DrawnArm> {
    let spec = vehicle.spec();
    let mut builder = Builder { meshes, arms: Vec::new(), rear: None };
    for (index, axle) in spec.axles.iter().enumerate() {
        let rear = vehicle.rear_frame().filter(|_| spec.is_behind_joint(index));
        builder.rear = rear.map(|own| (own.outline().ball.center, own.joint()));
        for (side, mirror) in [1.0, -1.0].into_iter().enumerate() {
            let wheel = 2 * index + side;
            let at = |local: Point| placed(axle, mirror, local);
            match &axle.suspension {
                // Suspension arms of a trailer would rotate with it and are not drawn.
                own if axle.trailed && !matches!(own, Suspension::SolidAxle(_)) => {}
                Suspension::DoubleWishbone(own) => {
                    let p = &own.points;
                    let center = at(p.spindle);
                    for (front, back, outer) in [
                        (p.upper_arm_front, p.upper_arm_back, p.upper_arm_outer),
                        (p.lower_arm_front, p.lower_arm_back, p.lower_arm_outer),
                    ] {
                        builder.swing(wheel, [at(front), at(back)], at(outer), center, 0.022);
                    }
                }
                Suspension::SingleWishbone(own) => {
                    let p = &own.points;
                    let hinges = [at(p.arm_front), at(p.arm_back)];
                    builder.swing(wheel, hinges, at(p.kingpin_lower), at(p.spindle), 0.025);
                }
                Suspension::MacphersonStrut(own) => {
                    let p = &own.points;
                    let hinges = [at(p.arm_front), at(p.arm_back)];
                    builder.swing(wheel, hinges, at(p.arm_outer), at(p.spindle), 0.022);
                }
                Suspension::TrailingArm(own) => {
                    let p = &own.points;
                    let center = at(p.spindle);
                    let hinges = [at(p.pivot_inner), at(p.pivot_outer)];
                    builder.swing(wheel, hinges, center, center, 0.03);
                }
                Suspension::SolidAxle(_) if side == 0 => {
                    let half = at(axle.suspension.spindle()).y as f32;
                    let mut beam = MeshBuilder::new();
                    beam.bar([0.0, -half, 0.0], [0.0, half, 0.0], 0.05, DARK);
                    beam.lump([0.0; 3], 8, |_| 0.15, DARK);
                    let mesh = builder.mesh(beam);
                    builder.add(mesh, LinkKind::Across { wheels: [wheel, wheel + 1] });
                }
                Suspension::SolidAxle(_) | Suspension::Rigid(_) => {}
            }
        }
    }
    builder.rocker_bogie(spec);
    builder.arms
}

/// The hull of a vehicle's trailer, if it has one.
pub(super) fn of_trailer(vehicle: &Vehicle, meshes: &mut Vec<Mesh>) -> Option<DrawnArm> {
    let trailer = vehicle.spec().trailer.as_ref()?;
    let middle = vehicle.trailer()?.outline().ball.center;
    meshes.push(super::trailers::hull(trailer).finish());
    Some(DrawnArm { mesh: meshes.len() - 1, held: LinkKind::Trailer { middle }, rear: None })
}

/// The hull of the rear frame of an articulated vehicle.
pub(super) fn of_rear_frame(vehicle: &Vehicle, meshes: &mut Vec<Mesh>) -> Option<DrawnArm> {
    let outline = vehicle.rear_frame()?.outline();
    meshes.push(super::articulated::rear(outline).finish());
    let held = LinkKind::Trailer { middle: outline.ball.center };
    Some(DrawnArm { mesh: meshes.len() - 1, held, rear: None })
}

fn placed(axle: &Axle, mirror: f64, [x, y, z]: Point) -> Vec3 {
    Vec3::from(axle.position) + Vec3::new(x, mirror * y, z)
}

/// Road arms to wheels with the centers `centers` in the design position, chassis frame.
pub(super) fn of_tracks(arm: &RoadArm, centers: &[Vec3], meshes: &mut Vec<Mesh>) -> Vec<DrawnArm> {
    let mut builder = Builder { meshes, arms: Vec::new(), rear: None };
    for (wheel, center) in centers.iter().enumerate() {
        let mirror = center.y.signum();
        let at = |[x, y, z]: Point| center + Vec3::new(x, mirror * y, z);
        // If the file puts the hinge into the plane of the wheel, the arm is moved to the inside of
        // it.
        let inward = Vec3::new(0.0, -mirror * 0.16, 0.0);
        let pivot = at(arm.pivot);
        let beside = (pivot.y - center.y).abs() > 0.05;
        let (hinge, end) = if beside {
            (pivot, *center + Vec3::new(0.0, pivot.y - center.y, 0.0))
        } else {
            (pivot + inward, center + inward)
        };
        let hinges = [hinge + inward * 0.5, hinge - inward * 0.5];
        builder.swing(wheel, hinges, end, *center, 0.045);
    }
    builder.arms
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_sync::message::PartState;
    use bekker_vehicle::find_wheeled;

    fn wheels(spec: &bekker_vehicle::VehicleSpec, lift: f64, steer: f64) -> Vec<PartState> {
        let mut wheels = Vec::new();
        for axle in &spec.axles {
            for mirror in [1.0, -1.0] {
                let position =
                    placed(axle, mirror, axle.suspension.spindle()) + Vec3::new(0.0, 0.0, lift);
                // Any rotation angle of the wheel.
                let orientation = Quat::from_scaled_axis(Vec3::z() * steer)
                    * Quat::from_scaled_axis(Vec3::y() * 2.3);
                wheels.push(PartState { pose: Pose { position, orientation }, spin: 0.0 });
            }
        }
        wheels
    }

    fn placed_by(arm: &DrawnArm, wheels: &[PartState]) -> Pose {
        arm.held.by_wheels(|wheel| wheels.get(wheel).map(|own| own.pose)).unwrap()
    }

    /// Greatest distance between an arm's end and the end that its wheel requires.
    fn gap(arms: &[DrawnArm], wheels: &[PartState], lift: f64) -> f64 {
        let gap = |arm: &DrawnArm| {
            let pose = placed_by(arm, wheels);
            let LinkKind::Swing { pivot, reach, .. } = &arm.held else { return 0.0 };
            let wanted = pivot + reach + Vec3::new(0.0, 0.0, lift);
            (pose.point(reach) - wanted).norm()
        };
        arms.iter().map(gap).fold(0.0, f64::max)
    }

    #[test]
    fn arms_lie_as_designed_and_follow_their_wheels() {
        for name in ["hmmwv", "mrzr4"] {
            let spec = find_wheeled(name).unwrap();
            let vehicle = Vehicle::new(spec.clone()).unwrap();
            assert_eq!(vehicle.wheels(), 2 * spec.axles.len());
            let mut meshes = Vec::new();
            let arms = of_axles(&vehicle, &mut meshes);
            assert_eq!(arms.len(), meshes.len());
            assert!(arms.len() >= 6, "{name}: {}", arms.len());
            assert!(gap(&arms, &wheels(&spec, 0.0, 0.0), 0.0) < 1e-9, "{name}");
            // A wheel that moves vertically leaves the circle of its arm. The deviation is the
            // height times the arm's slope, at most 0.2, plus the height squared over twice its
            // length, at least 0.25 m: 1.5 cm in total. The real wheel moves sideways by as much.
            assert!(gap(&arms, &wheels(&spec, 0.05, 0.0), 0.05) < 0.015, "{name}");
            let low = placed_by(&arms[1], &wheels(&spec, -0.05, 0.0));
            let high = placed_by(&arms[1], &wheels(&spec, 0.05, 0.0));
            let LinkKind::Swing { reach, .. } = &arms[1].held else { panic!("{name}") };
            let rise = high.point(reach).z - low.point(reach).z;
            assert!((rise - 0.10).abs() < 0.01, "{name}: {rise}");
        }
    }
}
