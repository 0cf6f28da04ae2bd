use super::*;
use crate::config::{RandomBarriers, RandomHoles, RandomRocks, RandomTrees};

/// A surface of 60 m by 40 m with objects of each kind.
fn surface() -> RandomSurface {
    RandomSurface {
        size: [60.0, 40.0],
        elevation: 0.0,
        amplitude: 0.0,
        wavelength: 40.0,
        octaves: 1,
        clear: 4.0,
        passable: true,
        holes: RandomHoles { count: Some(12), ..RandomHoles::default() },
        trees: RandomTrees { density: Some(80.0), ..RandomTrees::default() },
        rocks: RandomRocks { count: Some(6), ..RandomRocks::default() },
        barriers: RandomBarriers { count: Some(5), ..RandomBarriers::default() },
    }
}

const JOURNEY: RequiredPassage =
    RequiredPassage { from: [-28.0, -10.0], to: [28.0, 12.0], width: 1.5 };

fn drawn(surface: &RandomSurface, seed: u64) -> RandomWorld {
    let clear_points = [JOURNEY.from, JOURNEY.to];
    RandomWorld::draw(surface, seed, &clear_points, &[JOURNEY]).unwrap()
}

/// Footprints of all objects, computed independently of the code that draws them.
fn extents(world: &RandomWorld) -> Vec<Extent> {
    let disc = |middle, radius| Extent { middle, half: [0.0; 2], radius };
    let mut all: Vec<Extent> = world.holes.iter().map(|h| disc(h.center, h.radius)).collect();
    all.extend(world.rocks.iter().map(|r| disc(r.place, 0.5 * r.diameter)));
    all.extend(world.trees.iter().map(|t| disc(t.place, 0.5 * t.diameter)));
    all.extend(world.barriers.iter().map(|b| {
        let (sine, cosine) = sin_cos(b.heading);
        let radius = 0.5 * BARRIER[0];
        let half = 0.5 * b.length - radius;
        Extent { middle: b.place, half: [half * cosine, half * sine], radius }
    }));
    all
}

#[test]
fn the_same_seed_draws_the_same_and_another_another() {
    let surface = surface();
    assert_eq!(drawn(&surface, 3), drawn(&surface, 3));
    assert_ne!(drawn(&surface, 3).holes, drawn(&surface, 4).holes);
    // bitwise equal on every machine: a recorded position
    let [x, y] = drawn(&surface, 3).trees[0].place;
    assert_eq!([x.to_bits(), y.to_bits()], FIRST_TREE, "{x} {y}");
}

/// Bits of the position of the first tree of seed 3.
const FIRST_TREE: [u64; 2] = [13_849_973_848_681_646_810, 4_626_184_774_134_774_372];

#[test]
fn counts_are_exact_and_an_object_stays_when_others_are_added() {
    let surface = surface();
    let world = drawn(&surface, 11);
    // 80 per hectare on 2400 m²: 19.2
    let counts = [world.holes.len(), world.trees.len(), world.rocks.len(), world.barriers.len()];
    assert_eq!(counts, [12, 19, 6, 5]);
    let open = RandomSurface { passable: false, ..surface.clone() };
    let more = RandomSurface {
        trees: RandomTrees { density: Some(160.0), ..RandomTrees::default() },
        ..open.clone()
    };
    let [few, many] = [&open, &more].map(|surface| drawn(surface, 11));
    assert_eq!((&few.holes, &few.rocks), (&many.holes, &many.rocks));
    assert_eq!(few.trees[..], many.trees[..few.trees.len()]);
}

#[test]
fn nothing_touches_another_nor_comes_near_start_and_goal() {
    for seed in 0..50 {
        let world = drawn(&surface(), seed);
        let extents = extents(&world);
        for (index, one) in extents.iter().enumerate() {
            let [west, south, east, north] = one.bounds(0.0);
            assert!(west >= -30.0 && south >= -20.0 && east <= 30.0 && north <= 20.0, "{one:?}");
            for place in [JOURNEY.from, JOURNEY.to] {
                assert!(one.distance(place) >= 4.0 - 1e-9, "{one:?} of seed {seed}");
            }
            for other in &extents[..index] {
                // the distance samples one of the two at steps of half its radius, which may miss a
                // sagitta: r - sqrt(r² - (r/4)²) = 0.032 r, 10 mm for a barrier
                let middle = other.distance(one.middle) - one.radius;
                assert!(middle > GAP - 0.01 || one.half != [0.0; 2], "{one:?} {other:?}");
            }
        }
    }
}

/// Many barriers in a lane between start and goal, which block it for some seeds as drawn.
#[test]
fn two_hundred_seeds_have_a_path() {
    let lane = RandomSurface {
        size: [60.0, 20.0],
        holes: RandomHoles { count: Some(3), ..RandomHoles::default() },
        barriers: RandomBarriers { count: Some(16), length: 8.0, ..RandomBarriers::default() },
        ..surface()
    };
    let required = RequiredPassage { from: [-27.0, 0.0], to: [27.0, 1.0], width: 1.5 };
    let mut shut = 0;
    for seed in 0..200 {
        let draw = |passable| {
            let surface = RandomSurface { passable, ..lane.clone() };
            let clear_points = [required.from, required.to];
            RandomWorld::draw(&surface, seed, &clear_points, &[required]).unwrap()
        };
        let [as_drawn, opened] = [false, true].map(draw);
        let is_open = |world: &RandomWorld| {
            // an independent check: a finer grid than in the search, and the vehicle's width
            // without the lateral clearance
            is_passable(lane.size, &extents(world), &required)
        };
        shut += usize::from(!is_open(&as_drawn));
        assert!(is_open(&opened), "seed {seed}");
        assert_eq!(as_drawn.holes.len(), opened.holes.len());
    }
    assert!(shut > 5, "{shut} were shut as drawn: too few to show anything");
}

/// Whether a disc of the vehicle's width can move from start to goal in steps of 0.2 m.
fn is_passable(size: [f64; 2], objects: &[Extent], required: &RequiredPassage) -> bool {
    const STEP: f64 = 0.2;
    let cells = size.map(|length| (length / STEP) as usize);
    let at =
        |i: usize, j: usize| [i as f64 * STEP - 0.5 * size[0], j as f64 * STEP - 0.5 * size[1]];
    let free = |place: [f64; 2]| objects.iter().all(|t| t.distance(place) >= 0.5 * required.width);
    let index = |place: [f64; 2]| {
        [0, 1].map(|axis| ((place[axis] + 0.5 * size[axis]) / STEP).round() as usize)
    };
    let (start, goal) = (index(required.from), index(required.to));
    let mut seen = vec![false; cells[0] * cells[1]];
    let mut waiting = vec![start];
    while let Some([i, j]) = waiting.pop() {
        if [i, j] == goal {
            return true;
        }
        let steps = [(i.wrapping_sub(1), j), (i + 1, j), (i, j.wrapping_sub(1)), (i, j + 1)];
        for (i, j) in steps {
            if i < cells[0] && j < cells[1] && !seen[j * cells[0] + i] && free(at(i, j)) {
                seen[j * cells[0] + i] = true;
                waiting.push([i, j]);
            }
        }
    }
    false
}

#[test]
fn unplaceable_objects_are_reported_with_their_key() {
    let crowded = RandomHoles { count: Some(200), ..RandomHoles::default() };
    let surface = RandomSurface { holes: crowded, ..surface() };
    let error = RandomWorld::draw(&surface, 1, &[], &[]).unwrap_err();
    assert_eq!((error.kind, error.count), ("holes", 200));
    assert!(error.number > 40 && error.number < 120, "{error}");
}

#[test]
fn thousands_are_drawn_in_no_time_at_all() {
    let surface = RandomSurface {
        size: [2000.0, 2000.0],
        holes: RandomHoles { count: Some(10_000), ..RandomHoles::default() },
        ..surface()
    };
    let world = RandomWorld::draw(&surface, 1, &[], &[]).unwrap();
    assert_eq!((world.holes.len(), world.trees.len()), (10_000, 32_000));
}
