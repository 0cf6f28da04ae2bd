//! The objects on a surface of kind `random`: holes, barriers, rocks and trees, drawn from the
//! scenario's seed.
//!
//! Each object has its own stream of candidate positions. It takes the first one where it touches
//! no earlier object, is on the terrain and avoids the start points and paths of vehicles. So
//! counts are exact, and an object's position does not depend on how many objects are drawn after
//! it.
//!
//! If the world must be passable, the objects on the least blocked path of each journey are then
//! moved to later candidates.

mod extent;
mod passage;
mod species;

pub use passage::RequiredPassage;

use super::build::vehicle_specs;
use super::config::{DriverConfig, RandomSurface, Species, SurfaceConfig};
use super::diagnostic::{DiagnosticKind, Diagnostics};
use super::vehicle_points::vehicle_points;
use super::{ScenarioFile, config};
use bekker_agent::{PropForm, PropKind, SceneryObject};
use bekker_ground::terrain::{Stamp, StampFace};
use bekker_math::numeric::sin_cos;
use bekker_math::random::RandomStream;
use extent::{Extent, PlacementField};
use passage::PassageGrid;
use std::f64::consts::{PI, TAU};

/// Number of candidate positions per object.
const MAX_ATTEMPTS: u64 = 2000;
/// Number of random draws per candidate position.
const DRAWS: u64 = 8;
/// Minimum gap between the edges of two objects, m.
const GAP: f64 = 0.5;
/// Lateral clearance on each side of a moving vehicle, m.
const BESIDE: f64 = 0.3;
/// Width of the foot and height of a barrier, m.
const BARRIER: [f64; 2] = [0.61, 0.81];
/// Collision diameter of a rock of scale 1, m.
const ROCK: f64 = 0.92;

/// A parabolic hole: z = -depth (1 - r²/radius²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedHole {
    /// Center, m.
    pub center: [f64; 2],
    /// Radius of the rim, m.
    pub radius: f64,
    /// Depth, m.
    pub depth: f64,
}

/// A tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tree {
    /// Its species.
    pub species: Species,
    /// Position of the stem, m.
    pub place: [f64; 2],
    /// Diameter of its stem at breast height, m.
    pub diameter: f64,
    /// Height, m.
    pub height: f64,
    /// Heading, rad.
    pub heading: f64,
}

/// A rock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rock {
    /// Center, m.
    pub place: [f64; 2],
    /// Diameter, m.
    pub diameter: f64,
    /// Heading, rad.
    pub heading: f64,
}

/// A section of concrete barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedBarrier {
    /// Center, m.
    pub place: [f64; 2],
    /// Direction along it, rad from x.
    pub heading: f64,
    /// Length, m.
    pub length: f64,
}

/// All objects of a random surface, each kind in the order of its draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomWorld {
    /// Holes.
    pub holes: Vec<PlacedHole>,
    /// Trees.
    pub trees: Vec<Tree>,
    /// Rocks.
    pub rocks: Vec<Rock>,
    /// Barriers.
    pub barriers: Vec<PlacedBarrier>,
}

/// Error: too many objects for the available space.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "{count} {kind} do not fit on {} m by {} m: number {number} found no free position in \
     {MAX_ATTEMPTS} attempts; give fewer or smaller ones, a larger size or a smaller clear",
    size[0], size[1]
)]
pub struct PlacementError {
    /// Kind of the object: the name of its key.
    pub kind: &'static str,
    /// Requested number of objects.
    pub count: u32,
    /// The first object that found no free position, counted from 1.
    pub number: u32,
    /// Extent of the surface, m.
    pub size: [f64; 2],
}

/// Draws the objects of a scenario's random surface; `None` for other surfaces.
///
/// # Errors
/// [`PlacementError`], at the key with too large a number.
pub fn random_world(file: &ScenarioFile) -> Result<Option<RandomWorld>, Diagnostics> {
    let SurfaceConfig::Random(surface) = &file.scenario.terrain.surface else { return Ok(None) };
    // faults of vehicles are reported when the vehicles are built
    let specs = vehicle_specs(file).unwrap_or_default();
    let width = specs.iter().map(|spec| spec.footprint().width).fold(0.0, f64::max);
    let (clear_points, passages) =
        (vehicle_points(&file.scenario), passages(&file.scenario, width));
    let world = RandomWorld::draw(surface, file.scenario.seed, &clear_points, &passages);
    world.map(Some).map_err(|error| {
        let key = format!("terrain.surface.{}", error.kind);
        file.document.diagnostic(&key, DiagnosticKind::Refused { cause: error.to_string() }).into()
    })
}

/// Journeys from each vehicle's start to the end of its path; followers have none.
fn passages(scenario: &config::Scenario, width: f64) -> Vec<RequiredPassage> {
    let required = |vehicle: &config::VehicleConfig| match &vehicle.driver {
        DriverConfig::Path { waypoints, .. } => {
            let to = *waypoints.last()?;
            Some(RequiredPassage { from: vehicle.position, to, width })
        }
        DriverConfig::Autonomous { goal: Some(goal), .. } => {
            Some(RequiredPassage { from: vehicle.position, to: *goal, width })
        }
        _ => None,
    };
    scenario.vehicle.iter().filter_map(required).collect()
}

impl RandomWorld {
    /// Draws the objects of `surface` from `seed`.
    ///
    /// No object is closer to the `clear_points` points than the surface allows. If the surface
    /// must be passable, each journey has an open path.
    ///
    /// # Errors
    /// [`PlacementError`].
    pub fn draw(
        surface: &RandomSurface,
        seed: u64,
        clear_points: &[[f64; 2]],
        passages: &[RequiredPassage],
    ) -> Result<RandomWorld, PlacementError> {
        let mut drawing = WorldGenerator {
            surface,
            streams: ObjectKind::ALL
                .map(|kind| RandomStream::new(seed, &format!("random {}", kind.key()))),
            field: PlacementField::new(surface.size, clear_points, surface.clear),
            objects: Vec::new(),
        };
        for kind in ObjectKind::ALL {
            for number in 0..kind.count(surface) {
                let object = drawing.place_object(kind, number, 0)?;
                drawing.field.add(object.extent);
                drawing.objects.push(object);
            }
        }
        if surface.passable {
            drawing.open_passages(passages)?;
        }
        Ok(drawing.to_world())
    }

    /// Its holes as terrain stamps.
    pub fn stamps(&self) -> impl Iterator<Item = Stamp> {
        self.holes.iter().map(|&PlacedHole { center, radius, depth }| {
            Stamp::hole(center, radius, depth, radius).with_face(StampFace::Parabolic)
        })
    }

    /// Its obstacles as props, for collisions and sensors.
    pub fn props(&self) -> impl Iterator<Item = SceneryObject> {
        let prop = |kind: PropKind, place, heading, scale| {
            let form = PropForm::Kind(kind);
            SceneryObject { form, place, heading, scale, solid: true, diameter: None, size: None }
        };
        let trees = self.trees.iter().map(move |tree| {
            let scale = tree.height / species::DRAWN;
            let own = prop(species::kind(tree.species), tree.place, tree.heading, scale);
            SceneryObject { diameter: Some(tree.diameter), ..own }
        });
        let rocks = self
            .rocks
            .iter()
            .map(move |rock| prop(PropKind::Rock, rock.place, rock.heading, rock.diameter / ROCK));
        let barriers = self.barriers.iter().map(move |barrier| {
            let size = Some([barrier.length, BARRIER[0], BARRIER[1]]);
            SceneryObject { size, ..prop(PropKind::Barrier, barrier.place, barrier.heading, 1.0) }
        });
        trees.chain(rocks).chain(barriers)
    }
}

/// Kinds of objects in the order of drawing, the largest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ObjectKind {
    Hole,
    Barrier,
    Rock,
    Tree,
}

impl ObjectKind {
    const ALL: [ObjectKind; 4] =
        [ObjectKind::Hole, ObjectKind::Barrier, ObjectKind::Rock, ObjectKind::Tree];

    fn key(self) -> &'static str {
        match self {
            ObjectKind::Hole => "holes",
            ObjectKind::Barrier => "barriers",
            ObjectKind::Rock => "rocks",
            ObjectKind::Tree => "trees",
        }
    }

    /// Requested number of objects: a count, or a density per hectare times the area.
    fn count(self, surface: &RandomSurface) -> u32 {
        let (count, density) = match self {
            ObjectKind::Hole => (surface.holes.count, surface.holes.density),
            ObjectKind::Barrier => (surface.barriers.count, surface.barriers.density),
            ObjectKind::Rock => (surface.rocks.count, surface.rocks.density),
            ObjectKind::Tree => (surface.trees.count, surface.trees.density),
        };
        let hectares = 1e-4 * surface.size[0] * surface.size[1];
        count.unwrap_or_else(|| (density.unwrap_or(0.0) * hectares).round() as u32)
    }
}

/// An object at a position.
#[derive(Clone, Copy, Debug)]
struct WorldObject {
    kind: ObjectKind,
    number: u32,
    /// Index of its candidate position.
    attempt: u64,
    extent: Extent,
}

/// State while a world is drawn.
struct WorldGenerator<'a> {
    surface: &'a RandomSurface,
    streams: [RandomStream; 4],
    field: PlacementField,
    objects: Vec<WorldObject>,
}

impl WorldGenerator<'_> {
    /// Random number from 0 to 1 for an object at one of its candidate positions.
    fn draw(&self, kind: ObjectKind, number: u32, attempt: u64, part: u64) -> f64 {
        let counter = (u64::from(number) * MAX_ATTEMPTS + attempt) * DRAWS + part;
        self.streams[kind as usize].uniform(counter)
    }

    /// Random number from 0 to 1 for a property of an object that does not depend on its position.
    fn property(&self, kind: ObjectKind, number: u32, part: u64) -> f64 {
        self.draw(kind, number, 0, 4 + part)
    }

    /// Places an object at its first free candidate position, from index `from` on.
    fn place_object(
        &self,
        kind: ObjectKind,
        number: u32,
        from: u64,
    ) -> Result<WorldObject, PlacementError> {
        let of = |attempt| WorldObject {
            kind,
            number,
            attempt,
            extent: self.extent(kind, number, attempt),
        };
        let mut objects = (from..MAX_ATTEMPTS).map(of);
        objects.find(|object| self.field.is_free(&object.extent, GAP)).ok_or(PlacementError {
            kind: kind.key(),
            count: kind.count(self.surface),
            number: number + 1,
            size: self.surface.size,
        })
    }

    fn extent(&self, kind: ObjectKind, number: u32, attempt: u64) -> Extent {
        let [width, depth] = self.surface.size;
        let middle = [
            width * (self.draw(kind, number, attempt, 0) - 0.5),
            depth * (self.draw(kind, number, attempt, 1) - 0.5),
        ];
        let radius = match kind {
            ObjectKind::Hole => self.surface.holes.radius,
            ObjectKind::Barrier => 0.5 * BARRIER[0],
            ObjectKind::Rock => 0.5 * self.rock_diameter(number),
            ObjectKind::Tree => 0.5 * self.tree_properties(number).1,
        };
        let half = match kind {
            ObjectKind::Barrier => {
                let (sine, cosine) = sin_cos(self.barrier_heading(number, attempt));
                // a capsule of the same total length replaces the rectangular foot of the barrier
                let half = (0.5 * self.surface.barriers.length - radius).max(0.0);
                [half * cosine, half * sine]
            }
            _ => [0.0; 2],
        };
        Extent { middle, half, radius }
    }

    fn barrier_heading(&self, number: u32, attempt: u64) -> f64 {
        PI * self.draw(ObjectKind::Barrier, number, attempt, 2)
    }

    fn rock_diameter(&self, number: u32) -> f64 {
        let [from, to] = self.surface.rocks.diameter;
        from + (to - from) * self.property(ObjectKind::Rock, number, 0)
    }

    /// Species, diameter (m) and height (m) of a tree.
    fn tree_properties(&self, number: u32) -> (Species, f64, f64) {
        let trees = &self.surface.trees;
        let own = |part: u64| self.property(ObjectKind::Tree, number, part);
        let which = (own(0) * trees.species.len() as f64) as usize;
        let species = trees.species.get(which).copied().unwrap_or(Species::Oak);
        let [from, to] = trees.diameter;
        let diameter = from + (to - from) * own(1);
        (species, diameter, species::height(species, diameter) * species::scatter(own(2)))
    }

    /// Moves the objects that block journeys to later candidate positions.
    fn open_passages(&mut self, passages: &[RequiredPassage]) -> Result<(), PlacementError> {
        let Some(width) = passages.iter().map(|required| required.width).reduce(f64::max) else {
            return Ok(());
        };
        let lateral_clearance = 0.5 * width + BESIDE;
        let extents: Vec<Extent> = self.objects.iter().map(|object| object.extent).collect();
        let passage = PassageGrid::new(self.surface.size, lateral_clearance, &extents);
        if passages.iter().all(|required| passage.is_open(required)) {
            return Ok(());
        }
        // the paths of all journeys, so that a moved object blocks no other journey
        let paths: Vec<[f64; 2]> =
            passages.iter().flat_map(|required| passage.least_blocked_path(required)).collect();
        let lateral_clearance = passage.clearance();
        self.field.set_clear_paths(&paths, lateral_clearance);
        let blocking: Vec<usize> = (0..self.objects.len())
            .filter(|&index| !self.field.is_clear_of_paths(&self.objects[index].extent))
            .collect();
        blocking.iter().for_each(|&index| self.field.remove(&self.objects[index].extent));
        for index in blocking {
            let WorldObject { kind, number, attempt, .. } = self.objects[index];
            let object = self.place_object(kind, number, attempt + 1)?;
            self.field.add(object.extent);
            self.objects[index] = object;
        }
        Ok(())
    }

    fn to_world(&self) -> RandomWorld {
        let mut world = RandomWorld::default();
        for &WorldObject { kind, number, attempt, extent } in &self.objects {
            let place = extent.middle;
            let heading = TAU * self.property(kind, number, 3);
            match kind {
                ObjectKind::Hole => {
                    let depth = self.surface.holes.depth;
                    world.holes.push(PlacedHole { center: place, radius: extent.radius, depth });
                }
                ObjectKind::Barrier => world.barriers.push(PlacedBarrier {
                    place,
                    heading: self.barrier_heading(number, attempt),
                    length: self.surface.barriers.length,
                }),
                ObjectKind::Rock => {
                    world.rocks.push(Rock { place, diameter: self.rock_diameter(number), heading });
                }
                ObjectKind::Tree => {
                    let (species, diameter, height) = self.tree_properties(number);
                    world.trees.push(Tree { species, place, diameter, height, heading });
                }
            }
        }
        world
    }
}

#[cfg(test)]
mod tests;
