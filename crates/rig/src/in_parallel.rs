//! Some cases at once: a few long runs, each on whatever thread is free.

use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What is done with each of some items at the same time.
///
/// Beside an iterator of `rayon` it is compiled once for all kinds of items and of results: a
/// study has dozens of either.
pub trait InParallel<T> {
    /// The results, in the order of the items, each run on a thread of the pool that is about.
    fn in_parallel<'a, R: Send>(&'a self, run: impl Fn(&'a T) -> R + Sync) -> std::vec::IntoIter<R>
    where
        T: 'a;
}

impl<T: Sync> InParallel<T> for [T] {
    fn in_parallel<'a, R: Send>(
        &'a self,
        run: impl Fn(&'a T) -> R + Sync,
    ) -> std::vec::IntoIter<R> {
        let results: Vec<Mutex<Option<R>>> = self.iter().map(|_| Mutex::default()).collect();
        each(self.len(), &|index| {
            let result = run(&self[index]);
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        });
        let taken = |slot: Mutex<_>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().filter_map(taken).collect::<Vec<R>>().into_iter()
    }
}

fn each(count: usize, run: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(run);
}
