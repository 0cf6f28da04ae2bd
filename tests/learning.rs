//! Environments: a function of task, options, seed and actions alone.

use bekker::learning::{Autoreset, Batch, Env, LearningError, Levels, Options, TASKS, Transitions};
use rayon::ThreadPoolBuilder;
use std::sync::Arc;

/// Rigid tyres, coarse nodes, long steps: as quick as it gets.
fn quick() -> Options {
    Options { flexible_tyres: false, spacing: 0.1, step: 0.005, levels: 2, ..Options::default() }
}

/// Actions that steer and drive and brake, the same for every environment.
fn action(step: usize, wide: usize) -> Vec<f32> {
    let phase = step as f32;
    [(0.3 * phase).sin(), 0.6 - 0.2 * (step % 5) as f32, 1.0][..wide].to_vec()
}

fn driven(task: &str, envs: usize, threads: usize) -> Vec<Vec<u32>> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut batch = Batch::new(task, quick(), envs, Some(4)).unwrap();
        let seeds: Vec<_> = (0..envs as u64).map(|n| Some(40 + n)).collect();
        let mut out = Transitions::default();
        batch.reset(&seeds, &vec![true; envs], None, &mut out).unwrap();
        let wide = batch.levels().task().actions();
        let size = batch.observation_size();
        let steps = (0..7).map(|step| {
            let actions = action(step, wide).repeat(envs);
            batch.step(&actions, Autoreset::SameStep, &mut out).unwrap();
            let first = out.observations[..size].iter().map(|value| value.to_bits());
            first.chain([out.rewards[0].to_bits() as u32]).collect()
        });
        steps.collect()
    })
}

#[test]
fn an_environment_knows_nothing_of_threads_and_neighbours() {
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
    let mut room = vec![0.0; env.observation_size()];
    env.observe(&mut room).unwrap();
    room
}

#[test]
fn a_snapshot_goes_the_same_way_and_a_foreign_one_changes_nothing() {
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
    assert!(matches!(foreign.restore(&snapshot), Err(LearningError::Snapshot { .. })));
    assert!(foreign.restore(&snapshot[..snapshot.len() / 2]).is_err());
    assert_eq!(foreign.snapshot().unwrap(), before);
}

#[test]
fn what_is_seen_is_within_one_and_of_its_size() {
    for task in 0..TASKS.len() {
        let mut env = env(task, Options { soil_visible: true, noise: 0.5, ..quick() });
        let mut terms = vec![0.0; env.task().terms().len()];
        for step in 0..5 {
            let wide = env.task().actions();
            let step = env.step(&action(step, wide), &mut terms).unwrap();
            assert_eq!(step.reward, terms.iter().sum::<f64>());
            assert!(seen(&env).iter().all(|value| value.abs() <= 1.0));
        }
    }
}

#[test]
fn a_levels_number_decides_it_whatever_was_driven_before() {
    let options = Options { levels: 1000, ..quick() };
    let mut one = env(1, options.clone());
    one.reset(None, Some(17)).unwrap();
    let mut other = env(1, options);
    other.reset(Some(99), Some(17)).unwrap();
    assert_eq!(seen(&one), seen(&other));
    let numbers = |seed| {
        let mut env = env(0, Options { levels: 1000, ..quick() });
        env.reset(Some(seed), None).unwrap();
        env.figures()[6]
    };
    assert_eq!(numbers(5), numbers(5));
    assert_ne!(numbers(5), numbers(6));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let told = |options| Levels::new(TASKS[0], options).unwrap_err().to_string();
    let refused = told(Options { difficulty: 1.5, ..quick() });
    assert_eq!(refused, "difficulty = 1.5: must be from 0 to 1");
    assert!(told(Options { vehicle: "m113".into(), ..quick() }).contains("four wheels"));
    assert!(told(Options { soil: Some("cheese".into()), ..quick() }).contains("cheese"));
    assert!(Batch::new("HardGoal", quick(), 1, None).unwrap_err().to_string().contains("SoftGoal"));
    let mut env = env(0, quick());
    let before = env.snapshot().unwrap();
    let wrong = env.step(&[f32::NAN, 0.0], &mut [0.0; 3]);
    assert!(matches!(wrong, Err(LearningError::Action { index: 0, .. })));
    assert_eq!(env.snapshot().unwrap(), before);
}
