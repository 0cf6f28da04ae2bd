//! Tests of path followers with a trailer, on the kinematics of axles without slip.

use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_vehicle::driver::{
    DriverState, DriverView, Path, PathFollower, PathFollowerConfig, SteeringGeometry,
};
use bekker_vehicle::{Selector, find_wheeled};

const H: f64 = 0.01;

/// A tractor with its trailer, positioned by the tractor's rear axle.
struct Kinematic {
    own: SteeringGeometry,
    rear: [f64; 2],
    yaw: f64,
    articulation: f64,
    speed: f64,
    state: DriverState,
    time: f64,
}

impl Kinematic {
    fn new(follower: &PathFollower, articulation: f64) -> Kinematic {
        let own = *follower.geometry();
        let (rear, yaw, speed) = ([0.0; 2], 0.0, 0.0);
        let state = DriverState::default();
        let mut made = Kinematic { own, rear, yaw, articulation, speed, state, time: 0.0 };
        made.state = follower.start(&made.pose());
        made
    }

    fn pose(&self) -> Pose {
        let orientation = Quat::from_axis_angle(&Vec3::z_axis(), self.yaw);
        let rear = Vec3::new(self.rear[0], self.rear[1], 0.0);
        Pose { position: rear - orientation * Vec3::new(self.own.rear_axle, 0.0, 0.0), orientation }
    }

    fn axle(&self) -> [f64; 2] {
        self.own.trailer.unwrap().axle(&self.own, &self.pose(), self.articulation).0
    }

    fn step(&mut self, follower: &PathFollower) {
        let view = DriverView {
            time: self.time,
            step: H,
            pose: self.pose(),
            speed: self.speed,
            yaw_rate: 0.0,
            thrust: 0.0,
            rim: 0.0,
            slip: 0.0,
            gravity: bekker_math::numeric::GRAVITY,
            leader: None,
            aside: 0.0,
            stop: None,
            articulation: Some(self.articulation),
            pedals: None,
        };
        let commands = follower.controls(&mut self.state, &view);
        let trailer = self.own.trailer.unwrap();
        let curvature = (commands.steering * self.own.max_steer).tan() / self.own.wheelbase;
        let turn = curvature * self.speed;
        let across = trailer.overhang * turn * self.articulation.cos();
        let trails = -(self.speed * self.articulation.sin() + across) / trailer.drawbar;
        self.articulation += H * (trails - turn);
        assert!(self.articulation.abs() < trailer.most, "it folds up at {:.1} s", self.time);
        self.rear[0] += H * self.speed * self.yaw.cos();
        self.rear[1] += H * self.speed * self.yaw.sin();
        self.yaw += H * turn;
        let way = if commands.gear == Selector::Reverse { -1.0 } else { 1.0 };
        let resistance = 0.3 * self.speed.clamp(-0.1, 0.1) / 0.1;
        let held = (8.0 * commands.brake).min(self.speed.abs() / H) * self.speed.signum();
        self.speed += H * (way * 4.0 * commands.throttle - held - resistance);
        self.time += H;
    }
}

fn follower(model: &str, points: &[[f64; 2]], reverse: bool) -> PathFollower {
    let geometry = SteeringGeometry::from_spec(&find_wheeled(model).unwrap());
    let plan = PathFollowerConfig { cruise_speed: 1.5, reverse, ..PathFollowerConfig::default() };
    PathFollower::new(Path::smooth(points, 0.5).unwrap(), geometry, plan)
}

/// Around a corner into a bay, the trailer's axle follows the path and stops at its end.
#[test]
fn trailers_are_backed_into_a_bay() {
    for (model, reach) in [("kraz_64431+semitrailer", 1.5), ("hmmwv+cargo_trailer", 0.7)] {
        let way = [
            [0.0, 0.0],
            [-20.0, 0.0],
            [-35.0, -4.0],
            [-44.0, -16.0],
            [-46.0, -35.0],
            [-46.0, -50.0],
        ];
        let points: Vec<[f64; 2]> = way.map(|[x, y]| [reach * x, reach * y]).to_vec();
        let follower = follower(model, &points, true);
        let mut own = Kinematic::new(&follower, 0.0);
        let (mut farthest, mut turned) = (0.0_f64, 0.0_f64);
        while !follower.has_arrived(&own.state) {
            own.step(&follower);
            farthest = farthest.max(own.state.place.offset.abs());
            turned = turned.max(own.articulation.abs());
            assert!(own.time < 120.0, "{model} does not arrive: {:?}", own.state);
        }
        let end = own.axle();
        let beside = own.state.place.offset.abs();
        let heading = own.yaw + own.articulation;
        println!(
            "{model}: {farthest:.2} m off, {beside:.3} m at the end {end:?}, {heading:.3} rad, {turned:.2} rad"
        );
        // Pursuit cuts a bend of radius R by d²/(8 R) for a look-ahead distance d: 5 m, 12 m.
        assert!(farthest < 0.6, "{model}: {farthest} m");
        assert!(beside < 0.1, "{model}: {beside} m");
        assert!(turned > 0.15, "it bends: {turned}");
    }
}

/// From an angle that cannot be straightened in reverse, the driver first pulls forward.
#[test]
fn one_that_would_jackknife_is_pulled_straight() {
    let follower = follower("hmmwv+cargo_trailer", &[[-3.0, 0.0], [-60.0, 0.0]], true);
    let trailer = follower.geometry().trailer.unwrap();
    let edge = trailer.point_of_no_return(follower.geometry().max_curvature());
    let mut own = Kinematic::new(&follower, 1.05 * edge.min(0.95 * trailer.most));
    let (mut pulled, mut ahead) = (false, 0.0_f64);
    while !follower.has_arrived(&own.state) {
        own.step(&follower);
        pulled |= own.state.backing;
        ahead = ahead.max(own.rear[0]);
        assert!(own.time < 180.0, "it does not arrive: {:?}", own.state);
    }
    println!("from {edge:.2} rad: {ahead:.1} m ahead, {:.1} s", own.time);
    assert!(pulled && ahead > 0.5);
    assert!(own.state.place.offset.abs() < 0.1);
}

/// In a forward bend, the trailer cuts in half as far as behind a tractor on the path.
#[test]
fn both_are_as_far_off_in_a_bend() {
    let circle: Vec<[f64; 2]> = (0..120)
        .map(|k| f64::from(k) * 0.05)
        .map(|angle| [20.0 * angle.sin(), 20.0 - 20.0 * angle.cos()])
        .collect();
    let follower = follower("kraz_64431+semitrailer", &circle, false);
    let mut own = Kinematic::new(&follower, 0.0);
    for _ in 0..5500 {
        own.step(&follower);
    }
    let away = |[x, y]: [f64; 2]| (x * x + (y - 20.0) * (y - 20.0)).sqrt() - 20.0;
    let (out, cut) = (away(own.rear), -away(own.axle()));
    let trailer = own.own.trailer.unwrap();
    // relative to the path's radius; the tractor moves outside it
    let closed = 20.0 - (400.0 + trailer.overhang.powi(2) - trailer.drawbar.powi(2)).sqrt();
    println!("{out:.2} m out, {cut:.2} m in; {closed:.2} m of off-tracking");
    assert!((out + cut - closed).abs() < 0.15 * closed, "{out} + {cut}, not {closed}");
    assert!(out > 0.3 * closed && cut < 0.7 * closed, "{out} {cut}");
}
