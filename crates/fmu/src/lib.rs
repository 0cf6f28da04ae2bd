//! bekker as a functional mock-up unit (FMU): what can be wired, how it is described, and
//! instances that step. The C interface around it is the crate `bekker-fmi`.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod fmu;

use bekker_ground::spatial;
use bekker_scenario::scenario;
use bekker_vehicle::vehicle;
