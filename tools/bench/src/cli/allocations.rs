//! Heap allocations, counted with the feature `allocations` only.

/// Returns the number of heap allocations of this process so far, if the build counts them.
#[cfg(feature = "allocations")]
pub const ALLOCATIONS: Option<fn() -> u64> = Some(|| {
    let stats = stats_alloc::INSTRUMENTED_SYSTEM.stats();
    (stats.allocations + stats.reallocations) as u64
});
#[cfg(not(feature = "allocations"))]
pub const ALLOCATIONS: Option<fn() -> u64> = None;

/// Returns a note below a table without counts; empty where they are counted.
pub fn allocations_note() -> &'static str {
    match ALLOCATIONS {
        Some(_) => "",
        None => {
            "\n\
             this build does not count allocations; to count them: cargo run --release -p \
             bekker-bench --features allocations -- m113-scm"
        }
    }
}

/// Formats a count of allocations with `digits` decimals; `None` where it is not counted.
pub fn allocations(count: Option<f64>, digits: usize) -> String {
    count.map_or("not counted".into(), |count| format!("{count:.digits$}"))
}
