//! Heap allocations, counted with the feature `allocations` only.

/// Returns the number of heap allocations of this process so far, where it is built to count them.
#[cfg(feature = "allocations")]
pub const ALLOCATIONS: Option<fn() -> u64> = Some(|| {
    let stats = stats_alloc::INSTRUMENTED_SYSTEM.stats();
    (stats.allocations + stats.reallocations) as u64
});
#[cfg(not(feature = "allocations"))]
pub const ALLOCATIONS: Option<fn() -> u64> = None;

/// A note below a table that lacks the counts; empty where they are counted.
pub fn allocations_note() -> &'static str {
    match ALLOCATIONS {
        Some(_) => "",
        None => {
            "\nallocations are not counted in this build: cargo run --release -p bekker-bench \
             --features allocations -- m113-scm"
        }
    }
}

/// A count of allocations with so many digits, or that there is none.
pub fn allocations(count: Option<f64>, digits: usize) -> String {
    count.map_or("not counted".into(), |count| format!("{count:.digits$}"))
}
