//! Measures what parts of bekker cost: ranks, sensors, tracked vehicles, the link and scaling.
//!
//! Only maintainers run it; `bekker bench` measures a step.

mod cli;
mod exchange;
#[cfg(feature = "gpu")]
mod gpu_cost;
mod rendering;
mod scaling;
mod scaling_cost;
mod tracked_bench;

use std::process::ExitCode;

/// The system's allocator with a count.
#[cfg(feature = "allocations")]
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    cli::main()
}
