//! The `bekker` command.

use std::process::ExitCode;

/// The system's allocator with a count, for `bekker bench`.
#[cfg(feature = "allocations")]
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    bekker::cli::main(std::env::args_os()).into()
}
