//! A tire as a disc on a plane: contact geometry and loads on the wheel.

use super::{RollingState, TMeasy, TangentialForce, TireState};
use bekker_math::numeric::{asin, smooth_step};
use bekker_math::spatial::{Load, Pose, Twist, Vec3};

/// Deflection over which the radial damping grows from zero, m.
///
/// So the force is continuous when a wheel touches down.
const TOUCHDOWN: f64 = 0.005;
/// Spin over which rolling resistance grows from zero, rad/s.
const ROLLING_SPIN: f64 = 1.0;
/// Range of transport velocities over which the aligning torque fades in, m/s.
const ALIGNING_SPEEDS: [f64; 2] = [0.1, 1.0];

/// The ground under a wheel as a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPlane {
    /// A point of the plane, world axes, m.
    pub point: Vec3,
    /// Unit normal, upward.
    pub normal: Vec3,
}

/// Firm ground under a wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirmPatch {
    /// Plane of the ground.
    pub plane: GroundPlane,
    /// Coefficient of friction.
    pub friction: f64,
    /// Share of the contact area on the firm ground, 0 to 1.
    ///
    /// The load is proportional to it, so the force is continuous where a wheel rolls from soil to
    /// firm ground.
    pub share: f64,
}

/// Contact geometry of a wheel on a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscContact {
    /// Deflection of the tire in the plane of the wheel, m.
    pub deflection: f64,
    /// Loaded radius: distance from center to ground in the plane of the wheel, m.
    pub loaded_radius: f64,
    /// Unit vector along the wheel's heading, in the ground plane.
    pub forward: Vec3,
    /// Unit vector to the wheel's left, in the ground plane.
    pub left: Vec3,
    /// Unit normal of the ground.
    pub normal: Vec3,
    /// Unit vector from the ground to the center, in the plane of the wheel.
    pub up: Vec3,
    /// Unit vector of the spin axis, to the left.
    pub axis: Vec3,
    /// Camber about `forward`, rad, positive with the top to the right.
    pub camber: f64,
}

impl DiscContact {
    /// Returns the contact of a disc of `radius`, m, with its center and its spin axis y at `pose`.
    ///
    /// `None` if the disc does not touch the plane, or leans by more than 60 degrees.
    pub fn find(pose: &Pose, plane: &GroundPlane, radius: f64) -> Option<DiscContact> {
        let axis = pose.direction(&Vec3::y());
        let normal = plane.normal;
        let forward = axis.cross(&normal);
        let upright = forward.norm();
        if upright < 0.5 {
            return None;
        }
        let forward = forward / upright;
        let up = forward.cross(&axis);
        let loaded_radius = (pose.position - plane.point).dot(&normal) / up.dot(&normal);
        let deflection = radius - loaded_radius;
        // with the center below the ground, no contact force is defined
        if deflection <= 0.0 || loaded_radius <= 0.0 {
            return None;
        }
        Some(DiscContact {
            deflection,
            loaded_radius,
            forward,
            left: normal.cross(&forward),
            normal,
            up,
            axis,
            camber: asin(axis.dot(&normal)),
        })
    }

    /// Returns the contact point relative to the wheel's center, m.
    pub fn offset(&self) -> Vec3 {
        self.up * -self.loaded_radius
    }

    /// Sliding velocity of the tread, m/s: longitudinal and lateral.
    ///
    /// `twist` is the wheel's twist about its center.
    fn sliding(&self, twist: &Twist, rolling_radius: f64) -> [f64; 2] {
        let velocity = twist.velocity_at(&(self.up * -rolling_radius));
        [velocity.dot(&self.forward), velocity.dot(&self.left)]
    }
}

/// Load of firm ground on a wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirmContact {
    /// Load about the wheel's center, world axes, with its tangents.
    pub load: Load,
    /// Contact geometry.
    pub contact: DiscContact,
    /// Normal force, N.
    pub normal_force: f64,
    /// Tangential forces, N, and slips.
    pub tangential: TangentialForce,
    /// Ratio of speed to spin in free rolling, m.
    pub rolling_radius: f64,
}

/// A tire on firm ground, for both contact models.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TireLoadCase {
    /// Point of action of the forces relative to the wheel's center, m.
    center: Vec3,
    /// Normal force, N; it is part of the load only if `presses`.
    normal_force: f64,
    presses: bool,
    /// Coefficient of friction.
    friction: f64,
    /// Ratio of speed to spin in free rolling, m.
    rolling_radius: f64,
    /// Torque against rolling, N m.
    resistance: f64,
    /// Overturning stiffness, N m/rad.
    overturning: f64,
}

/// Contact patch of a flexible tire's belt on firm ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeltPatch {
    /// Normal force, N.
    pub normal_force: f64,
    /// Mean unit normal of the ground.
    pub normal: Vec3,
    /// Center of pressure relative to the wheel's center, m.
    pub center: Vec3,
    /// Coefficient of friction.
    pub friction: f64,
    /// Radius of the tire without load, m.
    pub radius: f64,
    /// Deflection, m.
    pub deflection: f64,
}

impl TMeasy {
    /// Returns the load of firm ground on a wheel over a step of `h` seconds.
    ///
    /// `pose` and `twist` are the wheel's: origin at its center, y along the spin axis, spin
    /// included. `None` if the wheel does not touch the ground.
    pub fn firm_contact(
        &self,
        pose: &Pose,
        twist: &Twist,
        &FirmPatch { plane, friction, share }: &FirmPatch,
        state: &TireState,
        h: f64,
    ) -> Option<FirmContact> {
        let contact = DiscContact::find(pose, &plane, self.unloaded_radius)?;
        let offset = contact.offset();
        let (spring, stiffness) = self.radial(contact.deflection);
        let damping = self.vertical_damping * smooth_step(0.0, TOUCHDOWN, contact.deflection);
        let approach = -twist.velocity_at(&offset).dot(&contact.normal);
        let normal_force = share * (spring + damping * approach);
        if normal_force <= 0.0 {
            return None;
        }

        let mut load = Load::default();
        load.add_tangent(&contact.normal, &offset, share * stiffness, share * damping);
        let carried = TireLoadCase {
            center: offset,
            normal_force,
            presses: true,
            friction,
            rolling_radius: self.rolling_radius(contact.deflection),
            resistance: self.rolling_resistance * normal_force * self.unloaded_radius,
            // a leaning tire carries more load on the side to which it leans
            overturning: share * self.width * self.width * self.vertical_stiffness / 12.0,
        };
        Some(self.grip(load, contact, &carried, twist, state, h))
    }

    /// Returns the tangential load of firm ground on a wheel whose belt carries the normal load.
    ///
    /// The belt model supplies the normal load and the rolling loss of the rubber, which depends on
    /// the belt's deflection on any ground. `None` for a wheel that leans by more than 60 degrees.
    pub fn belt_contact(
        &self,
        pose: &Pose,
        twist: &Twist,
        patch: &BeltPatch,
        state: &TireState,
        h: f64,
    ) -> Option<FirmContact> {
        let BeltPatch { normal_force, normal, center, friction, radius, deflection } = *patch;
        let axis = pose.direction(&Vec3::y());
        let forward = axis.cross(&normal);
        let upright = forward.norm();
        if upright < 0.5 {
            return None;
        }
        let forward = forward / upright;
        let contact = DiscContact {
            deflection,
            loaded_radius: radius - deflection,
            forward,
            left: normal.cross(&forward),
            normal,
            up: forward.cross(&axis),
            axis,
            camber: asin(axis.dot(&normal)),
        };
        let carried = TireLoadCase {
            center,
            normal_force,
            presses: false,
            friction,
            rolling_radius: radius - deflection / 3.0,
            resistance: 0.0,
            overturning: 0.0,
        };
        Some(self.grip(Load::default(), contact, &carried, twist, state, h))
    }

    /// Adds the tangential forces to a load.
    fn grip(
        &self,
        mut load: Load,
        contact: DiscContact,
        carried: &TireLoadCase,
        twist: &Twist,
        state: &TireState,
        h: f64,
    ) -> FirmContact {
        let TireLoadCase { center, normal_force, friction, rolling_radius, .. } = *carried;
        let spin = twist.angular.dot(&contact.axis);
        let rolling = RollingState {
            load: normal_force,
            sliding: contact.sliding(twist, rolling_radius),
            transport: spin.abs() * rolling_radius,
            friction,
        };
        let tangential = self.tangential(&rolling, state, h);

        let pushed = if carried.presses { normal_force } else { 0.0 };
        let force = contact.normal * pushed
            + contact.forward * tangential.force[0]
            + contact.left * tangential.force[1];
        load.wrench.add_force(&force, &center);
        let tread = contact.up * -rolling_radius;
        load.add_tangent(&contact.forward, &tread, 0.0, tangential.damping[0]);
        load.add_tangent(&contact.left, &tread, 0.0, tangential.damping[1]);
        // The torque about the axle is the longitudinal force at the rolling radius. At the loaded
        // radius, which is smaller, the ground would receive more power than the wheel delivers.
        let about = contact.axis.dot(&load.wrench.torque);
        let torque = -rolling_radius * tangential.force[0];
        load.wrench.torque += contact.axis * (torque - about);

        // rolling resistance, about the spin axis
        add_rolling(&mut load, &contact.axis, carried.resistance, spin);

        let overturning = carried.overturning;
        load.wrench.torque -= contact.forward * (overturning * contact.camber);
        add_rotation(&mut load, &contact.forward, overturning, 0.0);

        // the lateral force acts behind the center of the contact
        let trail =
            self.trail(normal_force, tangential.slip[1], self.contact_length(contact.deflection));
        let fade = smooth_step(ALIGNING_SPEEDS[0], ALIGNING_SPEEDS[1], rolling.transport);
        load.wrench.torque -= contact.normal * (fade * trail * tangential.force[1] * spin.signum());

        FirmContact { load, contact, normal_force, tangential, rolling_radius }
    }

    /// Adds the rolling-loss torque of a flexible tire.
    ///
    /// `deflection` is the present deflection, m, and `nominal` that under the nominal load. The
    /// torque is proportional to their ratio. On a road it thus grows with the load and falls with
    /// the inflation approximately as in SAE J2452 (powers of 0.9 and -0.4 to -0.5). It vanishes
    /// for a tire that rolls as if rigid.
    pub fn add_loss(
        &self,
        load: &mut Load,
        axis: &Vec3,
        twist: &Twist,
        [deflection, nominal]: [f64; 2],
    ) {
        let most = self.rolling_resistance * self.nominal_load * self.unloaded_radius;
        add_rolling(load, axis, most * deflection / nominal, twist.angular.dot(axis));
    }

    /// Advances the carcass by a step of `h` seconds with the wheel's `twist` at its end.
    ///
    /// Without contact (`None`) the carcass deflection is reset.
    pub fn settle(
        &self,
        contact: Option<&FirmContact>,
        twist: &Twist,
        state: &mut TireState,
        h: f64,
    ) {
        match contact {
            Some(firm) => {
                let sliding = firm.contact.sliding(twist, firm.rolling_radius);
                self.advance_carcass(&firm.tangential, sliding, state, h);
            }
            None => *state = TireState::default(),
        }
    }
}

/// Adds a torque against rolling about `axis` at a `spin`, rad/s.
fn add_rolling(load: &mut Load, axis: &Vec3, resistance: f64, spin: f64) {
    let resistance = resistance / spin.abs().max(ROLLING_SPIN);
    load.wrench.torque -= axis * (resistance * spin);
    add_rotation(load, axis, 0.0, resistance);
}

/// Adds a rotational tangent about `axis`: N m/rad and N m s/rad.
fn add_rotation(load: &mut Load, axis: &Vec3, stiffness: f64, damping: f64) {
    let outer = axis * axis.transpose();
    let mut angular = load.stiffness.fixed_view_mut::<3, 3>(0, 0);
    angular += outer * stiffness;
    let mut angular = load.damping.fixed_view_mut::<3, 3>(0, 0);
    angular += outer * damping;
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::GRAVITY;
    use bekker_math::spatial::Quat;

    fn hmmwv() -> TMeasy {
        crate::find_wheeled("hmmwv").unwrap().tire.handling
    }

    fn firm(friction: f64, share: f64) -> FirmPatch {
        FirmPatch { plane: flat(), friction, share }
    }

    fn flat() -> GroundPlane {
        GroundPlane { point: Vec3::zeros(), normal: Vec3::z() }
    }

    fn upright(height: f64) -> Pose {
        Pose { position: Vec3::new(0.0, 0.0, height), orientation: Quat::identity() }
    }

    #[test]
    fn geometry_of_a_leaning_wheel_on_a_slope() {
        let slope = 0.2_f64;
        let normal = Quat::from_axis_angle(&Vec3::y_axis(), -slope) * Vec3::z();
        let plane = GroundPlane { point: Vec3::new(1.0, 2.0, 3.0), normal };
        // stands on the plane and leans by 0.1 rad about its heading
        let orientation = Quat::from_axis_angle(&Vec3::y_axis(), -slope)
            * Quat::from_axis_angle(&Vec3::x_axis(), 0.1);
        let up = orientation * Vec3::z();
        let pose = Pose { position: plane.point + up * 0.45, orientation };
        let contact = DiscContact::find(&pose, &plane, 0.47).unwrap();
        assert!((contact.loaded_radius - 0.45).abs() < 1e-12);
        assert!((contact.camber - 0.1).abs() < 1e-12);
        assert!((pose.position + contact.offset() - plane.point).norm() < 1e-12);
        assert!((contact.forward - orientation * Vec3::x()).norm() < 1e-12);
        assert!(contact.left.dot(&normal).abs() < 1e-12);
    }

    #[test]
    fn does_not_touch_from_above_on_its_side_or_from_below() {
        assert!(DiscContact::find(&upright(0.48), &flat(), 0.47).is_none());
        assert!(DiscContact::find(&upright(-0.1), &flat(), 0.47).is_none());
        let side = Pose {
            position: Vec3::new(0.0, 0.0, 0.1),
            orientation: Quat::from_axis_angle(&Vec3::x_axis(), 1.5),
        };
        assert!(DiscContact::find(&side, &flat(), 0.47).is_none());
    }

    #[test]
    fn never_pulls() {
        let tire = hmmwv();
        let twist = Twist { linear: Vec3::new(0.0, 0.0, 3.0), angular: Vec3::zeros() };
        let state = TireState::default();
        let pose = upright(tire.unloaded_radius - 0.01);
        assert!(tire.firm_contact(&pose, &twist, &firm(0.8, 1.0), &state, 1e-3).is_none());
    }

    /// The power that the ground absorbs from a rolling wheel is the sliding power, and never
    /// negative.
    #[test]
    fn grip_stops_sliding() {
        let tire = TMeasy { rolling_resistance: 0.0, ..hmmwv() };
        let deflection = 0.02;
        let pose = upright(tire.unloaded_radius - deflection);
        let rolling = tire.rolling_radius(deflection);
        for speed in [4.5, 4.9, 5.0, 5.1, 6.0] {
            let spin = Vec3::new(0.0, 5.0 / rolling, 0.0);
            let twist = Twist { linear: Vec3::new(speed, 0.0, 0.0), angular: spin };
            let state = TireState::default();
            let met = tire.firm_contact(&pose, &twist, &firm(0.8, 1.0), &state, 1e-3).unwrap();
            let wrench = &met.load.wrench;
            let power = wrench.force.dot(&twist.linear) + wrench.torque.dot(&twist.angular);
            let slid = met.tangential.force[0] * (speed - 5.0);
            assert!(
                slid <= 0.0 && (power - slid).abs() < 1e-9 * wrench.force.norm(),
                "{power} {slid}"
            );
        }
    }

    #[test]
    fn share_fades_the_load_in() {
        let tire = hmmwv();
        let pose = upright(tire.unloaded_radius - 0.015);
        let state = TireState::default();
        let at = |share| {
            let twist = Twist::default();
            tire.firm_contact(&pose, &twist, &firm(0.8, share), &state, 1e-3)
                .map_or(0.0, |c| c.load.wrench.force.z)
        };
        assert_eq!(at(0.0), 0.0);
        assert!((at(0.25) - 0.25 * at(1.0)).abs() < 1e-9);
    }

    #[test]
    fn tangents_are_symmetric_and_positive_semi_definite() {
        let tire = hmmwv();
        let pose = Pose {
            position: Vec3::new(0.3, -0.2, tire.unloaded_radius - 0.03),
            orientation: Quat::from_euler_angles(0.05, 0.4, 0.7),
        };
        let twist = Twist { linear: Vec3::new(5.0, 0.3, -0.1), angular: Vec3::new(0.1, 12.0, 0.2) };
        let state = TireState { deflection: [0.003, -0.002] };
        let contact = tire.firm_contact(&pose, &twist, &firm(0.6, 0.8), &state, 2e-3).unwrap();
        for matrix in [contact.load.stiffness, contact.load.damping] {
            assert!((matrix - matrix.transpose()).norm() <= 1e-9 * matrix.norm());
            // round-off of eigenvalues relative to the norm
            let least = matrix.symmetric_eigenvalues().min();
            assert!(least > -1e-9 * matrix.norm(), "{least}");
        }
    }

    /// A free wheel with a quarter of the HMMWV's mass that heads along x and stays upright.
    ///
    /// Three velocities and the spin are integrated by linearly implicit Euler.
    fn roll(mut twist: Twist, torque: f64, h: f64, seconds: f64) -> (Pose, Twist, FirmContact) {
        let (tire, mass, inertia) = (hmmwv(), 643.2845, 7.3);
        let mut pose = upright(tire.unloaded_radius - 0.015);
        let mut state = TireState::default();
        let mut last = None;
        for _ in 0..(seconds / h) as usize {
            let contact = tire.firm_contact(&pose, &twist, &firm(0.8, 1.0), &state, h);
            let load = contact.map_or_else(Load::default, |c| c.load);
            let tangent = load.damping * h + load.stiffness * (h * h);
            // the free coordinates: spin, x, y, z
            let free = [1, 3, 4, 5];
            let mut a = nalgebra::Matrix4::zeros();
            let mut b = nalgebra::Vector4::zeros();
            let v = [twist.angular.y, twist.linear.x, twist.linear.y, twist.linear.z];
            let w = [
                load.wrench.torque.y + torque,
                load.wrench.force.x,
                load.wrench.force.y,
                load.wrench.force.z - mass * GRAVITY,
            ];
            for i in 0..4 {
                a[(i, i)] = if i == 0 { inertia } else { mass };
                b[i] = h * w[i];
                for j in 0..4 {
                    a[(i, j)] += tangent[(free[i], free[j])];
                    b[i] -= h * h * load.stiffness[(free[i], free[j])] * v[j];
                }
            }
            let change = a.lu().solve(&b).unwrap();
            twist.angular.y += change[0];
            twist.linear += Vec3::new(change[1], change[2], change[3]);
            pose.position += twist.linear * h;
            tire.settle(contact.as_ref(), &twist, &mut state, h);
            last = contact.or(last);
        }
        (pose, twist, last.unwrap())
    }

    #[test]
    fn settles_to_its_static_deflection() {
        let (pose, twist, contact) = roll(Twist::default(), 0.0, 1e-3, 5.0);
        let load = 643.2845 * GRAVITY;
        assert!((contact.normal_force - load).abs() < 1e-3 * load);
        assert!((hmmwv().unloaded_radius - pose.position.z - 0.01535).abs() < 1e-5);
        assert!(twist.linear.norm() < 1e-6);
    }

    #[test]
    fn a_rolling_wheel_slows_by_its_rolling_resistance() {
        let tire = hmmwv();
        let radius = tire.rolling_radius(0.01535);
        let twist = Twist {
            linear: Vec3::new(10.0, 0.0, 0.0),
            angular: Vec3::new(0.0, 10.0 / radius, 0.0),
        };
        let (_, end, _) = roll(twist, 0.0, 1e-3, 4.0);
        // torque k W R0 on mass and inertia, both at the rolling radius
        let (mass, inertia) = (643.2845, 7.3);
        let torque = tire.rolling_resistance * mass * GRAVITY * tire.unloaded_radius;
        let slowing = torque / (mass * radius + inertia / radius);
        let lost = 10.0 - end.linear.x;
        // initial oscillations of carcass and deflection are a percent
        assert!((lost - 4.0 * slowing).abs() < 0.01 * lost, "{lost} is not {}", 4.0 * slowing);
    }

    #[test]
    fn a_driven_wheel_gains_speed_alike_at_1_and_4_ms() {
        let fine = roll(Twist::default(), 400.0, 1e-3, 5.0).1.linear.x;
        let coarse = roll(Twist::default(), 400.0, 4e-3, 5.0).1.linear.x;
        assert!(fine > 4.0 && (fine - coarse).abs() < 0.005 * fine, "{fine} and {coarse}");
    }

    #[test]
    fn a_side_push_is_answered_across_and_dies_out() {
        let radius = hmmwv().rolling_radius(0.01535);
        let twist =
            Twist { linear: Vec3::new(8.0, 0.8, 0.0), angular: Vec3::new(0.0, 8.0 / radius, 0.0) };
        let (_, end, contact) = roll(twist, 0.0, 2e-3, 3.0);
        assert!(end.linear.y.abs() < 1e-3);
        assert!(contact.tangential.force[1].abs() < 10.0);
    }
}
