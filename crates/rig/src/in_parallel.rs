//! Parallel execution of a few long cases on the threads of the current pool.

use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Runs a function on each item of a slice in parallel.
///
/// Unlike an iterator of `rayon`, its scheduling code is compiled once for all types of items and
/// results. A study has dozens of each.
pub trait InParallel<T> {
    /// Runs `run` on each item on the current thread pool and returns the results in item order.
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
