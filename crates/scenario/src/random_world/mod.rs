//! What a surface of kind `random` holds: holes, barriers, rocks and trees, drawn by the
//! scenario's seed.
//!
//! Each thing has a stream of places; it takes the first where it touches nothing that stands
//! already, lies on the terrain and keeps away from where vehicles start and go. So numbers are
//! exact, and a thing's place does not hang on how many come after it. Then, if the world is to be
//! passable, whatever bars the way that is barred least is drawn on until it stands elsewhere.

mod extent;
mod passage;
mod species;

pub use passage::Journey;

use super::build::vehicle_specs;
use super::config::{Driver, RandomSurface, Species, Surface};
use super::fault::{Faults, Problem};
use super::ways::ways;
use super::{ScenarioFile, config};
use bekker_agent::{Form, Prop, PropKind};
use bekker_ground::terrain::{Face, Stamp};
use bekker_math::numeric::sin_cos;
use bekker_math::random::Stream;
use extent::{Extent, Field};
use passage::Passage;
use std::f64::consts::{PI, TAU};

/// Places that a thing is tried at.
const ATTEMPTS: u64 = 2000;
/// Numbers that a place and what belongs to it are made of.
const DRAWS: u64 = 8;
/// Room between the edges of two things, m.
const GAP: f64 = 0.5;
/// Room on either side of a vehicle on its way, m.
const BESIDE: f64 = 0.3;
/// Width and height of a barrier's foot, m.
const BARRIER: [f64; 2] = [0.61, 0.81];
/// Diameter of a rock of scale 1 as vehicles meet it, m.
const ROCK: f64 = 0.92;

/// A parabolic hole: z = -depth (1 - r²/radius²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// Its middle, m.
    pub centre: [f64; 2],
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
    /// Where it stands, m.
    pub place: [f64; 2],
    /// Diameter of its stem at breast height, m.
    pub diameter: f64,
    /// Height, m.
    pub height: f64,
    /// How it is turned, rad.
    pub heading: f64,
}

/// A rock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rock {
    /// Its middle, m.
    pub place: [f64; 2],
    /// Diameter, m.
    pub diameter: f64,
    /// How it is turned, rad.
    pub heading: f64,
}

/// A stretch of concrete barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Barrier {
    /// Its middle, m.
    pub place: [f64; 2],
    /// Direction along it, rad from x.
    pub heading: f64,
    /// Length, m.
    pub length: f64,
}

/// All that a random surface holds, each kind in the order of its draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomWorld {
    /// Holes.
    pub holes: Vec<Hole>,
    /// Trees.
    pub trees: Vec<Tree>,
    /// Rocks.
    pub rocks: Vec<Rock>,
    /// Barriers.
    pub barriers: Vec<Barrier>,
}

/// More than there is room for.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "asks for {count} {kind} on {} m by {} m, of which number {number} found no room in {ATTEMPTS} \
     places; ask for fewer or smaller ones, a larger size or a smaller clear",
    size[0], size[1]
)]
pub struct NoRoom {
    /// What: the name of its key.
    pub kind: &'static str,
    /// How many were asked for.
    pub count: u32,
    /// The first that found no room, counted from 1.
    pub number: u32,
    /// Extent of the surface, m.
    pub size: [f64; 2],
}

/// What a scenario's random surface holds; nothing where its surface is another.
///
/// # Errors
/// [`NoRoom`], at the key that asks for too many.
pub fn random_world(file: &ScenarioFile) -> Result<Option<RandomWorld>, Faults> {
    let Surface::Random(surface) = &file.scenario.terrain.surface else { return Ok(None) };
    // faults of the vehicles are told where they are built
    let specs = vehicle_specs(file).unwrap_or_default();
    let width = specs.iter().map(|spec| spec.footprint().width).fold(0.0, f64::max);
    let (kept, journeys) = (ways(&file.scenario), journeys(&file.scenario, width));
    let world = RandomWorld::draw(surface, file.scenario.seed, &kept, &journeys);
    world.map(Some).map_err(|error| {
        let key = format!("terrain.surface.{}", error.kind);
        file.document.fault(&key, Problem::Refused { cause: error.to_string() }).into()
    })
}

/// From where each vehicle starts to where its driver ends; whoever follows ends nowhere.
fn journeys(scenario: &config::Scenario, width: f64) -> Vec<Journey> {
    let journey = |vehicle: &config::Vehicle| match &vehicle.driver {
        Driver::Path { waypoints, .. } => {
            let to = *waypoints.last()?;
            Some(Journey { from: vehicle.position, to, width })
        }
        Driver::Autonomous { goal: Some(goal), .. } => {
            Some(Journey { from: vehicle.position, to: *goal, width })
        }
        _ => None,
    };
    scenario.vehicle.iter().filter_map(journey).collect()
}

impl RandomWorld {
    /// What `surface` holds by `seed`: nothing nearer to the `kept` places than it says, and, if
    /// it is to be passable, a way for each journey.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub fn draw(
        surface: &RandomSurface,
        seed: u64,
        kept: &[[f64; 2]],
        journeys: &[Journey],
    ) -> Result<RandomWorld, NoRoom> {
        let mut drawing = Drawing {
            surface,
            streams: Kind::ALL.map(|kind| Stream::new(seed, &format!("random {}", kind.key()))),
            field: Field::new(surface.size, kept, surface.clear),
            things: Vec::new(),
        };
        for kind in Kind::ALL {
            for number in 0..kind.count(surface) {
                let thing = drawing.place(kind, number, 0)?;
                drawing.field.add(thing.extent);
                drawing.things.push(thing);
            }
        }
        if surface.passable {
            drawing.open(journeys)?;
        }
        Ok(drawing.world())
    }

    /// Its holes as the terrain takes them.
    pub fn stamps(&self) -> impl Iterator<Item = Stamp> {
        self.holes.iter().map(|&Hole { centre, radius, depth }| {
            Stamp::hole(centre, radius, depth, radius).with_face(Face::Parabolic)
        })
    }

    /// What stands, as vehicles meet it and sensors see it.
    pub fn props(&self) -> impl Iterator<Item = Prop> {
        let prop = |kind: PropKind, place, heading, scale| {
            let form = Form::Kind(kind);
            Prop { form, place, heading, scale, solid: true, diameter: None, size: None }
        };
        let trees = self.trees.iter().map(move |tree| {
            let scale = tree.height / species::DRAWN;
            let own = prop(species::kind(tree.species), tree.place, tree.heading, scale);
            Prop { diameter: Some(tree.diameter), ..own }
        });
        let rocks = self
            .rocks
            .iter()
            .map(move |rock| prop(PropKind::Rock, rock.place, rock.heading, rock.diameter / ROCK));
        let barriers = self.barriers.iter().map(move |barrier| {
            let size = Some([barrier.length, BARRIER[0], BARRIER[1]]);
            Prop { size, ..prop(PropKind::Barrier, barrier.place, barrier.heading, 1.0) }
        });
        trees.chain(rocks).chain(barriers)
    }
}

/// What is drawn, the largest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Hole,
    Barrier,
    Rock,
    Tree,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Hole, Kind::Barrier, Kind::Rock, Kind::Tree];

    fn key(self) -> &'static str {
        match self {
            Kind::Hole => "holes",
            Kind::Barrier => "barriers",
            Kind::Rock => "rocks",
            Kind::Tree => "trees",
        }
    }

    /// How many there are to be.
    fn count(self, surface: &RandomSurface) -> u32 {
        let (count, density) = match self {
            Kind::Hole => (surface.holes.count, surface.holes.density),
            Kind::Barrier => (surface.barriers.count, surface.barriers.density),
            Kind::Rock => (surface.rocks.count, surface.rocks.density),
            Kind::Tree => (surface.trees.count, surface.trees.density),
        };
        let hectares = 1e-4 * surface.size[0] * surface.size[1];
        count.unwrap_or_else(|| (density.unwrap_or(0.0) * hectares).round() as u32)
    }
}

/// A thing at a place.
#[derive(Clone, Copy, Debug)]
struct Thing {
    kind: Kind,
    number: u32,
    /// At which of its places it stands.
    attempt: u64,
    extent: Extent,
}

/// A world in the making.
struct Drawing<'a> {
    surface: &'a RandomSurface,
    streams: [Stream; 4],
    field: Field,
    things: Vec<Thing>,
}

impl Drawing<'_> {
    /// A number in 0 to 1 of a thing at one of its places.
    fn draw(&self, kind: Kind, number: u32, attempt: u64, part: u64) -> f64 {
        let counter = (u64::from(number) * ATTEMPTS + attempt) * DRAWS + part;
        self.streams[kind as usize].uniform(counter)
    }

    /// What stays with a thing wherever it stands.
    fn own(&self, kind: Kind, number: u32, part: u64) -> f64 {
        self.draw(kind, number, 0, 4 + part)
    }

    /// A thing at the first of its places, from one on, where there is room for it.
    fn place(&self, kind: Kind, number: u32, from: u64) -> Result<Thing, NoRoom> {
        let of =
            |attempt| Thing { kind, number, attempt, extent: self.extent(kind, number, attempt) };
        let mut things = (from..ATTEMPTS).map(of);
        things.find(|thing| self.field.has_room(&thing.extent, GAP)).ok_or(NoRoom {
            kind: kind.key(),
            count: kind.count(self.surface),
            number: number + 1,
            size: self.surface.size,
        })
    }

    fn extent(&self, kind: Kind, number: u32, attempt: u64) -> Extent {
        let [width, depth] = self.surface.size;
        let middle = [
            width * (self.draw(kind, number, attempt, 0) - 0.5),
            depth * (self.draw(kind, number, attempt, 1) - 0.5),
        ];
        let radius = match kind {
            Kind::Hole => self.surface.holes.radius,
            Kind::Barrier => 0.5 * BARRIER[0],
            Kind::Rock => 0.5 * self.rock(number),
            Kind::Tree => 0.5 * self.tree(number).1,
        };
        let half = match kind {
            Kind::Barrier => {
                let (sine, cosine) = sin_cos(self.barrier_heading(number, attempt));
                // what is not round at its ends is as long with a round end
                let half = (0.5 * self.surface.barriers.length - radius).max(0.0);
                [half * cosine, half * sine]
            }
            _ => [0.0; 2],
        };
        Extent { middle, half, radius }
    }

    fn barrier_heading(&self, number: u32, attempt: u64) -> f64 {
        PI * self.draw(Kind::Barrier, number, attempt, 2)
    }

    fn rock(&self, number: u32) -> f64 {
        let [from, to] = self.surface.rocks.diameter;
        from + (to - from) * self.own(Kind::Rock, number, 0)
    }

    /// Species, diameter and height of a tree, m.
    fn tree(&self, number: u32) -> (Species, f64, f64) {
        let trees = &self.surface.trees;
        let own = |part: u64| self.own(Kind::Tree, number, part);
        let which = (own(0) * trees.species.len() as f64) as usize;
        let species = trees.species.get(which).copied().unwrap_or(Species::Oak);
        let [from, to] = trees.diameter;
        let diameter = from + (to - from) * own(1);
        (species, diameter, species::height(species, diameter) * species::scatter(own(2)))
    }

    /// Draws on what bars journeys until nothing does.
    fn open(&mut self, journeys: &[Journey]) -> Result<(), NoRoom> {
        let Some(width) = journeys.iter().map(|journey| journey.width).reduce(f64::max) else {
            return Ok(());
        };
        let beside = 0.5 * width + BESIDE;
        let extents: Vec<Extent> = self.things.iter().map(|thing| thing.extent).collect();
        let passage = Passage::new(self.surface.size, beside, &extents);
        if journeys.iter().all(|journey| passage.is_open(journey)) {
            return Ok(());
        }
        // the ways of all, so that what is put elsewhere bars no other
        let ways: Vec<[f64; 2]> =
            journeys.iter().flat_map(|journey| passage.least_barred(journey)).collect();
        let beside = passage.clearance();
        self.field.keep_off(&ways, beside);
        let barring: Vec<usize> = (0..self.things.len())
            .filter(|&index| !self.field.is_off_ways(&self.things[index].extent))
            .collect();
        barring.iter().for_each(|&index| self.field.remove(&self.things[index].extent));
        for index in barring {
            let Thing { kind, number, attempt, .. } = self.things[index];
            let thing = self.place(kind, number, attempt + 1)?;
            self.field.add(thing.extent);
            self.things[index] = thing;
        }
        Ok(())
    }

    fn world(&self) -> RandomWorld {
        let mut world = RandomWorld::default();
        for &Thing { kind, number, attempt, extent } in &self.things {
            let place = extent.middle;
            let heading = TAU * self.own(kind, number, 3);
            match kind {
                Kind::Hole => {
                    let depth = self.surface.holes.depth;
                    world.holes.push(Hole { centre: place, radius: extent.radius, depth });
                }
                Kind::Barrier => world.barriers.push(Barrier {
                    place,
                    heading: self.barrier_heading(number, attempt),
                    length: self.surface.barriers.length,
                }),
                Kind::Rock => {
                    world.rocks.push(Rock { place, diameter: self.rock(number), heading });
                }
                Kind::Tree => {
                    let (species, diameter, height) = self.tree(number);
                    world.trees.push(Tree { species, place, diameter, height, heading });
                }
            }
        }
        world
    }
}

#[cfg(test)]
mod tests;
