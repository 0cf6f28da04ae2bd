//! Many worlds over one model, stepped beside one another.

use super::soundness::StateError;
use super::world::World;
use super::world_model::{WorldModel, WorldState};
use rayon::prelude::*;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Worlds that share one immutable model, each with a state of its own: episodes of
/// learning, futures of a planner, samples of a study. They step in parallel, one world a
/// task; each gives the bits that it gives alone.
#[derive(Clone, Debug)]
pub struct Batch {
    model: Arc<WorldModel>,
    worlds: Vec<World>,
}

impl Batch {
    /// So many worlds at the beginning of a model. Its vehicles are settled once.
    pub fn new(model: impl Into<Arc<WorldModel>>, worlds: usize) -> Batch {
        let first = World::new(model);
        Batch { model: first.shared_model(), worlds: vec![first; worlds] }
    }

    /// So many worlds in the state of one.
    pub fn of(world: &World, worlds: usize) -> Batch {
        Batch { model: world.shared_model(), worlds: vec![world.clone(); worlds] }
    }

    /// The model that all share.
    pub fn model(&self) -> &Arc<WorldModel> {
        &self.model
    }

    /// How many worlds there are.
    pub fn len(&self) -> usize {
        self.worlds.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.worlds.is_empty()
    }

    /// The worlds.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &World> {
        self.worlds.iter()
    }

    /// The worlds, to be commanded or taken back one by one.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut World> {
        self.worlds.iter_mut()
    }

    /// Takes every world through one heartbeat.
    pub fn advance(&mut self) {
        self.for_each(|_, world| world.advance());
    }

    /// Does something to every world, in parallel: command it, advance it, take it back.
    pub fn for_each(&mut self, act: impl Fn(usize, &mut World) + Sync) {
        self.worlds.par_iter_mut().enumerate().for_each(|(index, world)| act(index, world));
    }

    /// Takes every world to one state.
    ///
    /// # Errors
    /// [`StateError`] when the model cannot be in this state; all worlds are as they were.
    pub fn restore(&mut self, state: &WorldState) -> Result<(), StateError> {
        super::soundness::check(&self.model, state)?;
        self.worlds.par_iter_mut().try_for_each(|world| world.restore(state))
    }
}

impl Index<usize> for Batch {
    type Output = World;

    fn index(&self, world: usize) -> &World {
        &self.worlds[world]
    }
}

impl IndexMut<usize> for Batch {
    fn index_mut(&mut self, world: usize) -> &mut World {
        &mut self.worlds[world]
    }
}
