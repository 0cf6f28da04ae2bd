//! The class `Scenario`, and the catalogs.

use crate::error;
use crate::value::{to_python, to_toml};
use bekker::scenario::build::{vehicle_spec, world};
use bekker::scenario::{Diagnostic, Document, ScenarioFile, input};
use bekker::soil::SoilKind;
use bekker::soil::catalog::catalog;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// A scenario: vehicles with their drivers, terrain and soils, and the duration.
#[pyclass(module = "bekker", skip_from_py_object)]
#[derive(Clone)]
pub struct Scenario {
    /// Content as given, with the changes of `set`.
    document: Document,
    folder: PathBuf,
    pub read: ScenarioFile,
}

impl Scenario {
    /// Resolves the folder now, so that a later `os.chdir` has no effect on relative paths.
    fn read(
        py: Python<'_>,
        document: Result<Document, Diagnostic>,
        folder: PathBuf,
    ) -> PyResult<Scenario> {
        let document = document.map_err(|fault| error::scenario(py, &fault.into()))?;
        let named = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let folder = std::path::absolute(named)
            .map_err(|e| error::input(py, "folder", &named.display(), "a folder", e))?;
        let read = ScenarioFile::from_document(document.clone(), &folder);
        let read = read.map_err(|faults| error::scenario(py, &faults))?;
        Ok(Scenario { document, folder, read })
    }
}

#[pymethods]
impl Scenario {
    /// Reads a scenario file. Relative paths in it start at its folder, also after a later
    /// `os.chdir`.
    ///
    /// Raises `InputError` if the file cannot be read, `ScenarioError` if its content is invalid.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Scenario> {
        let text = input::read_text(&path, input::LARGEST_TEXT).map_err(|e| {
            let told = format!("path = {}: {e}", path.display());
            error::input(py, "path", &path.display(), "a scenario file", told)
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Scenario::read(py, Document::parse(&path.display().to_string(), &text), folder)
    }

    /// Reads a scenario from TOML text. Relative paths in it start at `folder`, by default the
    /// working directory.
    ///
    /// Raises `ScenarioError` if the content is invalid.
    #[staticmethod]
    #[pyo3(signature = (text, folder = None))]
    fn parse(py: Python<'_>, text: &str, folder: Option<PathBuf>) -> PyResult<Scenario> {
        Scenario::read(py, Document::parse("<text>", text), folder.unwrap_or_default())
    }

    /// Creates a scenario from dicts and lists with the keys of the scenario format.
    ///
    /// Relative paths start at `folder`, by default the working directory. Raises `InputError` for
    /// a value that TOML cannot represent, `ScenarioError` for an invalid one.
    #[staticmethod]
    #[pyo3(signature = (values, folder = None))]
    fn from_dict(
        py: Python<'_>,
        values: &Bound<'_, PyDict>,
        folder: Option<PathBuf>,
    ) -> PyResult<Scenario> {
        let document = Document::from_values("<dict>", &to_toml("", values.as_any())?);
        Scenario::read(py, document, folder.unwrap_or_default())
    }

    /// Sets a value by its full key, such as `vehicle[0].driver.speed`.
    ///
    /// Raises `InputError` or `ScenarioError` if the value is invalid, and then changes nothing.
    fn set(&mut self, py: Python<'_>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut document = self.document.clone();
        let set = document.set(&format!("{key}={}", to_toml(key, value)?));
        set.map_err(|fault| error::scenario(py, &fault.into()))?;
        let read = ScenarioFile::from_document(document.clone(), &self.folder);
        self.read = read.map_err(|faults| error::scenario(py, &faults))?;
        self.document = document;
        Ok(())
    }

    /// Builds everything that the scenario names, and returns the warnings, one sentence each.
    ///
    /// Raises `ScenarioError` if something is invalid.
    fn validate(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let built = py.detach(|| world(&self.read));
        let built = built.map_err(|faults| error::scenario(py, &faults))?;
        Ok(built.warnings.iter().map(ToString::to_string).collect())
    }

    /// Returns the scenario as TOML text, including all defaults.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.read.scenario.to_toml();
        text.map_err(|e| error::input(py, "seed", &self.read.scenario.seed, "below 2^63", e))
    }

    /// Returns the scenario as dicts and lists, including all defaults.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.read.scenario)
    }

    /// Returns an independent copy.
    fn copy(&self) -> Scenario {
        self.clone()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.read.scenario.name
    }

    fn __repr__(&self) -> String {
        let vehicles = self.read.scenario.vehicle.len();
        let seconds = self.read.scenario.time.duration;
        format!("<bekker.Scenario {:?}: {vehicles} vehicles, {seconds} s>", self.name())
    }
}

/// Returns the JSON Schema of the scenario format.
#[pyfunction]
pub fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &bekker::scenario::schema())
}

/// Returns the ids of the soils in the catalog, without aliases.
#[pyfunction]
pub fn soils() -> Vec<&'static str> {
    catalog().soils.iter().map(|soil| soil.id.as_str()).collect()
}

/// Returns a soil of the catalog, by id or alias: parameters, provenance, source.
#[pyfunction]
pub fn soil<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let soil = catalog()
        .find(name)
        .map_err(|e| error::input(py, "name", &name, &soils().join(", "), e))?;
    let parameters = match &soil.kind {
        SoilKind::Firm { friction } => serde_json::json!({ "friction": friction }),
        SoilKind::Deformable(soil) => serde_json::json!(soil),
    };
    let entry = serde_json::json!({
        "id": soil.id,
        "name": soil.name,
        "family": soil.family,
        "parameters": parameters,
        "trust": soil.trust,
        "source": soil.source,
        "notes": soil.notes,
    });
    to_python(py, &entry)
}

/// Returns the names of the vehicles in the catalog.
#[pyfunction]
pub fn vehicles() -> Vec<&'static str> {
    bekker::vehicle::catalog().iter().map(|entry| entry.key).collect()
}

/// Returns a vehicle of the catalog or of a file (`.toml`), including all defaults, and its mass,
/// kg.
#[pyfunction]
pub fn vehicle<'py>(py: Python<'py>, model: &str) -> PyResult<(Bound<'py, PyAny>, f64)> {
    let spec = vehicle_spec(model, Path::new(""));
    let spec = spec.map_err(|faults| error::scenario(py, &faults))?;
    Ok((to_python(py, &spec)?, spec.total_mass()))
}
