//! Many worlds with one model, stepped in parallel.

use super::state_validation::StateError;
use super::world::World;
use super::world_model::{WorldModel, WorldState};
use rayon::prelude::*;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Worlds that share one immutable model, each with its own state.
///
/// They serve as episodes of learning, futures of a planner or samples of a study. They step in
/// parallel, one world per task. Each gives the same bits as it does alone.
#[derive(Clone, Debug)]
pub struct WorldBatch {
    model: Arc<WorldModel>,
    worlds: Vec<World>,
}

impl WorldBatch {
    /// Creates `worlds` worlds at time 0. The vehicles are settled once.
    pub fn new(model: impl Into<Arc<WorldModel>>, worlds: usize) -> WorldBatch {
        let first = World::new(model);
        WorldBatch { model: first.shared_model(), worlds: vec![first; worlds] }
    }

    /// Creates `worlds` copies of a world.
    pub fn from_world(world: &World, worlds: usize) -> WorldBatch {
        WorldBatch { model: world.shared_model(), worlds: vec![world.clone(); worlds] }
    }

    /// Returns the shared model.
    pub fn model(&self) -> &Arc<WorldModel> {
        &self.model
    }

    /// Returns the number of worlds.
    pub fn len(&self) -> usize {
        self.worlds.len()
    }

    /// Whether there are no worlds.
    pub fn is_empty(&self) -> bool {
        self.worlds.is_empty()
    }

    /// Iterates over the worlds.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &World> {
        self.worlds.iter()
    }

    /// Iterates over the worlds mutably, for example to command or to restore single ones.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut World> {
        self.worlds.iter_mut()
    }

    /// Advances every world by one heartbeat.
    pub fn advance(&mut self) {
        self.for_each(|_, world| world.advance());
    }

    /// Applies `act` to every world in parallel, for example to command, advance or restore it.
    pub fn for_each(&mut self, act: impl Fn(usize, &mut World) + Sync) {
        self.worlds.par_iter_mut().enumerate().for_each(|(index, world)| act(index, world));
    }

    /// Sets every world to one state.
    ///
    /// # Errors
    /// [`StateError`] when the state does not fit the model; all worlds are then unchanged.
    pub fn restore(&mut self, state: &WorldState) -> Result<(), StateError> {
        super::state_validation::check(&self.model, state)?;
        self.worlds.par_iter_mut().try_for_each(|world| world.restore(state))
    }
}

impl Index<usize> for WorldBatch {
    type Output = World;

    fn index(&self, world: usize) -> &World {
        &self.worlds[world]
    }
}

impl IndexMut<usize> for WorldBatch {
    fn index_mut(&mut self, world: usize) -> &mut World {
        &mut self.worlds[world]
    }
}
