//! Benchmarks of parts of bekker: ranks, sensors, tracked vehicles, the link and scaling.
//!
//! For maintainers only; `bekker bench` measures a step.

mod cli;
mod exchange;
#[cfg(feature = "gpu")]
mod gpu_cost;
mod rendering;
mod scaling;
mod scaling_cost;
mod tracked_bench;

use std::process::ExitCode;

/// System allocator with a counter.
#[cfg(feature = "allocations")]
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    cli::main()
}
