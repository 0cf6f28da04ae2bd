//! Learning environments are a function of task, options, seed and actions alone.

use bekker::learning::{
    Autoreset, Env, EnvBatch, Episode, EpisodeEnding, LABELS, LearningError, Levels, Options,
    Policy, TASKS, Transitions, task,
};
use rayon::ThreadPoolBuilder;
use std::sync::Arc;

/// Returns the fastest options: rigid tires, coarse nodes, long steps.
fn quick() -> Options {
    Options {
        flexible_tires: Some(false),
        spacing: Some(0.1),
        step: Some(0.005),
        levels: 2,
        ..Options::default()
    }
}

/// Returns actions that steer, drive and brake, the same for every environment.
fn action(step: usize, wide: usize) -> Vec<f32> {
    let phase = step as f32;
    [(0.3 * phase).sin(), 0.6 - 0.2 * (step % 5) as f32, 1.0][..wide].to_vec()
}

fn driven(task: &str, envs: usize, threads: usize) -> Vec<Vec<u32>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut batch = EnvBatch::new(task, quick(), envs, Some(4)).unwrap();
        let seeds: Vec<_> = (0..envs as u64).map(|n| Some(40 + n)).collect();
        let mut out = Transitions::default();
        batch.reset(&seeds, &vec![true; envs], None, &mut out).unwrap();
        let wide = batch.levels().task().actions();
        let (size, agents) = (batch.observation_size(), batch.agents());
        let steps = (0..7).map(|step| {
            let actions = action(step, wide).repeat(envs * agents);
            batch.step(&actions, Autoreset::SameStep, &mut out).unwrap();
            let first = out.observations[..agents * size].iter().map(|value| value.to_bits());
            first.chain(out.rewards[..agents].iter().map(|x| x.to_bits() as u32)).collect()
        });
        steps.collect()
    })
}

#[test]
fn an_environment_does_not_depend_on_threads_or_neighbors() {
    for task in TASKS {
        let alone = driven(task.id(), 1, 1);
        for (envs, threads) in [(1, 4), (3, 1), (3, 4)] {
            assert_eq!(driven(task.id(), envs, threads), alone, "{} {envs} {threads}", task.id());
        }
    }
}

fn env(task: usize, options: Options) -> Env {
    let mut env = Env::new(Arc::new(Levels::new(TASKS[task], options).unwrap()));
    env.reset(Some(3), None).unwrap();
    env
}

fn seen(env: &Env) -> Vec<f32> {
    let mut room = vec![0.0; env.agents() * env.observation_size()];
    env.observe(&mut room).unwrap();
    room
}

#[test]
fn a_snapshot_restores_bit_for_bit_and_a_foreign_one_changes_nothing() {
    let mut one = env(1, quick());
    let mut terms = [0.0; 4];
    one.step(&action(1, 2), &mut terms).unwrap();
    let snapshot = one.snapshot().unwrap();
    let mut other = env(1, quick());
    other.restore(&snapshot).unwrap();
    assert_eq!(seen(&one), seen(&other));
    for step in 0..4 {
        let found = [&mut one, &mut other].map(|env| env.step(&action(step, 2), &mut terms));
        assert_eq!(found[0].as_ref().unwrap(), found[1].as_ref().unwrap());
        assert_eq!(seen(&one), seen(&other));
    }
    let mut foreign = env(1, Options { difficulty: 0.2, ..quick() });
    let before = foreign.snapshot().unwrap();
    let refused = foreign.restore(&snapshot).unwrap_err();
    let differ = format!("difficulty was {} and is 0.2", quick().difficulty);
    let told = format!("not a snapshot of this environment: it belongs to another one: {differ}");
    assert_eq!(refused.to_string(), told);
    assert!(foreign.restore(&snapshot[..snapshot.len() / 2]).is_err());
    assert_eq!(foreign.snapshot().unwrap(), before);
}

#[test]
fn a_snapshot_with_any_bit_flipped_is_damaged() {
    let mut batch = EnvBatch::new("SlipSpeed", quick(), 1, None).unwrap();
    batch.reset(&[Some(1)], &[true], None, &mut Transitions::default()).unwrap();
    let snapshot = batch.snapshot(0).unwrap();
    let mut room = vec![0.0; batch.observation_size()];
    for place in (0..400).chain(snapshot.len() - 60..snapshot.len()) {
        let mut flipped = snapshot.clone();
        flipped[place] ^= 1 << (place % 8);
        let refused = batch.restore(0, &flipped, &mut room).unwrap_err();
        assert!(refused.to_string().contains("checksum"), "{place}: {refused}");
    }
    batch.restore(0, &snapshot, &mut room).unwrap();
    assert_eq!(batch.snapshot(0).unwrap(), snapshot);
}

#[test]
fn observations_are_normalized_and_have_their_size() {
    for task in 0..TASKS.len() {
        let mut env = env(task, Options { soil_visible: true, noise: 0.5, ..quick() });
        let mut terms = vec![0.0; env.task().terms().len() * env.agents()];
        for step in 0..5 {
            let actions = action(step, env.task().actions()).repeat(env.agents());
            let step = env.step(&actions, &mut terms).unwrap();
            let of_each =
                terms.chunks(env.task().terms().len()).map(|terms| terms.iter().sum::<f64>());
            assert_eq!(step.reward, of_each.sum::<f64>());
            assert!(seen(&env).iter().all(|value| value.abs() <= 1.0));
        }
    }
}

#[test]
fn a_level_depends_only_on_its_number() {
    let options = Options { levels: 1000, ..quick() };
    let mut one = env(1, options.clone());
    one.reset(None, Some(17)).unwrap();
    let mut other = env(1, options);
    other.reset(Some(99), Some(17)).unwrap();
    assert_eq!(seen(&one), seen(&other));
    let numbers = |seed| {
        let mut env = env(0, Options { levels: 1000, ..quick() });
        env.reset(Some(seed), None).unwrap();
        env.figures(0)[6]
    };
    assert_eq!(numbers(5), numbers(5));
    assert_ne!(numbers(5), numbers(6));
}

/// Returns [`quick`] options with the tires of the vehicle's file.
fn bare() -> Options {
    Options { flexible_tires: None, ..quick() }
}

#[test]
fn impossible_options_are_refused_by_name() {
    let told = |options| Levels::new(TASKS[0], options).unwrap_err().to_string();
    let refused = told(Options { difficulty: 1.5, ..quick() });
    assert_eq!(refused, "difficulty = 1.5: must be from 0 to 1");
    assert!(told(Options { vehicle: "m113".into(), ..quick() }).contains("wheeled"));
    let uneven = told(Options { step: Some(0.003), ..quick() });
    assert_eq!(uneven, "step = 0.003: must be an integer fraction of period = 0.1 s");
    // An hour is no integer multiple of this period.
    assert!(Levels::new(TASKS[0], Options { period: 0.07, ..quick() }).is_ok());
    assert!(
        told(Options { inflation_kpa: Some(200.0), ..quick() })
            .contains("rigid tires have no inflation")
    );
    let soft = Options { inflation_kpa: Some(2e5), flexible_tires: Some(true), ..quick() };
    assert!(told(soft).contains("(200000 Pa is 200 kPa)"));
    // A gator's tires are rigid by default, and options without effect on them are named.
    assert!(Levels::new(TASKS[0], Options { vehicle: "gator".into(), ..bare() }).is_ok());
    let gator = |options| told(Options { vehicle: "gator".into(), ..options });
    let gives = gator(Options { flexible_tires: Some(true), ..bare() });
    assert!(gives.starts_with("flexible_tires = true: must be omitted or false: "));
    let filled = gator(Options { inflation_kpa: Some(200.0), ..bare() });
    assert!(filled.starts_with("inflation_kpa = 200: must be omitted: "), "{filled}");
    let pair = told(Options { vehicles: Some(2), ..quick() });
    assert_eq!(pair, "vehicles = 2: must be 1");
    assert!(told(Options { soil: Some("cheese".into()), ..quick() }).contains("cheese"));
    assert!(
        EnvBatch::new("HardGoal", quick(), 1, None).unwrap_err().to_string().contains("SoftGoal")
    );
    let mut env = env(0, quick());
    let before = env.snapshot().unwrap();
    let wrong = env.step(&[f32::NAN, 0.0], &mut [0.0; 3]);
    assert!(matches!(wrong, Err(LearningError::Action { index: 0, .. })));
    assert_eq!(env.snapshot().unwrap(), before);
}

#[test]
fn an_episode_replays_from_its_actions_bit_for_bit() {
    for task in TASKS {
        let options = Options { noise: 0.1, soil_visible: true, ..quick() };
        let levels = Arc::new(Levels::new(task, options).unwrap());
        let episodes = Episode::drive(&levels, Policy::Random, Episode::seed(8, 2), 12).unwrap();
        let (wide, terms) = (task.actions(), task.terms().len());
        let mut env = Env::new(levels);
        env.reset(Some(episodes[0].seed), None).unwrap();
        assert_eq!(episodes.len(), env.agents());
        let (size, steps) = (env.observation_size(), episodes[0].steps);
        // State, actions or rewards of a vehicle, for all vehicles in order.
        let moment = |step: usize| {
            let of = |episode: &Episode| episode.observations[step * size..][..size].to_vec();
            episodes.iter().flat_map(of).collect::<Vec<_>>()
        };
        for step in 0..steps {
            assert_eq!(seen(&env), moment(step));
            let done = |episode: &Episode| episode.actions[step * wide..][..wide].to_vec();
            let mut found = vec![0.0; terms * env.agents()];
            let actions: Vec<f32> = episodes.iter().flat_map(done).collect();
            env.step(&actions, &mut found).unwrap();
            for (episode, found) in episodes.iter().zip(found.chunks(terms)) {
                let reward: f64 = found.iter().sum();
                assert_eq!(reward.to_bits(), episode.rewards[step].to_bits());
                assert_eq!(found, &episode.terms[step * terms..][..terms]);
            }
        }
        assert_eq!(seen(&env), moment(steps));
        for (vehicle, episode) in episodes.iter().enumerate() {
            assert_eq!((episode.vehicle, episode.steps), (vehicle, steps));
            assert_eq!(episode.observations.len(), (steps + 1) * size);
            assert_eq!(env.figures(vehicle)[6], episode.level as f64);
            assert!(episode.truncated && steps == 12 || episode.terminated);
            // Each vehicle has its own actions.
            assert!(vehicle == 0 || episode.actions != episodes[0].actions);
        }
    }
}

#[test]
fn labels_are_the_current_ground_truth() {
    let options = Options { soil: Some("dry_sand_lll".into()), difficulty: 0.0, ..quick() };
    let levels = Arc::new(Levels::new(TASKS[0], options).unwrap());
    let episode = Episode::drive(&levels, Policy::Expert, 4, 60).unwrap().remove(0);
    let wide: usize = LABELS.iter().map(|label| label.size).sum();
    let rows: Vec<&[f64]> = episode.labels.chunks(wide).collect();
    assert_eq!((rows.len(), episode.soils.len()), (episode.steps + 1, episode.steps + 1));
    let label = |row: usize, name: &str| {
        let before = LABELS.into_iter().take_while(|label| label.name != name);
        let first: usize = before.map(|label| label.size).sum();
        let size = LABELS.iter().find(|label| label.name == name).unwrap().size;
        &rows[row][first..first + size]
    };
    assert!(episode.soils.iter().all(|soil| soil == "dry_sand_lll"));
    // At difficulty 0 the parameters are not randomized.
    let levels = levels.get(episode.level).unwrap();
    let soil = levels.built.world.ground.soil_at(0.0, 0.0);
    let bekker::soil::SoilKind::Deformable(law) = &soil.kind else { panic!("{soil:?}") };
    assert_eq!(label(0, "soil_k_phi"), [law.k_phi]);
    let last = episode.steps;
    assert!((label(last, "time")[0] - 0.1 * last as f64).abs() < 1e-9);
    // The wheels carry the weight of an HMMWV, 2.1 to 4.7 t, from the reset on.
    for moment in [0, 1] {
        let weight: f64 = label(moment, "wheel_load").iter().sum();
        assert!((2e4..4.6e4).contains(&weight), "{weight}");
        assert!(label(moment, "wheel_sinkage").iter().all(|sinkage| *sinkage > 0.0));
    }
    // It has driven farther than its length: rear wheels run in the ruts of the front wheels, which
    // have none before them.
    let way = label(last, "position")[0] - label(0, "position")[0];
    assert!(way > 5.0, "{way}");
    let [left, right, rear_left, rear_right] = label(last, "wheel_rut") else { panic!() };
    assert!(left.abs() < 1e-3 && right.abs() < 1e-3, "{left} {right}");
    assert!(*rear_left > 0.005 && *rear_right > 0.005, "{rear_left} {rear_right}");
    assert!(label(last, "wheel_sinkage").iter().all(|depth| *depth > 0.005));
    // A tracked vehicle has as many.
    let tracked = Options { vehicle: "m113".into(), step: Some(0.002), ..quick() };
    let levels = Arc::new(Levels::new(TASKS[1], tracked).unwrap());
    let episode = Episode::drive(&levels, Policy::Expert, 4, 2).unwrap().remove(0);
    assert_eq!(episode.labels.len(), 3 * wide);
    assert!(episode.labels.iter().all(|value| value.is_finite()));
    // The labels of a convoy are per vehicle: vehicles are 12 m apart.
    let levels = Arc::new(Levels::new(task("Convoy").unwrap(), quick()).unwrap());
    let convoy = Episode::drive(&levels, Policy::Expert, 4, 1).unwrap();
    for pair in convoy.windows(2) {
        let place = |episode: &Episode| [episode.labels[1], episode.labels[2]];
        let ([x, y], [behind_x, behind_y]) = (place(&pair[0]), place(&pair[1]));
        let apart = bekker::numeric::hypot(x - behind_x, y - behind_y);
        // Each vehicle settles at its start position, on different slopes.
        assert!((apart - 12.0).abs() < 0.2, "{apart}");
    }
}

#[test]
fn corners_of_tracks_are_seen_as_wheels_are() {
    let mut env = env(1, Options { vehicle: "m113".into(), step: Some(0.002), ..quick() });
    let mut terms = [0.0; 4];
    for _ in 0..5 {
        env.step(&[0.0, 0.5], &mut terms).unwrap();
    }
    let seen = seen(&env);
    // Both tracks run forward; their front and rear wheels have equal speeds, except for slack.
    let rim = &seen[12..16];
    assert!(rim.iter().all(|speed| *speed > 0.01), "{rim:?}");
    assert!((rim[0] - rim[2]).abs() < 0.2 * rim[0] && (rim[1] - rim[3]).abs() < 0.2 * rim[1]);
}

#[test]
fn obstacles_are_on_the_map_and_end_an_episode() {
    // Straight ahead, until an obstacle is reached.
    let levels = Options { levels: 1000, difficulty: 1.0, ..quick() };
    let place = TASKS.iter().position(|task| task.id() == "Obstacles").unwrap();
    let mut env = env(place, levels);
    let mut terms = [0.0; 4];
    let endings = (0..8).map(|level| {
        env.reset(None, Some(level)).unwrap();
        let spec = env.world().unwrap().1.spec.clone();
        assert_eq!(spec.obstacles.len(), 30);
        for _ in 0..150 {
            let step = env.step(&[0.0, 0.5], &mut terms).unwrap();
            if step.terminated {
                return (EpisodeEnding::NAMES[usize::from(step.ending)], spec, env.figures(0));
            }
        }
        ("", spec, env.figures(0))
    });
    let endings: Vec<_> = endings.collect();
    let hits = endings.iter().filter(|(name, ..)| *name == "hit");
    for (_, spec, figures) in hits.clone() {
        // Closer to an obstacle than half the vehicle's length plus the obstacle's radius.
        let near = spec.obstacles.iter().any(|thing| {
            let [dx, dy] = [thing.place[0] - figures[4], thing.place[1] - figures[5]];
            dx.hypot(dy) < 3.5 + 0.5 * thing.diameter
        });
        assert!(near, "{figures:?}");
    }
    assert!(hits.count() >= 2, "{:?}", endings.iter().map(|ending| ending.0).collect::<Vec<_>>());
}

#[test]
fn a_convoy_is_judged_vehicle_by_vehicle() {
    let place = TASKS.iter().position(|task| task.id() == "Convoy").unwrap();
    let mut env = env(place, Options { vehicles: Some(3), ..quick() });
    let mut terms = [0.0; 9];
    for _ in 0..20 {
        let actions: Vec<f32> = (0..3).flat_map(|n| env.expert(n).unwrap()[..2].to_vec()).collect();
        env.step(&actions, &mut terms).unwrap();
    }
    let places: Vec<f64> = (0..3).map(|agent| env.figures(agent)[4]).collect();
    for (agent, terms) in terms.chunks(3).enumerate().skip(1) {
        let gap = places[agent - 1] - places[agent];
        // The row is straight: laterally the gap differs by millimeters.
        let expected = 1.0 - ((gap - 12.0).abs() / 8.0).min(1.0);
        assert!((terms[0] - expected).abs() < 2e-3, "{terms:?} {gap}");
    }
    assert!(env.expert(3).is_err());
}

#[test]
fn a_picture_follows_from_the_world_alone() {
    let options = Options { image: Some(16), ..quick() };
    let mut one = env(1, options.clone());
    let mut terms = [0.0; 4];
    for step in 0..6 {
        one.step(&action(step, 2), &mut terms).unwrap();
    }
    let [pixels, all] = [16 * 16, seen(&one).len()];
    let [image, depth] = [all - 4 * pixels, all - pixels];
    assert!(seen(&one).iter().all(|value| value.abs() <= 1.0));
    // The ground ahead of the vehicle is near; the top of the image is sky.
    let depth = &seen(&one)[depth..];
    assert!(depth[..16].iter().all(|far| *far == 1.0), "{:?}", &depth[..16]);
    assert!(depth[pixels - 16..].iter().all(|far| (0.0..0.4).contains(far)), "{depth:?}");
    // The restored environment reads the ground from scratch, the other one incrementally.
    let mut other = env(1, options);
    other.restore(&one.snapshot().unwrap()).unwrap();
    assert_eq!(seen(&one)[image..], seen(&other)[image..]);
    let before = seen(&one);
    one.step(&action(7, 2), &mut terms).unwrap();
    assert_ne!(seen(&one)[image..], before[image..]);
}

#[test]
fn a_lidar_measures_the_distance_to_level_ground() {
    const COLUMNS: usize = 64;
    let options = Options { lidar: Some(COLUMNS as u32), difficulty: 0.0, ..quick() };
    let flat = TASKS.iter().position(|task| task.id() == "SlipSpeed").unwrap();
    let mut one = env(flat, options.clone());
    let scan = |env: &Env| {
        let all = seen(env);
        all[all.len() - 16 * COLUMNS..].to_vec()
    };
    let ranges = scan(&one);
    let range = |beam: usize, column: usize| f64::from(ranges[beam * COLUMNS + column]);
    // Firings start at the rear and proceed to the left.
    for side in [COLUMNS / 4, 3 * COLUMNS / 4] {
        let height = |beam: usize| {
            let elevation = 15.0 - 2.0 * beam as f64;
            range(beam, side) * elevation.to_radians().sin()
        };
        // A stance inclined by 0.2 degrees changes the range of the flatter beam by 3 %.
        assert!((height(4) / height(0) - 1.0).abs() < 0.05, "{} {}", height(0), height(4));
        assert_eq!(range(15, side), 1.0);
    }
    let mut terms = [0.0; 3];
    one.step(&action(0, 2), &mut terms).unwrap();
    let mut other = env(flat, options);
    other.restore(&one.snapshot().unwrap()).unwrap();
    assert_eq!(scan(&one), scan(&other));
}
