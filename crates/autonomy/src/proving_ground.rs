//! Ground and vehicle for tests: holes, trunks and walls for lidar rays, and a kinematic bicycle.

use super::body::VehicleGeometry;
use super::localization::{Localizer, SensorRole, rotation};
use super::navigator::{Navigator, NavigatorState, PlanInput, PlannerState, RouteModel};
use super::plan::LocalPlan;
use bekker_math::numeric::{atan, cos, hypot, sin, sin_cos, tan};
use bekker_math::random::RandomStream;
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::lidar::{Cloud, LidarSpec, Return};
use bekker_sensor::{Odometry, Reading};
use bekker_vehicle::driver::SteeringGeometry;
use bekker_vehicle::spec::VehicleFootprint;
use bekker_vehicle::{Controls, Selector};

/// Waves with holes, trunks and walls.
#[derive(Clone, Debug, Default)]
pub struct ProvingGround {
    /// Centers of parabolic holes, 1.5 m deep and 2.5 m in radius, m.
    pub holes: Vec<[f64; 2]>,
    /// Trunks of 6 m height: x, y, radius, m.
    pub trunks: Vec<[f64; 3]>,
    /// Boxes that rise from the ground: minimum x and y, maximum x and y, height, m.
    pub walls: Vec<[f64; 5]>,
    /// Amplitude of the waves, m; their wavelength is 9 m.
    pub waves: f64,
}

const RADIUS: f64 = 2.5;
const DEPTH: f64 = 1.5;

impl ProvingGround {
    fn waves(&self, x: f64, y: f64) -> f64 {
        self.waves * sin(0.7 * x) * cos(0.7 * y)
    }

    pub fn height(&self, x: f64, y: f64) -> f64 {
        let hole = self.holes.iter().map(|[cx, cy]| {
            let r = ((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (RADIUS * RADIUS);
            if r < 1.0 { -DEPTH * (1.0 - r) } else { 0.0 }
        });
        self.waves(x, y) + hole.sum::<f64>()
    }

    /// The part of the ground within 34 m of a position.
    fn about(&self, [cx, cy]: [f64; 2]) -> ProvingGround {
        let near = |x: f64, y: f64| hypot(x - cx, y - cy) < 34.0;
        ProvingGround {
            holes: self.holes.iter().filter(|[x, y]| near(*x, *y)).copied().collect(),
            trunks: self.trunks.iter().filter(|[x, y, _]| near(*x, *y)).copied().collect(),
            ..self.clone()
        }
    }

    /// Random holes and trunks of given densities, 1/m², in a rectangle that starts at the origin.
    ///
    /// None is within 8 m of the positions in `spare`.
    pub fn random(
        seed: u64,
        size: [f64; 2],
        densities: [f64; 2],
        spare: &[[f64; 2]],
    ) -> ProvingGround {
        let stream = RandomStream::new(seed, "proving ground");
        let area = size[0] * size[1];
        let mut draws = (0..).map(|k| stream.uniform(k));
        let mut places = |density: f64| -> Vec<[f64; 2]> {
            let count = (density * area) as usize;
            let mut place = || {
                let mut next = || draws.next().unwrap_or_default();
                [next() * size[0], (next() - 0.5) * size[1]]
            };
            let free =
                |at: &[f64; 2]| spare.iter().all(|one| hypot(at[0] - one[0], at[1] - one[1]) > 8.0);
            (0..count).map(|_| place()).filter(free).collect()
        };
        let holes = places(densities[0]);
        let trunks = places(densities[1]).into_iter().map(|[x, y]| [x, y, 0.25]).collect();
        ProvingGround { holes, trunks, ..ProvingGround::default() }
    }

    /// Range at which a ray hits something, if it is below `most`, m.
    pub fn cast(&self, origin: &Vec3, ray: &Vec3, most: f64) -> Option<f64> {
        let trunk = |[cx, cy, radius]: &[f64; 3]| {
            let (px, py) = (origin.x - cx, origin.y - cy);
            let a = ray.x * ray.x + ray.y * ray.y;
            let b = px * ray.x + py * ray.y;
            let c = px * px + py * py - radius * radius;
            let root = b * b - a * c;
            let t = (-b - root.max(0.0).sqrt()) / a;
            let z = origin.z + t * ray.z;
            (root > 0.0 && t > 0.0 && z < 6.0).then_some(t)
        };
        let wall = |[x0, y0, x1, y1, height]: &[f64; 5]| {
            let (mut near, mut far) = (0.0f64, most);
            for (from, along, low, high) in [
                (origin.x, ray.x, *x0, *x1),
                (origin.y, ray.y, *y0, *y1),
                (origin.z, ray.z, -9.0, *height),
            ] {
                let (a, b) = ((low - from) / along, (high - from) / along);
                (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
            }
            (near < far && near > 0.0).then_some(near)
        };
        let trunks = self.trunks.iter().filter_map(trunk);
        let standing = trunks.chain(self.walls.iter().filter_map(wall)).fold(most, f64::min);
        let level = hypot(ray.x, ray.y);
        // no slope exceeds 1.2 including that of the waves
        let closing = 1.3 * level + (-ray.z).max(0.0);
        let mut t = 0.0;
        while t < standing {
            let at = origin + ray * t;
            let gap = at.z - self.height(at.x, at.y);
            if gap < 1e-3 {
                return Some(t);
            }
            if ray.z >= 0.0 && gap > 2.0 {
                break;
            }
            t += (gap / closing).max(1e-3);
        }
        (standing < most).then_some(standing)
    }

    /// Instantaneous scan of a lidar at `pose`.
    pub fn scan(&self, lidar: &LidarSpec, pose: &Pose) -> Cloud {
        let mut cloud = Cloud::default();
        for column in 0..lidar.columns {
            let (sa, ca) = sin_cos(lidar.azimuth(column));
            for (ring, elevation) in lidar.elevations.iter().enumerate() {
                let (se, ce) = sin_cos(*elevation);
                let ray = Vec3::new(ce * ca, ce * sa, se);
                if let Some(range) = self.cast(&pose.position, &pose.direction(&ray), 60.0) {
                    cloud.returns.push(Return {
                        point: (ray * range).map(|x| x as f32).into(),
                        ring: ring as u16,
                        column: column as u16,
                        ..Return::default()
                    });
                }
            }
        }
        cloud
    }
}

/// The lidar of the study with the given number of columns.
pub fn lidar(columns: u32) -> LidarSpec {
    LidarSpec { columns, ..LidarSpec::os2_64() }
}

/// Mount of the lidar on the hood of the MRZR-4: 1 m above the ground, tilted down by 25 degrees.
pub fn mount() -> Pose {
    let orientation = Quat::from_axis_angle(&Vec3::y_axis(), 25.0f64.to_radians());
    Pose { position: Vec3::new(1.5, 0.0, 0.67), orientation }
}

/// Approximate geometry of the MRZR-4.
pub fn body() -> VehicleGeometry {
    VehicleGeometry {
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
    }
}

pub fn navigator(goals: Vec<[f64; 2]>) -> Navigator {
    Navigator {
        body: body(),
        lidar: mount(),
        goals,
        arrival: 2.0,
        bounds: None,
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

/// An autonomous vehicle on the ground.
///
/// It is a kinematic bicycle that stops immediately at a trunk or a wall.
pub struct ProvingRun {
    pub ground: ProvingGround,
    pub lidar: LidarSpec,
    pub navigator: Navigator,
    pub state: NavigatorState,
    pub memory: PlannerState,
    pub plan: LocalPlan,
    pub rear: [f64; 2],
    pub yaw: f64,
    pub speed: f64,
    pub time: f64,
    /// Whether the vehicle is prevented from moving.
    pub held: bool,
    /// Whether lidar and localization have errors.
    pub errs: bool,
}

const STEP: f64 = 0.02;

impl ProvingRun {
    pub fn new(ground: ProvingGround, navigator: Navigator, at: [f64; 2], yaw: f64) -> ProvingRun {
        let mut trial = ProvingRun {
            ground,
            lidar: lidar(128),
            state: navigator.start(&Pose::default(), 0.0),
            memory: navigator.start_planner(&Pose::default()),
            navigator,
            plan: LocalPlan::default(),
            rear: at,
            yaw,
            speed: 0.0,
            time: 0.0,
            held: false,
            errs: false,
        };
        let pose = trial.pose();
        trial.state = trial.navigator.start(&pose, 0.0);
        trial.memory = trial.navigator.start_planner(&pose);
        trial
    }

    /// Pose on the four wheels, ignoring the holes.
    pub fn pose(&self) -> Pose {
        let (sine, cosine) = sin_cos(self.yaw);
        let height = |along: f64, aside: f64| {
            let x = self.rear[0] + along * cosine - aside * sine;
            let y = self.rear[1] + along * sine + aside * cosine;
            self.ground.waves(x, y)
        };
        let wheels = [[2.72, 0.65], [2.72, -0.65], [0.0, 0.65], [0.0, -0.65]];
        let [a, b, c, d] = wheels.map(|[along, aside]| height(along, aside));
        let pitch = atan((c + d - a - b) / (2.0 * 2.72));
        let roll = atan((a + c - b - d) / (2.0 * 1.3));
        let orientation = Quat::from_axis_angle(&Vec3::z_axis(), self.yaw)
            * Quat::from_axis_angle(&Vec3::y_axis(), pitch)
            * Quat::from_axis_angle(&Vec3::x_axis(), roll);
        let middle = 0.25 * (a + b + c + d) + 0.33;
        let (x, y) = (self.rear[0] + 1.36 * cosine, self.rear[1] + 1.36 * sine);
        Pose { position: Vec3::new(x, y, middle), orientation }
    }

    /// Pose that the localization receives.
    ///
    /// With errors it is off by a few centimeters and tenths of a degree.
    fn given_pose(&self) -> Pose {
        let pose = self.pose();
        if !self.errs {
            return pose;
        }
        let wander = |k: u64, scale: f64| {
            let stream = RandomStream::new(k, "error");
            let [place, share] = [(self.time / 2.0).floor(), (self.time / 2.0).fract()];
            let at = |n: f64| stream.normal(n as u64);
            scale * (at(place) * (1.0 - share) + at(place + 1.0) * share)
        };
        let off = Vec3::new(wander(0, 0.015), wander(1, 0.015), wander(2, 0.025));
        let turn = Vec3::new(wander(3, 2e-3), wander(4, 2e-3), wander(5, 4e-3));
        Pose { position: pose.position + off, orientation: rotation(&turn) * pose.orientation }
    }

    pub fn replan(&mut self) {
        let pose = self.pose();
        let eye = Pose {
            position: pose.point(&mount().position),
            orientation: pose.orientation * mount().orientation,
        };
        let mut cloud = self.ground.about(self.rear).scan(&self.lidar, &eye);
        if self.errs {
            // 3 cm of range noise, drawn per scan and return
            let stream = RandomStream::new((1e3 * self.time) as u64, "range");
            for (at, own) in cloud.returns.iter_mut().enumerate() {
                let [x, y, z] = own.point.map(f64::from);
                let range = (x * x + y * y + z * z).sqrt();
                let scale = 1.0 + 0.03 * stream.normal(at as u64) / range;
                own.point = own.point.map(|x| (f64::from(x) * scale) as f32);
            }
        }
        let way_back = self.navigator.path_back(&self.state, None);
        let look = PlanInput {
            taken: self.time,
            cloud: &cloud,
            track: self.state.track(),
            estimate: *self.state.estimate(),
            goal: self.state.goal(),
            articulation: None,
            way_back: &way_back,
            marks: self.state.marks(),
            others: &[],
            moving: &[],
            standing: &[],
            seen: &[],
        };
        self.plan = self.navigator.plan(&mut self.memory, &look);
    }

    pub fn step(&mut self) -> Controls {
        let truth = Odometry {
            pose: self.given_pose(),
            velocity: Vec3::new(self.speed, 0.0, 0.0),
            angular_velocity: Vec3::zeros(),
        };
        let reading = Reading::Odometry(truth);
        self.navigator.add_reading(&mut self.state, SensorRole::Odometry, self.time, &reading);
        let count = (self.time / STEP).round() as u64;
        if count.is_multiple_of(5) {
            self.replan();
        }
        let c = self.navigator.drive(&mut self.state, &self.plan, None, [self.time, STEP]);
        let sense = if c.gear == Selector::Reverse { -1.0 } else { 1.0 };
        self.speed += STEP * 4.0 * sense * c.throttle;
        let drag = STEP * (8.0 * c.brake + 0.3);
        self.speed -= self.speed.clamp(-drag, drag);
        if self.held {
            self.speed = 0.0;
        } else if self.touches() {
            self.speed = self.speed.min(0.0);
        }
        let steer = c.steering * self.navigator.body.geometry.max_steer;
        self.rear[0] += STEP * self.speed * cos(self.yaw);
        self.rear[1] += STEP * self.speed * sin(self.yaw);
        self.yaw += STEP * self.speed * tan(steer) / self.navigator.body.geometry.wheelbase;
        self.time += STEP;
        c
    }

    /// Points on the outline and inside it at a pose.
    pub fn outline(&self, pose: &Pose) -> Vec<[f64; 2]> {
        let VehicleFootprint { front, rear, width } = self.navigator.body.footprint;
        let shares = (0..=8).flat_map(|i| (0..=4).map(move |j| (i, j)));
        let points = shares.map(|(i, j)| {
            let along = rear + (front - rear) * f64::from(i) / 8.0;
            let across = width * (f64::from(j) / 4.0 - 0.5);
            let at = pose.point(&Vec3::new(along, across, 0.0));
            [at.x, at.y]
        });
        points.collect()
    }

    /// Returns whether the outline is over a hole or inside a trunk or wall.
    pub fn touches(&self) -> bool {
        self.outline(&self.pose()).into_iter().any(|[px, py]| {
            let near = |[x, y, r]: [f64; 3]| hypot(px - x, py - y) < r;
            self.ground.holes.iter().any(|[x, y]| near([*x, *y, RADIUS]))
                || self.ground.trunks.iter().any(|trunk| near(*trunk))
                || self
                    .ground
                    .walls
                    .iter()
                    .any(|[x0, y0, x1, y1, _]| px > *x0 && px < *x1 && py > *y0 && py < *y1)
        })
    }
}
