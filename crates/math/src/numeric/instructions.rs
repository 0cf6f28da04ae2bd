//! Selection of the instruction set for lanes.
//!
//! All sets give the same bits; a test or a user can select a narrower one to verify that.

use fearless_simd::{Level, Simd};
use std::sync::OnceLock;

static CHOSEN: OnceLock<Level> = OnceLock::new();

/// Returns the instruction sets of this processor by name, the widest last.
pub fn available() -> Vec<(&'static str, Level)> {
    let mut all = vec![("baseline", Level::baseline())];
    #[cfg(target_arch = "x86_64")]
    {
        all.extend(Level::new().as_avx2().map(|simd| ("avx2", simd.level())));
        all.extend(Level::new().as_avx512().map(|simd| ("avx512", simd.level())));
    }
    all
}

/// Selects the instruction set `name` for the whole process. Returns false if it is not available,
/// or if a set was already selected or used.
pub fn choose(name: &str) -> bool {
    let found = available().into_iter().find(|(known, _)| *known == name);
    found.is_some_and(|(_, level)| CHOSEN.set(level).is_ok())
}

/// Returns the instruction set for lanes: the widest, unless another was selected.
pub fn level() -> Level {
    *CHOSEN.get_or_init(Level::new)
}

#[doc(hidden)]
pub use fearless_simd::dispatch as dispatch_any;

/// Compiles an expression for instructions that the processor is known to support.
#[doc(hidden)]
#[macro_export]
macro_rules! vectorized {
    ($instructions:expr, $simd:pat => $op:expr) => {
        $crate::numeric::Simd::vectorize(
            $instructions,
            #[inline(always)]
            || {
                let $simd = $instructions;
                $op
            },
        )
    };
}
#[doc(hidden)]
pub use vectorized;

/// Runs a generic function on [`Lanes`](crate::numeric::Lanes) with the widest instructions up to a
/// level.
///
/// AVX-512 is used on registers of four numbers. Eight numbers at a time made a step only 2 %
/// faster, because half of the work per node is not arithmetic, and changed the order of every sum.
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $simd:pat => $op:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            let level: $crate::numeric::Level = $level;
            if let Some(avx512) = level.as_avx512() {
                $crate::numeric::instructions::vectorized!(avx512, $simd => $op)
            } else if let Some(avx2) = level.as_avx2() {
                $crate::numeric::instructions::vectorized!(avx2, $simd => $op)
            } else {
                let Some($simd) = level.as_sse2() else {
                    unreachable!("SSE2 is part of x86-64")
                };
                $op
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            $crate::numeric::instructions::dispatch_any!($level, $simd => $op)
        }
    }};
}
pub use dispatch;

/// Runs a generic function with the instructions that every processor of the architecture supports,
/// and compiles it for these alone: a [`dispatch`] for code that is rarely run.
#[macro_export]
macro_rules! baseline {
    ($simd:pat => $op:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            let Some($simd) = $crate::numeric::Level::new().as_sse2() else {
                unreachable!("SSE2 is part of x86-64")
            };
            $op
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            $crate::numeric::dispatch!($crate::numeric::Level::baseline(), $simd => $op)
        }
    }};
}
pub use baseline;
