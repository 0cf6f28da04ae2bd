//! Which of the processor's instructions work on lanes.
//!
//! All give the same bits; a test, and whoever doubts that, may ask for fewer than there
//! are by the environment variable [`VARIABLE`].

use fearless_simd::{Level, Simd};
use std::sync::OnceLock;

/// Environment variable that names the instructions to use.
pub const VARIABLE: &str = "BEKKER_INSTRUCTIONS";

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

/// Those with which lanes are worked on: the widest, unless the environment names others
/// that there are.
pub fn level() -> Level {
    static CHOSEN: OnceLock<Level> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let named = std::env::var(VARIABLE).ok();
        let found = available().into_iter().find(|(name, _)| Some(*name) == named.as_deref());
        found.map_or_else(Level::new, |(_, level)| level)
    })
}
