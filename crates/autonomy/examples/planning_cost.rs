//! Measures the processor time of each part of planning: scans of 64 x 1024 beams from a vehicle
//! that drives straight on over waves among holes and trunks, each part timed over all of them.
//!
//! `cargo run --release -p bekker-autonomy --example planning_cost`

use bekker_autonomy::localization::PoseTrack;
use bekker_autonomy::{
    Localizer, MotionEstimate, Navigator, PlanInput, RouteModel, VehicleGeometry,
};
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::lidar::{Cloud, LidarSpec, Return};
use bekker_vehicle::driver::SteeringGeometry;
use bekker_vehicle::spec::VehicleFootprint;
use std::time::{Duration, Instant};

fn height(x: f64, y: f64) -> f64 {
    let waves = 0.15 * (0.7 * x).sin() * (0.7 * y).cos();
    // a hole in the middle of every other square of 50 m
    let (hx, hy) = ((x - 25.0).rem_euclid(50.0) - 25.0, (y - 18.0).rem_euclid(50.0) - 25.0);
    let r = (hx * hx + hy * hy) / 6.25;
    waves - 1.5 * (1.0 - r).max(0.0)
}

fn cast(origin: Vec3, ray: Vec3) -> Option<f64> {
    // trunks of 0.3 m every 12 m
    let trunk = |at: Vec3| {
        let (x, y) = ((at.x - 5.0).rem_euclid(12.0) - 6.0, (at.y - 2.0).rem_euclid(12.0) - 6.0);
        x.hypot(y) - 0.3
    };
    let mut t = 0.0;
    while t < 100.0 {
        let at = origin + ray * t;
        let gap = (at.z - height(at.x, at.y)) / 1.6;
        let gap = if at.z < 5.0 { gap.min(trunk(at)) } else { gap };
        if gap < 2e-3 {
            return Some(t);
        }
        t += gap;
    }
    None
}

/// Where the vehicle goes to.
const GOAL: [f64; 2] = [480.0, 30.0];

fn navigator(lidar: Pose) -> Navigator {
    let body = VehicleGeometry {
        footprint: VehicleFootprint { front: 1.80, rear: -1.79, width: 1.57 },
        ground: -0.33,
        clearance: 2.0,
        geometry: SteeringGeometry {
            wheelbase: 2.72,
            rear_axle: -1.36,
            max_steer: 0.55,
            skids: false,
            pivots: false,
            skid: None,
            articulated: None,
            trailer: None,
        },
        protrusions: Default::default(),
    };
    Navigator {
        body,
        lidar,
        goals: vec![GOAL],
        arrival: 2.0,
        bounds: Some([[0.0, -250.0], [500.0, 250.0]]),
        gaps: None,
        localizer: Localizer::from_odometry(Pose::default()),
        map: Default::default(),
        obstacles: Default::default(),
        costs: Default::default(),
        route: RouteModel::default(),
        smoothing: Default::default(),
        spline: Default::default(),
        tracking: Default::default(),
        recovery: Default::default(),
    }
}

/// The chassis on its way.
fn pose(x: f64) -> Pose {
    Pose { position: Vec3::new(x, 1.0, 0.33 + height(x, 1.0)), ..Pose::default() }
}

/// Returns the point cloud of a scan at `time` of the drive.
fn scanned(lidar: &LidarSpec, mount: &Pose, time: f64) -> Cloud {
    let mut cloud = Cloud::default();
    for column in 0..lidar.columns {
        let before = 0.1 * (lidar.share(column) - 1.0);
        let at = pose(10.0 + 5.0 * (time + before));
        let eye = at.point(&mount.position);
        let (sa, ca) = lidar.azimuth(column).sin_cos();
        for (ring, elevation) in lidar.elevations.iter().enumerate() {
            let (se, ce) = elevation.sin_cos();
            let own = Vec3::new(ce * ca, ce * sa, se);
            let Some(range) = cast(eye, at.direction(&(mount.orientation * own))) else {
                continue;
            };
            cloud.returns.push(Return {
                point: (own * range).map(|x| x as f32).into(),
                time: before as f32,
                ring: ring as u16,
                column: column as u16,
                ..Return::default()
            });
        }
    }
    cloud
}

fn main() {
    let lidar = LidarSpec::os2_64();
    let tilt = Quat::from_axis_angle(&Vec3::y_axis(), 25f64.to_radians());
    let mount = Pose { position: Vec3::new(1.5, 0.0, 0.67), orientation: tilt };
    let navigator = navigator(mount);
    let mut memory = navigator.start_planner(&pose(10.0));
    let mut spent = [Duration::ZERO; 4];
    let (mut returns, mut tiles, mut cells, mut worst) = (0, 0, 0, Duration::ZERO);
    let scans = 200;
    let mut track = PoseTrack::default();
    for scan in 0..scans {
        let time = 0.1 * f64::from(scan);
        let chassis = pose(10.0 + 5.0 * time);
        for step in 0..10 {
            let earlier = time - 0.09 + 0.01 * f64::from(step);
            track.push(earlier, pose(10.0 + 5.0 * earlier), 1.0);
        }
        let cloud = scanned(&lidar, &mount, time);
        let estimate = MotionEstimate { time, pose: chassis, ..MotionEstimate::default() };
        let look = PlanInput {
            taken: time,
            cloud: &cloud,
            track: &track,
            estimate,
            goal: Some(GOAL),
            articulation: None,
            way_back: &[],
            marks: &[],
            others: &[],
            moving: &[],
            standing: &[],
            seen: &[],
        };
        let start = Instant::now();
        returns += navigator.register(&mut memory, &look);
        let registered = Instant::now();
        tiles += navigator.update_costs(&mut memory, &look);
        let appraised = Instant::now();
        cells += navigator.plan_global(&mut memory, &look);
        let routed = Instant::now();
        navigator.plan_local(&mut memory, &look);
        let done = Instant::now();
        let parts = [registered - start, appraised - registered, routed - appraised, done - routed];
        spent.iter_mut().zip(parts).for_each(|(all, part)| *all += part);
        worst = worst.max(done - start);
    }
    let each = |all: Duration| 1e3 * all.as_secs_f64() / f64::from(scans);
    println!(
        "a scan: {} returns counted, {} tiles appraised, {} cells searched",
        returns / scans as usize,
        tiles / scans as usize,
        cells / scans as usize
    );
    for (name, all) in ["register", "appraise", "route", "local path"].iter().zip(spent) {
        println!("{name:12} {:6.2} ms", each(all));
    }
    println!(
        "{:12} {:6.2} ms, the worst {:.2} ms",
        "all",
        each(spent.iter().sum()),
        1e3 * worst.as_secs_f64()
    );
}
