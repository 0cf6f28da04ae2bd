//! Tracked vehicle on the ground, with contact shoe by shoe.

use super::contact_context::ContactContext;
use super::drive_work::DriveWork;
use super::firm_spring::FirmSpring;
use super::ground_vehicle::{ContactWorkspace, GroundVehicle};
use super::obstacle::{MIN_SUPPORT_NORMAL, Solid};
use super::sample::WheelSample;
use super::tire::TireContactState;
use super::vehicle_properties::{VehicleProperties, middle};
use super::wheeled_ground_vehicle::{SLIP_SPEED, level_forward, slip};
use bekker_ground::scm::{Contact, Footprint as _, PlacedShoe, ShoeOutline, shoe_contact};
use bekker_ground::soil::Tread;
use bekker_math::spatial::{Load, Pose, Quat, Twist, Vec3};
use bekker_sync::message::{
    BandSeat, PartState, RemoteVehicleDescription, RunningGearMessage, ShoeState,
};
use bekker_vehicle::collision::{BodyContact, ContactForce, ContactLaw, ExitRule, Hull};
use bekker_vehicle::multibody::{BodyId, MultibodyWorkspace, StepError};
use bekker_vehicle::spec::{TrackedSpec, VehicleFootprint};
use bekker_vehicle::{
    Controls, Drivetrain, Locks, ShoePose, Shoes, TrackedVehicle, TrackedWorkspace, VehicleBodies,
    VehicleState, WheelDrive,
};
use std::sync::Arc;

/// Rows and columns of the points at which a shoe touches obstacles.
const POINTS: [usize; 2] = [2, 5];
/// Number of nodes in contact from which a second thread for one track pays off.
///
/// An M113 with 700 nodes gains nothing; with 3,300 it saves two fifths of the contact time.
const MIN_NODES_FOR_THREAD: u32 = 1000;

/// Tracked vehicle with the shape of its shoes; immutable.
#[derive(Clone, Debug)]
pub struct TrackedGroundVehicle {
    /// The vehicle.
    pub vehicle: Arc<TrackedVehicle>,
    properties: Arc<VehicleProperties>,
    /// Underside of the shoes.
    pub shoe: ShoeOutline,
    /// Division of the contact between pad and soil.
    pub tread: Tread,
}

/// Derived and scratch data of a tracked vehicle on the ground; never saved.
#[derive(Clone, Debug)]
pub struct TracksWorkspace {
    /// Workspace of the vehicle without the ground.
    pub vehicle: TrackedWorkspace,
    /// Shoes of the left and right tracks.
    shoes: Box<[Shoes; 2]>,
    /// Number of shoes of the left and right tracks.
    track_shoes: [usize; 2],
    pub(super) contacts: Vec<Contact>,
    /// Whether each shoe touches firm ground.
    on_firm: Vec<bool>,
    pub(super) wheels: Vec<WheelSample>,
}

impl TrackedGroundVehicle {
    /// Builds a vehicle on the shoes of its file.
    ///
    /// Shear is soil against soil, because the soil between the grousers moves with them.
    pub fn new(vehicle: Arc<TrackedVehicle>) -> TrackedGroundVehicle {
        let shoe = outline(vehicle.spec());
        let properties = Arc::new(properties(&vehicle));
        TrackedGroundVehicle { vehicle, properties, shoe, tread: Tread::rough() }
    }

    /// Adds the load of a hull at `place` on the shoes that face the ground.
    ///
    /// Contact is at points of their undersides that lie inside the solid. `each` receives every
    /// push with its position and velocity.
    fn press_hull(
        &self,
        state: &VehicleState,
        workspace: &mut TracksWorkspace,
        place: &Pose,
        solid: &Hull,
        mut each: impl FnMut(&ContactForce, &Vec3, &Vec3),
    ) {
        let TracksWorkspace { vehicle, shoes, wheels, .. } = workspace;
        let hull = self.vehicle.pose(vehicle);
        let forward = level_forward(&hull.direction(&Vec3::y()));
        let spec = self.vehicle.spec();
        let [rows, columns] = POINTS;
        let stiffness = spec.shoe.pad_stiffness / (rows * columns) as f64;
        let (length, width) = (spec.shoe.pitch / rows as f64, spec.shoe_width() / columns as f64);
        let low = self.shoe.faces.iter().map(|face| face.center[2]).fold(0.0, f64::min);
        let reach = spec.shoe.pitch + spec.shoe_width();
        for (side, shoes) in shoes.iter_mut().enumerate() {
            self.vehicle.find_shoes(state, vehicle, side, shoes);
            for shoe in shoes.poses() {
                let middle = place.local_point(&shoe.pose.position);
                if solid.field(&middle, ExitRule::Any).distance > reach {
                    continue;
                }
                let (mut load, mut borne) = (Load::default(), Vec3::zeros());
                for index in 0..rows * columns {
                    let (row, column) = (index / columns, index % columns);
                    let x = length * (row as f64 - 0.5 * (rows - 1) as f64);
                    let y = width * (column as f64 - 0.5 * (columns - 1) as f64);
                    let r = shoe.pose.direction(&Vec3::new(x, y, low));
                    let point = shoe.pose.position + r;
                    let field = solid.field(&place.local_point(&point), ExitRule::Any);
                    if field.distance >= 0.0 {
                        continue;
                    }
                    let normal = place.direction(&field.normal);
                    let depth = -field.distance;
                    let velocity = shoe.twist.velocity_at(&r);
                    let contact = BodyContact { point, normal, depth, stiffness };
                    let push = ContactLaw::RUBBER.contact_force(&contact, &velocity);
                    push.add_to(&mut load, &normal, &r);
                    if normal.z > MIN_SUPPORT_NORMAL {
                        borne += push.force;
                    }
                    each(&push, &point, &velocity);
                }
                if borne != Vec3::zeros() {
                    let wheel = self.vehicle.nearest_wheel(side, &hull, &shoe.pose.position);
                    wheels[wheel].add_force(&borne, &forward);
                }
                if load != Load::default() {
                    self.vehicle.add_shoe_load(vehicle, side, shoe, &load);
                }
            }
        }
    }

    /// Computes the ground contact of the shoes of both sides, and which of them touch firm ground.
    fn press_sides(
        &self,
        [left, right]: [&[ShoePose]; 2],
        contacts: &mut [Contact],
        on_firm: &mut [bool],
        context: &mut ContactContext<'_>,
        h: f64,
    ) {
        let spacing = context.ground.lattice().spacing;
        let bounds = [left, right].map(|shoes| {
            shoes.iter().map(|shoe| PlacedShoe::new(&self.shoe, &shoe.pose, spacing).bounds())
        });
        let touched: u32 = contacts.iter().map(|met| met.nodes_in_contact).sum();
        let (on_left, on_right) = contacts.split_at_mut(left.len());
        let (firm_left, firm_right) = on_firm.split_at_mut(left.len());
        context.contact_in_parallel(
            touched >= MIN_NODES_FOR_THREAD,
            bounds,
            |context| self.press_side(left, on_left, firm_left, context, h),
            |context| self.press_side(right, on_right, firm_right, context, h),
        );
    }

    /// Computes the ground contact of the shoes of one side.
    fn press_side(
        &self,
        shoes: &[ShoePose],
        contacts: &mut [Contact],
        on_firm: &mut [bool],
        context: &mut ContactContext<'_>,
        h: f64,
    ) {
        let any_firm = context.ground.has_firm_soil();
        for (shoe, (met, on_firm)) in shoes.iter().zip(contacts.iter_mut().zip(on_firm)) {
            let contact_twist = context.contact_twist(shoe.twist, &shoe.pose.position);
            let ground = &mut context.working();
            *met = shoe_contact(ground, &self.shoe, &self.tread, &shoe.pose, &contact_twist, h);
            *on_firm =
                any_firm && self.contact_firm_ground(shoe, &contact_twist, context, &mut met.load);
        }
    }

    /// Adds the forces of firm ground on the corners of a shoe's faces.
    ///
    /// Each corner is a rubber pad against the ground's tangent plane, with Coulomb friction.
    /// Returns whether any corner touches.
    fn contact_firm_ground(
        &self,
        shoe: &ShoePose,
        contact_twist: &Twist,
        context: &mut ContactContext<'_>,
        load: &mut Load,
    ) -> bool {
        let spec = &self.vehicle.spec().shoe;
        let corners = 4.0 * self.shoe.faces.len() as f64;
        let (stiffness, damping) = (spec.pad_stiffness / corners, spec.pad_damping / corners);
        let spring = FirmSpring { stiffness, damping, deepest: f64::INFINITY };
        let mut touches = false;
        for face in &self.shoe.faces {
            let [x, y, z] = face.center;
            for (u, v) in [(0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)] {
                let local = Vec3::new(x + u * face.length, y + v * face.width, z);
                let r = shoe.pose.direction(&local);
                touches |=
                    spring.press(context, &shoe.pose.position, &r, contact_twist, load).is_some();
            }
        }
        touches
    }

    /// Returns the poses of the shoes of a remote vehicle of this kind in the chassis frame, left
    /// before right.
    ///
    /// They follow from the bodies in its message. If it has none, they follow from the bands, and
    /// only for the lower run, from the front.
    pub fn shoe_poses(&self, gear: &RunningGearMessage) -> [Vec<Pose>; 2] {
        let RunningGearMessage::Tracks { shoes, bands, .. } = gear else {
            return Default::default();
        };
        if !shoes.is_empty() {
            let pose = |shoe: &ShoeState| Pose {
                position: shoe.place.into(),
                orientation: Quat::from_axis_angle(&Vec3::y_axis(), shoe.angle),
            };
            let left = self.vehicle.spec().left.shoes as usize;
            let (left, right) = shoes.split_at(left.min(shoes.len()));
            return [left, right].map(|shoes| shoes.iter().map(pose).collect());
        }
        [0, 1].map(|side| {
            let band: Vec<_> = bands[side].iter().map(|seat| (seat.place, seat.label)).collect();
            self.vehicle.shoes_on(side, &band)
        })
    }
}

impl ContactWorkspace for TracksWorkspace {
    fn bodies(&self) -> &MultibodyWorkspace {
        self.vehicle.bodies()
    }

    fn bodies_mut(&mut self) -> &mut MultibodyWorkspace {
        self.vehicle.bodies_mut()
    }

    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn padded_contacts(&self) -> Vec<Contact> {
        let left = self.shoes[0].poses().len().min(self.contacts.len());
        let (left, right) = self.contacts.split_at(left);
        let [left_shoes, right_shoes] = self.track_shoes;
        let mut all = left.to_vec();
        all.resize(left_shoes, Contact::default());
        all.extend_from_slice(right);
        all.resize(left_shoes + right_shoes, Contact::default());
        all
    }

    fn samples(&self) -> &[WheelSample] {
        &self.wheels
    }
}

impl GroundVehicle for TrackedGroundVehicle {
    type Workspace = TracksWorkspace;

    fn properties(&self) -> &VehicleProperties {
        &self.properties
    }

    fn bodies(&self) -> &VehicleBodies {
        self.vehicle.bodies()
    }

    fn drivetrain(&self) -> &Drivetrain {
        self.vehicle.drivetrain()
    }

    fn state(&self, pose: &Pose) -> VehicleState {
        self.vehicle.state(pose)
    }

    fn launch(&self, state: &mut VehicleState, forward: &Vec3, speed: f64, gear: Option<i32>) {
        self.vehicle.launch(state, forward, speed, gear);
    }

    fn workspace(&self, state: &VehicleState) -> TracksWorkspace {
        TracksWorkspace {
            vehicle: self.vehicle.workspace(state),
            shoes: Box::default(),
            track_shoes: {
                let spec = self.vehicle.spec();
                [&spec.left, &spec.right].map(|track| track.shoes as usize)
            },
            contacts: Vec::new(),
            on_firm: Vec::new(),
            wheels: vec![WheelSample::default(); self.vehicle.wheels()],
        }
    }

    fn wheel_body(&self, wheel: usize) -> BodyId {
        self.vehicle.wheel_body(wheel)
    }

    fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        self.vehicle.wheel_spin(state, wheel)
    }

    fn rim_speed(&self, state: &VehicleState) -> f64 {
        self.vehicle.rim_speed(state)
    }

    fn full_braking(&self, friction: f64) -> f64 {
        self.vehicle.full_braking(friction)
    }

    fn stored_energy(
        &self,
        state: &VehicleState,
        _tires: &[TireContactState],
        workspace: &TracksWorkspace,
    ) -> f64 {
        self.bodies().energy(state, workspace.bodies())
            + self.vehicle.spring_energy(&workspace.vehicle)
    }

    fn contact_ground(
        &self,
        state: &VehicleState,
        _tires: &[TireContactState],
        workspace: &mut TracksWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) {
        let TracksWorkspace { vehicle, shoes, contacts, on_firm, wheels, .. } = workspace;
        context.overlay.begin_step();
        self.vehicle.clear_loads(vehicle);
        for (side, shoes) in shoes.iter_mut().enumerate() {
            self.vehicle.find_shoes(state, vehicle, side, shoes);
        }
        let sides = shoes.each_ref().map(Shoes::poses);
        let all = sides.iter().map(|shoes| shoes.len()).sum();
        contacts.resize(all, Contact::default());
        on_firm.resize(all, false);
        self.press_sides(sides, contacts, on_firm, context, h);
        let hull = self.vehicle.pose(vehicle);
        for sample in wheels.iter_mut() {
            *sample = WheelSample { sinkage: f64::NEG_INFINITY, ..WheelSample::default() };
        }
        let places = sides.iter().enumerate();
        let shoes = places.flat_map(|(side, shoes)| shoes.iter().map(move |shoe| (side, shoe)));
        for ((side, shoe), (met, on_firm)) in shoes.zip(contacts.iter().zip(on_firm)) {
            if met.nodes_in_contact > 0 || *on_firm {
                self.vehicle.add_shoe_load(vehicle, side, shoe, &met.load);
                let wheel = self.vehicle.nearest_wheel(side, &hull, &shoe.pose.position);
                add_contact(&mut wheels[wheel], &hull, met);
            }
        }
        for sample in wheels.iter_mut().filter(|sample| sample.sinkage == f64::NEG_INFINITY) {
            sample.sinkage = 0.0;
        }
    }

    fn solve(
        &self,
        state: &mut VehicleState,
        workspace: &mut TracksWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        self.vehicle.step(state, &mut workspace.vehicle, controls, tick, h)
    }

    fn observe(&self, state: &VehicleState, workspace: &mut TracksWorkspace, h: f64) -> DriveWork {
        let engine = workspace.vehicle.engine_work();
        let mut work = DriveWork { engine, ..DriveWork::default() };
        let hull = self.vehicle.pose(&workspace.vehicle);
        let twist = self.vehicle.twist(&workspace.vehicle);
        let forward = hull.direction(&Vec3::x());
        let drives = workspace.vehicle.drives();
        for (side, WheelDrive { drive, brake }) in drives.into_iter().enumerate() {
            let spin = self.vehicle.sprocket_speed(state, side);
            work.add(drive * spin * h);
            work.add(brake * spin * h);
        }
        // share of each road wheel in the sprocket's torque, geared by the track: times the wheel's
        // spin it is its share of the sprocket's power
        let geared = self.vehicle.spec().road_wheel.radius / self.vehicle.spec().drive_radius();
        let share = 2.0 / self.vehicle.wheels() as f64 * geared;
        workspace.contacts.iter().for_each(|contact| work.add_ground(contact, h));
        for (wheel, sample) in workspace.wheels.iter_mut().enumerate() {
            let side = wheel % 2;
            let middle = self.vehicle.wheel_center(wheel);
            let along = twist.velocity_at(&hull.direction(&middle)).dot(&forward);
            sample.spin = self.vehicle.wheel_spin(state, wheel);
            sample.slip = slip(self.vehicle.track_speed(state, side), along, SLIP_SPEED);
            sample.torque = share * (drives[side].drive + drives[side].brake);
        }
        work
    }

    fn press_solid(
        &self,
        solid: &Solid<'_>,
        state: &VehicleState,
        workspace: &mut TracksWorkspace,
        mut each: impl FnMut(&ContactForce, &Vec3, &Vec3),
    ) {
        for hull in solid.hulls {
            self.press_hull(state, workspace, solid.pose, hull, &mut each);
        }
    }

    fn solid_depth(
        &self,
        solid: &Solid<'_>,
        state: &VehicleState,
        workspace: &mut TracksWorkspace,
    ) -> f64 {
        let mut deepest = 0.0_f64;
        for hull in solid.hulls {
            self.press_hull(state, workspace, solid.pose, hull, |_, point, _| {
                let inside = hull.field(&solid.pose.local_point(point), ExitRule::Any);
                deepest = deepest.max(-inside.distance);
            });
        }
        deepest
    }

    fn running_gear(
        &self,
        state: &VehicleState,
        workspace: &TracksWorkspace,
        road_wheels: Vec<PartState>,
        part: impl Fn(Pose, f64) -> PartState,
    ) -> RunningGearMessage {
        let TracksWorkspace { vehicle: body, .. } = workspace;
        let vehicle = &self.vehicle;
        let sprocket = |side| {
            part(vehicle.sprocket_pose(state, body, side), vehicle.sprocket_speed(state, side))
        };
        let idler = |side| part(vehicle.idler_pose(body, side), vehicle.idler_spin(state, side));
        let seat = |(place, label)| BandSeat { place, label };
        let shoe = |(place, angle)| ShoeState { place, angle };
        let shoes = |side| vehicle.shoe_bodies(state, side).map(shoe);
        RunningGearMessage::Tracks {
            shoes: shoes(0).chain(shoes(1)).collect(),
            bands: [0, 1]
                .map(|side| vehicle.band(state, body, side).into_iter().map(seat).collect()),
            sprockets: vec![sprocket(0), sprocket(1)],
            idlers: vec![idler(0), idler(1)],
            road_wheels,
        }
    }

    fn description(&self, name: String) -> RemoteVehicleDescription {
        let shoes = self.vehicle.spec().tracks().iter().map(|track| track.shoes).sum::<u32>();
        RemoteVehicleDescription::Tracked {
            name,
            model: self.name().to_owned(),
            track_shoes: shoes as u16,
            sprockets: 2,
            idlers: 2,
            road_wheels: self.wheels() as u16,
        }
    }
}

/// Returns the properties of a tracked vehicle.
fn properties(vehicle: &TrackedVehicle) -> VehicleProperties {
    let spec = vehicle.spec();
    let wheels = vehicle.wheels();
    let wheel_centers: Vec<Vec3> = (0..wheels).map(|wheel| vehicle.wheel_center(wheel)).collect();
    let ride_radius = vehicle.ride_radius();
    let lowest_point = middle(&wheel_centers) - Vec3::z() * ride_radius;
    VehicleProperties {
        name: spec.name.clone(),
        chassis: spec.chassis.clone(),
        footprint: VehicleFootprint::from_tracked_spec(spec),
        is_tracked: true,
        can_steer: true,
        max_steering_angle: None,
        max_yaw_rate: None,
        has_central_inflation: false,
        locks: Locks::OPEN,
        trailed_wheels: 0,
        flexible_wheels: [0; 2],
        driven_wheels: (0..wheels).collect(),
        ride_radius,
        drive_radius: spec.road_wheel.radius,
        rolling_speed: SLIP_SPEED,
        wheel_reach: [ride_radius, 0.5 * spec.shoe_width()],
        running_gear_height: spec.sprocket.position[2] + spec.pitch_radius() - lowest_point.z,
        lowest_point,
        wheel_centers,
    }
}

/// Adds the ground contact of a shoe to the sample of the road wheel above it.
fn add_contact(sample: &mut WheelSample, hull: &Pose, met: &Contact) {
    let forward = level_forward(&hull.direction(&Vec3::y()));
    sample.add_force(&met.load.wrench.force, &forward);
    sample.sinkage = sample.sinkage.max(met.sinkage);
    sample.area += met.area;
}

/// Returns the underside of the shoes of a file.
///
/// Bekker's width is that of the rectangle under all road wheels, because the shoes of a track load
/// a single patch.
fn outline(spec: &TrackedSpec) -> ShoeOutline {
    let faces = spec.shoe.faces.iter();
    let width = spec.shoe_width();
    let length = spec.contact_length().max(width);
    ShoeOutline {
        faces: faces
            .map(|face| bekker_ground::scm::ShoeOutlineFace {
                center: face.center,
                length: face.length,
                width: face.width,
            })
            .collect(),
        patch_width: width * length / (width + length),
        patch_length: length,
    }
}
