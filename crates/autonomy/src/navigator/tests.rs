//! Drives over the proving ground.

use super::*;
use crate::proving_ground::{ProvingGround, ProvingRun, navigator};
use bekker_vehicle::spec::VehicleFootprint;

/// A drive from the origin eastward.
fn trial(ground: ProvingGround, goals: Vec<[f64; 2]>) -> ProvingRun {
    ProvingRun::new(ground, navigator(goals), [0.0, 0.0], 0.0)
}

/// Drives until the vehicle arrives or gives up, for at most `seconds`.
///
/// Returns whether it touched anything, and whether it drove over cells that its own map showed as
/// blocked at the last plan.
fn drive(trial: &mut ProvingRun, seconds: f64) -> [bool; 2] {
    let (mut touched, mut knew) = (false, false);
    let end = trial.time + seconds;
    while trial.time < end
        && !matches!(trial.state.phase(), DrivePhase::Arrived | DrivePhase::GaveUp)
    {
        trial.step();
        touched |= trial.touches();
        let pose = trial.pose();
        let map = trial.memory.costs().unwrap();
        let outline = trial.outline(&pose);
        knew |= trial.state.phase() == DrivePhase::Driving
            && outline.into_iter().any(|at| map.class(at).is_blocked());
    }
    [touched, knew]
}

#[test]
fn drives_over_flat_ground_to_its_goals() {
    let mut trial = trial(ProvingGround::default(), vec![[25.0, 0.0], [25.0, 15.0]]);
    assert_eq!(drive(&mut trial, 40.0), [false; 2]);
    assert_eq!((trial.state.phase(), trial.state.reached()), (DrivePhase::Arrived, 2));
    (0..100).for_each(|_| {
        trial.step();
    });
    let at = trial.pose().position;
    assert!(hypot(at.x - 25.0, at.y - 15.0) < 2.0 && trial.speed == 0.0, "{at}");
    // it resumes as soon as it receives another goal
    trial.state.set_goals(vec![[25.0, 40.0]]);
    drive(&mut trial, 40.0);
    assert_eq!(trial.state.phase(), DrivePhase::Arrived);
}

#[test]
fn goes_through_the_gap_in_a_wall() {
    let walls = vec![[15.0, -30.0, 15.5, 4.0, 2.0], [15.0, 9.0, 15.5, 30.0, 2.0]];
    let mut trial = trial(ProvingGround { walls, ..ProvingGround::default() }, vec![[28.0, 0.0]]);
    assert_eq!(drive(&mut trial, 60.0), [false; 2]);
    assert_eq!(trial.state.phase(), DrivePhase::Arrived, "at {:?}", trial.rear);
}

/// Waves of 0.2 m, four times as many holes as in the study and one trunk every 12 m.
///
/// The vehicle arrives, touches nothing, and never drives over cells that its map shows as blocked.
#[test]
fn reaches_its_goal_among_holes_and_trunks() {
    for seed in [3, 6] {
        let goal = [70.0, 10.0];
        let spare = [[0.0, 0.0], goal];
        let ground = ProvingGround::random(seed, [80.0, 60.0], [1.6e-3, 7e-3], &spare);
        let mut trial = trial(ProvingGround { waves: 0.1, ..ground }, vec![goal]);
        assert_eq!(drive(&mut trial, 60.0), [false; 2], "seed {seed} at {:?}", trial.rear);
        assert_eq!(trial.state.phase(), DrivePhase::Arrived, "seed {seed} at {:?}", trial.rear);
    }
}

/// The same with errors: the vehicle still arrives and touches nothing.
///
/// Each range has 3 cm of noise. The localization wanders by 1.5 cm, 2.5 cm in height, and 0.1 to
/// 0.2 degrees.
#[test]
fn reaches_its_goal_despite_lidar_and_localization_errors() {
    let goal = [70.0, 10.0];
    let spare = [[0.0, 0.0], goal];
    let ground = ProvingGround::random(2, [80.0, 60.0], [1.6e-3, 7e-3], &spare);
    let mut trial = trial(ProvingGround { waves: 0.1, ..ground }, vec![goal]);
    trial.errs = true;
    let [touched, _] = drive(&mut trial, 60.0);
    assert_eq!((trial.state.phase(), touched), (DrivePhase::Arrived, false), "at {:?}", trial.rear);
}

/// Twelve fields of 120 m with errors, on waves of 0.2 and of 0.4 m from trough to crest.
///
/// The fields have nearly four times the holes of the study and one trunk every 11 m. All drives
/// arrive; one in twelve touches something on the high waves. `docs/autonomy.md` quotes these
/// results.
#[test]
#[ignore = "minutes"]
fn crosses_field_after_field() {
    for (waves, most) in [(0.1, 0), (0.2, 1)] {
        let touched = (0..12).filter(|seed| {
            let goal = [120.0, 10.0];
            let spare = [[0.0, 0.0], goal];
            let ground = ProvingGround::random(*seed, [130.0, 80.0], [1.5e-3, 8e-3], &spare);
            let mut trial = trial(ProvingGround { waves, ..ground }, vec![goal]);
            trial.errs = true;
            let [touched, _] = drive(&mut trial, 150.0);
            assert_eq!(trial.state.phase(), DrivePhase::Arrived, "seed {seed} at {:?}", trial.rear);
            touched
        });
        let touched = touched.count();
        assert!(touched <= most, "{touched} of 12 on waves of {waves}");
    }
}

/// Drives into a dead end that is visible only from inside, and out of it again.
#[test]
fn gets_out_of_a_dead_end() {
    let walls = vec![
        [18.0, -5.0, 18.5, 5.0, 2.0],
        [10.0, -5.0, 18.0, -4.5, 2.0],
        [10.0, 4.5, 18.0, 5.0, 2.0],
    ];
    let mut trial = trial(ProvingGround { walls, ..ProvingGround::default() }, vec![[28.0, 0.0]]);
    let [touched, _] = drive(&mut trial, 120.0);
    assert_eq!((trial.state.phase(), touched), (DrivePhase::Arrived, false), "at {:?}", trial.rear);
}

/// A pocket 30 m deep and `wide` meters wide, open toward the start, with the goal straight behind
/// its far wall.
///
/// The vehicle sees the end only from inside. It turns round in as many moves as necessary and
/// drives around the pocket.
#[test]
fn goes_round_a_deep_dead_end() {
    // width, front and rear from an origin 1.36 m before the rear axle, wheelbase, radius
    let mrzr = (1.57, [1.80, -1.79], 2.72, 9.8);
    let hmmwv = (2.16, [2.57, -2.00], 3.30, 7.6);
    for ((width, [front, rear], wheelbase, radius), wide) in [(mrzr, 24.0), (hmmwv, 12.0)] {
        let half = 0.5 * wide;
        let walls = vec![
            [40.0, -half - 0.5, 40.5, half + 0.5, 2.0],
            [10.0, -half - 0.5, 40.0, -half, 2.0],
            [10.0, half, 40.0, half + 0.5, 2.0],
        ];
        let mut trial =
            trial(ProvingGround { walls, ..ProvingGround::default() }, vec![[60.0, 0.0]]);
        let body = &mut trial.navigator.body;
        body.footprint = VehicleFootprint { front, rear, width };
        body.geometry.wheelbase = wheelbase;
        body.geometry.max_steer = bekker_math::numeric::atan(wheelbase / radius);
        trial.navigator.costs.margin = 0.5;
        trial.navigator.arrival = 3.0;
        let [touched, _] = drive(&mut trial, 240.0);
        let reached = (trial.state.phase(), touched);
        assert_eq!(reached, (DrivePhase::Arrived, false), "{width} in {wide} at {:?}", trial.rear);
    }
}

/// A vehicle that is held backs off, marks the position, retries and finally gives up.
#[test]
fn a_stuck_vehicle_gives_up() {
    for driven in [0.0, 4.0] {
        let mut trial = trial(ProvingGround::default(), vec![[28.0, 0.0]]);
        trial.navigator.recovery.attempts = 2;
        drive(&mut trial, driven);
        trial.held = true;
        let begin = trial.time;
        while trial.state.phase() != DrivePhase::GaveUp && trial.time < 60.0 {
            trial.step();
        }
        assert_eq!(trial.state.marks().len(), 2);
        // three timeouts of 4 s and one of 4 s while backing off
        assert!((trial.time - begin - 16.0).abs() < 1.0, "{driven}: {}", trial.time - begin);
        assert!(trial.step().brake > 0.0);
    }
}

/// A post as thin as an arm in the path.
///
/// After braking for it, the vehicle does not drive into it, nor over cells that its map shows as
/// blocked, and it gets past.
#[test]
fn does_not_drive_into_a_post_for_which_it_has_braked() {
    for k in 0..4 {
        let post = [18.0 + 0.13 * f64::from(k), 0.05 + 0.1 * f64::from(k), 0.05];
        let ground = ProvingGround { trunks: vec![post], ..ProvingGround::default() };
        let mut trial = trial(ground, vec![[35.0, 0.0]]);
        trial.navigator.tracking = TrackingModel::at_most(4.0);
        trial.lidar = crate::proving_ground::lidar(256);
        assert_eq!(drive(&mut trial, 60.0), [false; 2], "{post:?} at {:?}", trial.rear);
        assert_eq!(trial.state.phase(), DrivePhase::Arrived, "{post:?} at {:?}", trial.rear);
    }
}

/// The vehicle does not back into obstacles that its map shows behind it.
#[test]
fn does_not_back_into_mapped_obstacles() {
    let walls = vec![[-3.4, -6.0, -2.9, 6.0, 2.0]];
    let ground = ProvingGround { walls, ..ProvingGround::default() };
    // the map of another vehicle that has looked there
    let navigator = navigator(vec![[28.0, 0.0]]);
    let mut other = ProvingRun::new(ground.clone(), navigator, [2.72, 0.0], std::f64::consts::PI);
    other.replan();
    let mut trial = trial(ground, vec![[28.0, 0.0]]);
    trial.memory.map = other.memory.map;
    trial.replan();
    assert!((0.5..2.3).contains(&trial.plan.behind), "{}", trial.plan.behind);
    trial.held = true;
    (0..220).for_each(|_| {
        trial.step();
    });
    assert_eq!(trial.state.phase(), DrivePhase::Backing);
    trial.held = false;
    while trial.state.phase() == DrivePhase::Backing {
        trial.step();
        assert!(!trial.touches(), "at {:?}", trial.rear);
    }
    assert!(trial.rear[0] < -0.3 && trial.time < 12.0, "{:?}", trial.rear);
}

/// Blocked cells where the vehicle itself has driven, for example leaves that it brushed through,
/// do not stop it on the way back.
#[test]
fn backs_through_obstacles_that_it_has_driven_through() {
    let leaves =
        ProvingGround { walls: vec![[2.0, -6.0, 2.5, 6.0, 2.0]], ..ProvingGround::default() };
    let mut other =
        ProvingRun::new(leaves, navigator(Vec::new()), [7.7, 0.0], std::f64::consts::PI);
    other.replan();
    let mut trial = trial(ProvingGround::default(), vec![[28.0, 0.0]]);
    while trial.rear[0] < 5.0 {
        trial.step();
    }
    trial.memory.map.merge(&other.memory.map);
    trial.held = true;
    (0..220).for_each(|_| {
        trial.step();
    });
    // the face of the wall lies in the cells in front of it
    let costs = trial.memory.costs().unwrap();
    assert!((-5..5).any(|k| costs.class([2.75, 0.5 * f64::from(k)]).is_blocked()));
    assert_eq!(trial.state.phase(), DrivePhase::Backing);
    let begin = trial.rear[0];
    trial.held = false;
    while trial.state.phase() == DrivePhase::Backing {
        trial.step();
    }
    // the distance of the first attempt, rounded up to the next waypoint, which are 0.5 m apart
    let gone = begin - trial.rear[0];
    assert!((3.0..5.0).contains(&gone), "{gone}");
}

/// A low cruise speed does not count as being stuck.
#[test]
fn a_slow_vehicle_makes_progress() {
    for speed in [0.2, 0.4] {
        let mut trial = trial(ProvingGround::default(), vec![[28.0, 0.0]]);
        trial.navigator.tracking = TrackingModel::at_most(speed);
        trial.navigator.recovery = RecoveryModel::at_most(speed);
        drive(&mut trial, 20.0);
        assert_eq!((trial.state.phase(), trial.state.marks().len()), (DrivePhase::Driving, 0));
        let gone = trial.rear[0];
        // 20 s at that speed, less the time to plan and to start
        assert!((8.0 * speed..30.0 * speed).contains(&gone), "{gone} m at {speed} m/s");
    }
}

/// The speed backward does not exceed the speed forward.
#[test]
fn a_slow_vehicle_backs_up_slowly() {
    assert_eq!(TrackingModel::at_most(0.3).backward, 0.3);
    assert_eq!(TrackingModel::at_most(5.0), TrackingModel::default());
}

/// Measured slip raises the cost of the ground if the slip weight is not 0.
#[test]
fn slippery_ground_costs_more_if_slip_has_a_weight() {
    let wheel = bekker_sensor::WheelGround { slip: 0.5, ..Default::default() };
    let reading = Reading::Ground(vec![wheel; 4]);
    for (heed, cost) in [(0.0, 0), (4.0, 200)] {
        let mut trial = trial(ProvingGround::default(), vec![[28.0, 0.0]]);
        trial.navigator.costs.slip = heed;
        trial.step();
        trial.replan();
        let at = trial.rear;
        let before = trial.memory.costs().unwrap().cost(at);
        trial.navigator.add_reading(&mut trial.state, SensorRole::Ground, 0.02, &reading);
        trial.replan();
        // costs are truncated to integers
        let dearer = trial.memory.costs().unwrap().cost(at) - before;
        assert!(dearer.abs_diff(cost) <= 1, "{dearer} for {cost}");
    }
}

/// A drive that is stored and resumed halfway continues bit for bit as before.
///
/// This holds although the data derived from the map is recomputed.
#[test]
fn a_stored_driver_continues_bit_for_bit() {
    let ground = ProvingGround { holes: vec![[12.0, 0.5]], waves: 0.1, ..ProvingGround::default() };
    let mut one = trial(ground.clone(), vec![[25.0, 0.0]]);
    (0..150).for_each(|_| {
        one.step();
    });
    let mut other = trial(ground, vec![[25.0, 0.0]]);
    (other.rear, other.yaw, other.speed, other.time) = (one.rear, one.yaw, one.speed, one.time);
    let bytes = postcard::to_allocvec(&(&one.state, &one.memory, &one.plan)).unwrap();
    (other.state, other.memory, other.plan) = postcard::from_bytes(&bytes).unwrap();
    assert_eq!((&other.state, &other.memory, &other.plan), (&one.state, &one.memory, &one.plan));
    for _ in 0..150 {
        assert_eq!(one.step(), other.step());
    }
    assert_eq!((&other.state, &other.memory), (&one.state, &one.memory));
    let [one_s, other_s] = [&one, &other].map(|trial| trial.memory.costs().unwrap());
    for (i, j) in (-20..=20).flat_map(|i| (-20..=20).map(move |j| (i, j))) {
        let place = [one.rear[0] + 0.5 * f64::from(i), one.rear[1] + 0.5 * f64::from(j)];
        assert_eq!(other_s.cost(place), one_s.cost(place));
    }
}
