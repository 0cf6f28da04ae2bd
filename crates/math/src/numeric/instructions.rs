//! Which of the processor's instructions work on lanes.
//!
//! All give the same bits; a test, and whoever doubts that, may choose fewer than there are.

use fearless_simd::{Level, Simd};
use std::sync::OnceLock;

static CHOSEN: OnceLock<Level> = OnceLock::new();

/// Instructions that this processor has, by name, the widest last.
pub fn available() -> Vec<(&'static str, Level)> {
    let mut all = vec![("baseline", Level::baseline())];
    #[cfg(target_arch = "x86_64")]
    {
        all.extend(Level::new().as_avx2().map(|simd| ("avx2", simd.level())));
        all.extend(Level::new().as_avx512().map(|simd| ("avx512", simd.level())));
    }
    all
}

/// Chooses the available instructions of this name for the whole process; whether there
/// are any, and none were chosen or used before.
pub fn choose(name: &str) -> bool {
    let found = available().into_iter().find(|(known, _)| *known == name);
    found.is_some_and(|(_, level)| CHOSEN.set(level).is_ok())
}

/// Those with which lanes are worked on: the widest, unless others were chosen.
pub fn level() -> Level {
    *CHOSEN.get_or_init(Level::new)
}

#[doc(hidden)]
pub use fearless_simd::dispatch as dispatch_any;

/// Compiles an expression for instructions that the processor is known to have.
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

/// Runs a generic function on [`Lanes`](crate::numeric::Lanes) with the widest instructions up to
/// a level. AVX-512's are used on registers of four numbers: eight at a time gained a step 2 %,
/// for half of what is asked of a node is not arithmetic, and cost every sum its order.
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

/// Runs a generic function with the instructions that every processor of the kind has, and
/// has it compiled for these alone: [`dispatch`] for what is seldom run.
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
