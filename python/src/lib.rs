//! Extension module `bekker._core` of the Python package: bindings of the library, without logic.
//!
//! `python/bekker/` is the public interface; `_core.pyi` declares the types.

mod arrays;
mod envs;
mod error;
mod ground_arrays;
mod options;
mod pictures;
mod pool;
mod readings;
mod rig;
mod scenario;
mod simulation;
mod value;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use super::envs::{Envs, endings, tasks};
    #[pymodule_export]
    use super::readings::classes;
    #[pymodule_export]
    use super::rig::{press_plate, roll_wheel, shear_plate};
    #[pymodule_export]
    use super::scenario::{Scenario, restore_scenario, schema, soil, soils, vehicle, vehicles};
    #[pymodule_export]
    use super::simulation::Simulation;

    /// Runs the command `bekker` with these arguments, program name first, in the interpreter at this
    /// path. Returns the exit code.
    #[pyfunction]
    fn main(
        py: Python<'_>,
        arguments: Vec<std::ffi::OsString>,
        interpreter: std::path::PathBuf,
    ) -> u8 {
        bekker::cli::set_interpreter(interpreter);
        py.detach(|| bekker::cli::main(arguments))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
