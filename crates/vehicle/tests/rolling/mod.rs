//! Test rig: a vehicle on firm, level ground.

use bekker_math::spatial::{Pose, Vec3};
use bekker_vehicle::tire::{FirmPatch, GroundPlane, TireState};
use bekker_vehicle::{Controls, Vehicle, VehicleSpec, VehicleState, VehicleWorkspace};

/// Time step, s.
pub const H: f64 = 1e-3;

/// A vehicle with a plane under each of its wheels.
pub struct Rolling {
    pub vehicle: Vehicle,
    pub state: VehicleState,
    pub room: VehicleWorkspace,
    pub carcass: Vec<TireState>,
    /// Height of the ground, m, and friction under each wheel.
    pub ground: Vec<[f64; 2]>,
    pub loads: Vec<f64>,
    pub drift: f64,
    pub tick: u64,
}

// each test binary uses only a part
#[allow(dead_code)]
impl Rolling {
    pub fn new(spec: VehicleSpec) -> Rolling {
        let vehicle = Vehicle::new(spec).unwrap();
        let wheels = vehicle.wheels();
        let position = Vec3::new(0.0, 0.0, vehicle.ride_radius());
        let state = vehicle.state(&Pose { position, ..Pose::default() });
        let room = vehicle.workspace(&state);
        let carcass = vec![TireState::default(); wheels];
        let (ground, loads) = (vec![[0.0, 0.8]; wheels], vec![0.0; wheels]);
        Rolling { vehicle, state, room, carcass, ground, loads, drift: 0.0, tick: 0 }
    }

    pub fn step(&mut self, controls: &Controls) {
        let wheels = self.vehicle.wheels();
        let mut met = Vec::with_capacity(wheels);
        for wheel in 0..wheels {
            let pose = self.vehicle.wheel_pose(&self.room, wheel);
            let twist = self.vehicle.wheel_twist(&self.room, wheel);
            let [height, friction] = self.ground[wheel];
            let point = Vec3::new(pose.position.x, pose.position.y, height);
            let plane = GroundPlane { point, normal: Vec3::z() };
            let patch = FirmPatch { plane, friction, share: 1.0 };
            let tire = &self.vehicle.tire(wheel).handling;
            let contact = tire.firm_contact(&pose, &twist, &patch, &self.carcass[wheel], H);
            self.room.loads()[wheel] =
                contact.as_ref().map_or_else(Default::default, |firm| firm.load);
            self.loads[wheel] = self.room.loads()[wheel].wrench.force.z;
            met.push(contact);
        }
        self.vehicle.step(&mut self.state, &mut self.room, controls, self.tick, H).unwrap();
        for (wheel, contact) in met.iter().enumerate() {
            let twist = self.vehicle.wheel_twist(&self.room, wheel);
            let tire = &self.vehicle.tire(wheel).handling;
            tire.settle(contact.as_ref(), &twist, &mut self.carcass[wheel], H);
        }
        self.drift = self.drift.max(self.room.drift());
        self.tick += 1;
    }

    pub fn run(&mut self, time: f64, controls: Controls) {
        for _ in 0..(time / H).round() as usize {
            self.step(&controls);
        }
    }

    pub fn speed(&self) -> f64 {
        self.vehicle
            .pose(&self.room)
            .direction(&Vec3::x())
            .dot(&self.vehicle.twist(&self.room).linear)
    }

    /// Radius of the path of a point on the chassis's midplane: speed over yaw rate, m.
    pub fn radius(&self, x: f64) -> f64 {
        let (pose, twist) = (self.vehicle.pose(&self.room), self.vehicle.twist(&self.room));
        twist.velocity_at(&pose.direction(&Vec3::new(x, 0.0, 0.0))).norm() / twist.angular.z.abs()
    }

    /// Loads of the axles, N.
    pub fn axles(&self) -> Vec<f64> {
        self.loads.chunks(2).map(|pair| pair.iter().sum()).collect()
    }
}

#[allow(dead_code)]
pub fn held() -> Controls {
    Controls { brake: 1.0, ..Controls::default() }
}
