//! The immutable model: bodies, joints, closures, elements, and the precomputed indices of a step.

use super::closure::Closure;
use super::element::Element;
use super::factor::FactorPlan;
use super::joint::Joint;
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::{Mat3, Vec3};
use std::collections::BTreeSet;

/// Identifier of a body of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub(super) u32);

impl BodyId {
    /// The fixed world.
    pub const WORLD: BodyId = BodyId(u32::MAX);

    /// Returns the index in the model's arrays; `None` for the world.
    pub fn index(self) -> Option<usize> {
        (self != BodyId::WORLD).then_some(self.0 as usize)
    }
}

/// Identifier of a velocity coordinate of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coordinate(pub(super) u32);

impl Coordinate {
    /// Returns the index in [`super::MultibodyState::u`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Identifier of a rotating inertia with one degree of freedom, outside the tree of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShaftId(pub(super) u32);

/// Mass, center of mass and inertia tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Center of mass, in the assembly configuration and the model's axes, m.
    pub com: Vec3,
    /// Inertia about the center of mass in the model's axes, kg m².
    pub tensor: Mat3,
}

impl Inertia {
    /// Builds an inertia from principal moments along the model's axes.
    pub fn principal(mass: f64, com: Vec3, moments: [f64; 3]) -> Inertia {
        Inertia { mass, com, tensor: Mat3::from_diagonal(&Vec3::from(moments)) }
    }

    /// Returns zero inertia, for an intermediate body of a compound joint.
    pub fn none() -> Inertia {
        Inertia { mass: 0.0, com: Vec3::zeros(), tensor: Mat3::zeros() }
    }
}

/// Description of a body. In the assembly configuration every body's axes are the model's.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name, for messages.
    pub name: String,
    /// Parent body, or the world.
    pub parent: BodyId,
    /// Joint to the parent.
    pub joint: Joint,
    /// Position of the joint, m.
    pub anchor: Vec3,
    /// Origin of the body's frame, m.
    pub origin: Vec3,
    /// Inertia of the body.
    pub inertia: Inertia,
}

/// Why a model cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A free joint below another body.
    #[error("body '{body}' has a free joint but is attached to another body")]
    FreeChild {
        /// Name of the body.
        body: String,
    },
    /// A mass that is negative or not finite.
    #[error("body '{body}' has a mass of {mass} kg; must be finite and not negative")]
    Mass {
        /// Name of the body.
        body: String,
        /// The mass.
        mass: f64,
    },
    /// A shaft whose inertia is not positive and finite.
    #[error("shaft {index} has an inertia of {inertia} kg m²; must be finite and positive")]
    ShaftInertia {
        /// Index of the shaft.
        index: usize,
        /// The inertia.
        inertia: f64,
    },
    /// A rod or a line of zero length.
    #[error("'{a}' and '{b}' are connected by a line of zero length")]
    NoLength {
        /// One body.
        a: String,
        /// The other body.
        b: String,
    },
}

/// A body as a step uses it.
#[derive(Clone, Debug)]
pub(super) struct TreeBody {
    pub parent: Option<usize>,
    pub joint: Joint,
    /// joint in the parent's frame
    pub anchor: Vec3,
    /// body origin from the joint, body axes
    pub offset: Vec3,
    pub first: usize,
    pub position: usize,
    pub mass: f64,
    /// center of mass from the body's origin, body axes
    pub com: Vec3,
    pub tensor: Mat3,
    /// coordinates that move the body, its own first, towards the root
    pub path: Vec<u32>,
    /// how many of them, at the end, belong to the first body, if that is free
    pub afloat: usize,
}

/// One scalar row over the coordinates, of a closure or an element.
#[derive(Clone, Debug)]
pub(super) struct JacobianRow {
    /// coordinates of the row, ascending
    pub slots: Vec<u32>,
    /// slot, sign, pair: the wrench of a pair of bodies on the coordinate's motion
    pub bodies: Vec<(u32, f64, u32)>,
    /// slot of each weight
    pub weights: Vec<u32>,
    /// first entry in the Jacobian array
    pub start: usize,
}

/// A point or an axis of a body, in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyVector {
    pub body: Option<usize>,
    pub local: Vec3,
}

/// Geometry of a closure or an element.
#[derive(Clone, Debug)]
pub(super) enum Geometry {
    Point(BodyVector, BodyVector),
    Distance(BodyVector, BodyVector, f64),
    Angle(BodyVector, BodyVector, f64),
    Gear { weights: usize, spins: Vec<BodyVector> },
    Drive { position: usize, target: usize },
    Line(BodyVector, BodyVector),
    Band { ends: (BodyVector, BodyVector), weights: Vec<f64>, positions: Vec<usize> },
    Axial(BodyVector, BodyVector, BodyVector),
    Rates { weights: Vec<f64>, positions: Vec<Option<usize>> },
}

/// Bodies, joints, closures and elements, with the precomputed indices of a step; immutable.
#[derive(Clone, Debug)]
pub struct MultibodyModel {
    pub(super) links: Vec<TreeBody>,
    pub(super) names: Vec<String>,
    pub(super) shafts: Vec<(usize, usize, f64)>,
    pub(super) coordinates: usize,
    pub(super) positions: usize,
    pub(super) closures: Vec<(Geometry, usize)>,
    pub(super) closure_rows: Vec<JacobianRow>,
    pub(super) closure_entries: Vec<u32>,
    pub(super) elements: Vec<(Geometry, JacobianRow)>,
    pub(super) element_entries: Vec<u32>,
    /// pairs of bodies that may touch, with the offset of their entries
    pub(super) touching: Vec<(JacobianRow, usize)>,
    pub(super) touch_entries: Vec<u32>,
    pub(super) mass_entries: Vec<u32>,
    pub(super) diagonal: Vec<u32>,
    pub(super) jacobian_len: usize,
    pub(super) gear_weights: Vec<f64>,
    pub(super) gear_start: Vec<usize>,
    pub(super) drives: Vec<usize>,
    pub(super) loaded: Vec<usize>,
    /// for each loaded body, the coordinate that conveys its surface
    pub(super) conveyor: Vec<Option<usize>>,
    pub(super) conveyor_entries: Vec<u32>,
    pub(super) symbolic: FactorPlan,
    /// Acceleration of gravity, m/s², downward.
    pub(super) gravity: f64,
}

/// Collects the parts of a model.
///
/// The indices that its methods return are those of the [`super::MultibodyWorkspace`]'s arrays.
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    bodies: Vec<Body>,
    first: Vec<usize>,
    position: Vec<usize>,
    shafts: Vec<(usize, usize, f64)>,
    coordinates: usize,
    positions: usize,
    closures: Vec<Closure>,
    elements: Vec<Element>,
    touching: Vec<(BodyId, BodyId)>,
    loaded: Vec<usize>,
    conveyor: Vec<Option<usize>>,
}

/// Contribution of closures to the equations.
struct ClosureRows {
    closures: Vec<(Geometry, usize)>,
    rows: Vec<JacobianRow>,
    gear_weights: Vec<f64>,
    gear_start: Vec<usize>,
    drives: Vec<usize>,
    jacobian_len: usize,
}

impl ModelBuilder {
    /// Adds a body; its parent must have been added before.
    pub fn body(&mut self, body: Body) -> BodyId {
        self.first.push(self.coordinates);
        self.position.push(self.positions);
        self.coordinates += body.joint.freedoms();
        self.positions += body.joint.positions();
        self.bodies.push(body);
        BodyId(self.bodies.len() as u32 - 1)
    }

    /// Adds a shaft of the given inertia, kg m².
    pub fn shaft(&mut self, inertia: f64) -> ShaftId {
        self.shafts.push((self.coordinates, self.positions, inertia));
        self.coordinates += 1;
        self.positions += 1;
        ShaftId(self.shafts.len() as u32 - 1)
    }

    /// Returns the first coordinate of a body's joint.
    pub fn coordinate(&self, body: BodyId) -> Coordinate {
        Coordinate(self.first[body.0 as usize] as u32)
    }

    /// Returns one of the coordinates of a body's joint, counted from 0.
    pub fn coordinate_of(&self, body: BodyId, freedom: usize) -> Coordinate {
        Coordinate((self.first[body.0 as usize] + freedom) as u32)
    }

    /// Returns the coordinate of a shaft.
    pub fn shaft_coordinate(&self, shaft: ShaftId) -> Coordinate {
        Coordinate(self.shafts[shaft.0 as usize].0 as u32)
    }

    /// Adds a closure and returns its index.
    pub fn closure(&mut self, closure: Closure) -> usize {
        self.closures.push(closure);
        self.closures.len() - 1
    }

    /// Adds an element and returns its index.
    pub fn element(&mut self, element: Element) -> usize {
        self.elements.push(element);
        self.elements.len() - 1
    }

    /// Declares two bodies that may touch and returns the index of the pair.
    ///
    /// Points and directions of contact are set in each step ([`MultibodyModel::touch`]).
    pub fn touching(&mut self, a: BodyId, b: BodyId) -> usize {
        self.touching.push((a, b));
        self.touching.len() - 1
    }

    /// Adds a [`bekker_math::spatial::Load`] on a body about its origin and returns the index.
    pub fn loaded(&mut self, body: BodyId) -> usize {
        self.loaded.push(body.0 as usize);
        self.conveyor.push(None);
        self.loaded.len() - 1
    }

    /// Adds a load on a surface that moves over a body, like a track, and returns the index.
    ///
    /// The surface moves relative to the body along [`super::MultibodyWorkspace::conveyance`]
    /// at the rate of a shaft.
    pub fn conveying(&mut self, body: BodyId, shaft: ShaftId) -> usize {
        self.loaded.push(body.0 as usize);
        self.conveyor.push(Some(self.shafts[shaft.0 as usize].0));
        self.loaded.len() - 1
    }

    fn name(&self, body: BodyId) -> String {
        body.index().map_or("world".into(), |i| self.bodies[i].name.clone())
    }

    fn fixed(&self, body: BodyId, point: Vec3) -> BodyVector {
        match body.index() {
            Some(i) => BodyVector { body: Some(i), local: point - self.bodies[i].origin },
            None => BodyVector { body: None, local: point },
        }
    }

    fn axis(&self, body: BodyId, axis: Vec3) -> BodyVector {
        BodyVector { body: body.index(), local: axis.normalize() }
    }

    fn rods(&self) -> impl Iterator<Item = (BodyId, Vec3, BodyId, Vec3)> + '_ {
        let closures = self.closures.iter().filter_map(|closure| match *closure {
            Closure::Distance { a, point_a, b, point_b } => Some((a, point_a, b, point_b)),
            _ => None,
        });
        let elements = self.elements.iter().filter_map(|element| match *element {
            Element::Line { a, point_a, b, point_b } => Some((a, point_a, b, point_b)),
            Element::Band { a, point_a, b, point_b, .. } => Some((a, point_a, b, point_b)),
            _ => None,
        });
        closures.chain(elements)
    }

    fn check(&self) -> Result<(), ModelError> {
        for body in &self.bodies {
            let mass = body.inertia.mass;
            if !(mass.is_finite() && mass >= 0.0) {
                return Err(ModelError::Mass { body: body.name.clone(), mass });
            }
            if body.joint == Joint::Free && body.parent != BodyId::WORLD {
                return Err(ModelError::FreeChild { body: body.name.clone() });
            }
        }
        for (index, &(_, _, inertia)) in self.shafts.iter().enumerate() {
            if !(inertia.is_finite() && inertia > 0.0) {
                return Err(ModelError::ShaftInertia { index, inertia });
            }
        }
        for (a, point_a, b, point_b) in self.rods() {
            if (point_a - point_b).norm() <= 0.0 {
                return Err(ModelError::NoLength { a: self.name(a), b: self.name(b) });
            }
        }
        Ok(())
    }

    /// Builds the model.
    pub fn build(self) -> Result<MultibodyModel, ModelError> {
        self.check()?;
        let links = self.links();
        let closed = self.closed(&links);
        let (elements, jacobian_len) = self.sprung(&links, closed.jacobian_len);
        let touching = self.touched(&links);
        let n = self.coordinates;
        let total = n + closed.rows.len();
        let touches = touching.iter().map(|(row, _)| row);
        let rows = elements.iter().map(|(_, row)| row).chain(touches);
        let pairs = self.coupled(&links, &closed, rows);
        let symbolic = FactorPlan::new(total, n, &pairs);
        let mut conveyor_entries = Vec::new();
        for (conveyor, path) in self.conveyed(&links) {
            conveyor_entries.extend(path.iter().map(|&k| {
                let (i, j) = ordered(conveyor, k as usize);
                symbolic.entry_index(i, j)
            }));
        }
        let mut mass_entries = Vec::new();
        for link in links.iter().rev() {
            for_each_mass_pair(link, |i, j| mass_entries.push(symbolic.entry_index(i, j)));
        }
        let mut element_entries = Vec::new();
        for (_, row) in &elements {
            for_each_row_pair(row, |i, j| element_entries.push(symbolic.entry_index(i, j)));
        }
        let mut touch_entries = Vec::new();
        for (row, _) in &touching {
            for_each_row_pair(row, |i, j| touch_entries.push(symbolic.entry_index(i, j)));
        }
        let mut closure_entries = Vec::new();
        for (index, row) in closed.rows.iter().enumerate() {
            for &slot in &row.slots {
                closure_entries.push(symbolic.entry_index(n + index, slot as usize));
            }
        }
        let diagonal = (0..total).map(|v| symbolic.entry_index(v, v)).collect();
        let ClosureRows { closures, rows: closure_rows, gear_weights, gear_start, drives, .. } =
            closed;
        Ok(MultibodyModel {
            gravity: GRAVITY,
            names: self.bodies.iter().map(|body| body.name.clone()).collect(),
            links,
            shafts: self.shafts,
            coordinates: n,
            positions: self.positions,
            closures,
            closure_rows,
            closure_entries,
            elements,
            element_entries,
            touching,
            touch_entries,
            mass_entries,
            diagonal,
            jacobian_len,
            gear_weights,
            gear_start,
            drives,
            loaded: self.loaded,
            conveyor: self.conveyor,
            conveyor_entries,
            symbolic,
        })
    }

    /// The velocity rows of the closures, in order.
    fn closed(&self, links: &[TreeBody]) -> ClosureRows {
        let mut gear_weights = Vec::new();
        let mut gear_start = Vec::new();
        let mut drives = Vec::new();
        let mut closures = Vec::new();
        let mut closure_rows: Vec<JacobianRow> = Vec::new();
        let mut jacobian_len = 0;
        for closure in &self.closures {
            let (geometry, pairs, rates): (_, Vec<_>, &[(Coordinate, f64)]) = match closure {
                Closure::Point { a, b, point } => (
                    Geometry::Point(self.fixed(*a, *point), self.fixed(*b, *point)),
                    vec![(*a, *b)],
                    &[],
                ),
                Closure::Distance { a, point_a, b, point_b } => {
                    let length = (point_a - point_b).norm();
                    let ends = (self.fixed(*a, *point_a), self.fixed(*b, *point_b));
                    (Geometry::Distance(ends.0, ends.1, length), vec![(*a, *b)], &[])
                }
                Closure::Angle { a, axis_a, b, axis_b } => {
                    let axes = (self.axis(*a, *axis_a), self.axis(*b, *axis_b));
                    let cosine = axes.0.local.dot(&axes.1.local);
                    (Geometry::Angle(axes.0, axes.1, cosine), vec![(*a, *b)], &[])
                }
                Closure::Gear { rates, spins } => {
                    let weights = gear_weights.len();
                    gear_start.push(weights);
                    gear_weights.extend(rates.iter().map(|&(_, weight)| weight));
                    let pairs = spins.iter().map(|&(a, b, ..)| (a, b)).collect();
                    let spins = spins
                        .iter()
                        .map(|&(a, _, axis, scale)| BodyVector {
                            body: a.index(),
                            local: axis.normalize() * scale,
                        })
                        .collect();
                    (Geometry::Gear { weights, spins }, pairs, rates)
                }
                Closure::Drive { coordinate } => {
                    let position = self.scalar_position(*coordinate);
                    let target = drives.len();
                    let position = position.expect("a drive needs a scalar coordinate");
                    drives.push(position);
                    let geometry = Geometry::Drive { position, target };
                    closures.push((geometry, closure_rows.len()));
                    closure_rows.push(JacobianRow {
                        slots: vec![coordinate.0],
                        bodies: Vec::new(),
                        weights: vec![0],
                        start: jacobian_len,
                    });
                    jacobian_len += 1;
                    continue;
                }
            };
            closures.push((geometry, closure_rows.len()));
            for _ in 0..closure.rows() {
                let row = row(links, &pairs, rates, jacobian_len);
                jacobian_len += row.slots.len();
                closure_rows.push(row);
            }
        }
        ClosureRows { closures, rows: closure_rows, gear_weights, gear_start, drives, jacobian_len }
    }

    /// The elements with their rows, which start in the Jacobian at `start`, and the new length of
    /// the Jacobian.
    fn sprung(&self, links: &[TreeBody], start: usize) -> (Vec<(Geometry, JacobianRow)>, usize) {
        let mut jacobian_len = start;
        let mut elements = Vec::new();
        for element in &self.elements {
            let (geometry, a, b, rates): (_, _, _, &[(Coordinate, f64)]) = match element {
                Element::Line { a, point_a, b, point_b } => {
                    let ends = (self.fixed(*a, *point_a), self.fixed(*b, *point_b));
                    (Geometry::Line(ends.0, ends.1), *a, *b, &[])
                }
                Element::Axial { a, point_a, b, point_b, axis } => {
                    let ends = (self.fixed(*a, *point_a), self.fixed(*b, *point_b));
                    (Geometry::Axial(ends.0, ends.1, self.axis(*b, *axis)), *a, *b, &[])
                }
                Element::Band { a, point_a, b, point_b, rates } => {
                    let ends = (self.fixed(*a, *point_a), self.fixed(*b, *point_b));
                    let weights = rates.iter().map(|&(_, weight)| weight).collect();
                    let positions = rates.iter().filter_map(|&(c, _)| self.scalar_position(c));
                    let positions = positions.collect();
                    (Geometry::Band { ends, weights, positions }, *a, *b, rates)
                }
                Element::Rates { rates } => {
                    let weights = rates.iter().map(|&(_, weight)| weight).collect();
                    let positions = rates.iter().map(|&(c, _)| self.scalar_position(c)).collect();
                    let world = BodyId::WORLD;
                    (Geometry::Rates { weights, positions }, world, world, rates)
                }
            };
            let row = row(links, &[(a, b)], rates, jacobian_len);
            jacobian_len += row.slots.len();
            elements.push((geometry, row));
        }
        (elements, jacobian_len)
    }

    /// The pairs that may touch, each with the offset of its entries.
    fn touched(&self, links: &[TreeBody]) -> Vec<(JacobianRow, usize)> {
        let mut touching = Vec::new();
        let mut touch_entries = 0;
        for &(a, b) in &self.touching {
            let row = row(links, &[(a, b)], &[], 0);
            let length = row.slots.len();
            touching.push((row, touch_entries));
            touch_entries += length * (length + 1) / 2;
        }
        touching
    }

    /// Nonzero entries of the equations, as pairs of unknowns.
    ///
    /// Masses, `rows` of elements and touches, closures, and conveyors couple unknowns.
    fn coupled<'a>(
        &self,
        links: &[TreeBody],
        closed: &ClosureRows,
        rows: impl Iterator<Item = &'a JacobianRow>,
    ) -> BTreeSet<(usize, usize)> {
        let n = self.coordinates;
        let mut pairs = BTreeSet::new();
        for link in links {
            for_each_mass_pair(link, |i, j| {
                pairs.insert((i, j));
            });
        }
        for row in rows {
            for_each_row_pair(row, |i, j| {
                pairs.insert((i, j));
            });
        }
        for (index, row) in closed.rows.iter().enumerate() {
            for &slot in &row.slots {
                pairs.insert((n + index, slot as usize));
            }
        }
        for (conveyor, path) in self.conveyed(links) {
            pairs.insert((conveyor, conveyor));
            pairs.extend(path.iter().map(|&k| ordered(conveyor, k as usize)));
        }
        pairs
    }

    /// Loaded bodies with a conveyed surface: the shaft's coordinate, and the unknowns that move
    /// the body.
    fn conveyed<'a>(&'a self, links: &'a [TreeBody]) -> impl Iterator<Item = (usize, &'a [u32])> {
        let carried = self.loaded.iter().zip(&self.conveyor);
        carried.filter_map(|(&body, &conveyor)| Some((conveyor?, &*links[body].path)))
    }

    fn links(&self) -> Vec<TreeBody> {
        let mut links: Vec<TreeBody> = Vec::new();
        for (index, body) in self.bodies.iter().enumerate() {
            let parent = body.parent.index();
            let parent_origin = parent.map_or(Vec3::zeros(), |p| self.bodies[p].origin);
            let first = self.first[index];
            let mut path: Vec<u32> =
                (0..body.joint.freedoms()).rev().map(|freedom| (first + freedom) as u32).collect();
            if let Some(parent) = parent {
                path.extend_from_slice(&links[parent].path);
            }
            let afloat = match (parent, body.joint) {
                (Some(parent), _) => links[parent].afloat,
                (None, Joint::Free) if index == 0 => 6,
                _ => 0,
            };
            links.push(TreeBody {
                parent,
                afloat,
                joint: match body.joint {
                    Joint::Revolute(axis) => Joint::Revolute(axis.normalize()),
                    Joint::Prismatic(axis) => Joint::Prismatic(axis.normalize()),
                    Joint::Schoenflies(axis) => Joint::Schoenflies(axis.normalize()),
                    other => other,
                },
                anchor: body.anchor - parent_origin,
                offset: body.origin - body.anchor,
                first,
                position: self.position[index],
                mass: body.inertia.mass,
                com: body.inertia.com - body.origin,
                tensor: body.inertia.tensor,
                path,
            });
        }
        links
    }

    /// Index of a coordinate's position, if it is a single number.
    fn scalar_position(&self, coordinate: Coordinate) -> Option<usize> {
        let index = coordinate.index();
        if let Some(&(_, position, _)) = self.shafts.iter().find(|shaft| shaft.0 == index) {
            return Some(position);
        }
        let body = self.first.partition_point(|&first| first <= index) - 1;
        let freedom = index - self.first[body];
        self.bodies[body].joint.is_scalar().then(|| self.position[body] + freedom)
    }
}

/// Visits the pairs of coordinates that move a common body.
///
/// Each of the joint's own coordinates is paired with itself and all that precede it towards the
/// root.
fn for_each_mass_pair(link: &TreeBody, mut visit: impl FnMut(usize, usize)) {
    for own in 0..link.joint.freedoms() {
        for &other in &link.path[own..] {
            visit(link.path[own] as usize, other as usize);
        }
    }
}

/// An entry below the diagonal.
fn ordered(i: usize, j: usize) -> (usize, usize) {
    (i.max(j), i.min(j))
}

fn for_each_row_pair(row: &JacobianRow, mut visit: impl FnMut(usize, usize)) {
    for (k, &i) in row.slots.iter().enumerate() {
        for &j in &row.slots[..=k] {
            visit(i as usize, j as usize);
        }
    }
}

/// A row over the named coordinates and those that move only one body of a pair.
///
/// Coordinates that move both bodies of a pair cancel. This confines the loop of a suspension to
/// its own corner.
fn row(
    links: &[TreeBody],
    pairs: &[(BodyId, BodyId)],
    rates: &[(Coordinate, f64)],
    start: usize,
) -> JacobianRow {
    let path = |body: BodyId| body.index().map_or(&[][..], |i| &links[i].path[..]);
    let mut signed: Vec<(u32, f64, u32)> = Vec::new();
    for (pair, &(a, b)) in pairs.iter().enumerate() {
        let (path_a, path_b) = (path(a), path(b));
        let only = |own: &[u32], other: &[u32]| -> Vec<u32> {
            own.iter().copied().filter(|c| !other.contains(c)).collect()
        };
        signed.extend(only(path_a, path_b).into_iter().map(|c| (c, 1.0, pair as u32)));
        signed.extend(only(path_b, path_a).into_iter().map(|c| (c, -1.0, pair as u32)));
    }
    let named = rates.iter().map(|&(c, _)| c.0);
    let slots: BTreeSet<u32> = signed.iter().map(|&(c, ..)| c).chain(named).collect();
    let slots: Vec<u32> = slots.into_iter().collect();
    let slot_of = |c: u32| slots.binary_search(&c).expect("gathered above") as u32;
    JacobianRow {
        bodies: signed.iter().map(|&(c, sign, pair)| (slot_of(c), sign, pair)).collect(),
        weights: rates.iter().map(|&(c, _)| slot_of(c.0)).collect(),
        slots,
        start,
    }
}

impl MultibodyModel {
    /// Returns the acceleration of gravity, m/s².
    pub fn gravity(&self) -> f64 {
        self.gravity
    }

    /// Sets the acceleration of gravity, m/s², of workspaces that are made from now on.
    pub fn set_gravity(&mut self, gravity: f64) {
        self.gravity = gravity;
    }

    /// Returns the number of bodies.
    pub fn bodies(&self) -> usize {
        self.links.len()
    }

    /// Returns the name of a body.
    pub fn body_name(&self, body: BodyId) -> &str {
        body.index().map_or("world", |i| &self.names[i])
    }

    /// Returns the number of velocity coordinates.
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// Returns the number of scalar closure rows.
    pub fn closure_rows(&self) -> usize {
        self.closure_rows.len()
    }

    /// Returns the number of stored entries of the matrix that a step factorizes.
    pub fn entries(&self) -> usize {
        self.symbolic.entries()
    }

    /// Returns the total mass, kg.
    pub fn mass(&self) -> f64 {
        self.links.iter().map(|link| link.mass).sum()
    }
}
