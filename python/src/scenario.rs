//! Scenarios and catalogues.

use crate::error;
use crate::value::{to_python, to_toml};
use bekker::scenario::build::{vehicle_spec, world};
use bekker::scenario::{Document, Fault, ScenarioFile, input};
use bekker::soil::SoilKind;
use bekker::soil::catalogue::catalogue;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};

/// What drives where, on which ground, for how long.
#[pyclass(module = "bekker", skip_from_py_object)]
#[derive(Clone)]
pub struct Scenario {
    /// As given, with the changes of `set`.
    document: Document,
    folder: PathBuf,
    pub read: ScenarioFile,
}

impl Scenario {
    /// Paths start from the folder as it is now: a later `os.chdir` leads to no other files.
    fn read(
        py: Python<'_>,
        document: Result<Document, Fault>,
        folder: PathBuf,
    ) -> PyResult<Scenario> {
        let document = document.map_err(|fault| error::scenario(py, &fault.into()))?;
        let named = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let folder = std::path::absolute(named)
            .map_err(|e| error::input(py, "folder", &named.display(), "a folder", e))?;
        let read = ScenarioFile::of_document(document.clone(), &folder);
        let read = read.map_err(|faults| error::scenario(py, &faults))?;
        Ok(Scenario { document, folder, read })
    }
}

#[pymethods]
impl Scenario {
    /// Reads a scenario file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Scenario> {
        let text = input::read_text(&path, input::LARGEST_TEXT).map_err(|e| {
            let told = format!("path = {}: {e}", path.display());
            error::input(py, "path", &path.display(), "a scenario file", told)
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Scenario::read(py, Document::parse(&path.display().to_string(), &text), folder)
    }

    /// Reads a scenario from text; its relative paths start from `folder`.
    #[staticmethod]
    #[pyo3(signature = (text, folder = None))]
    fn parse(py: Python<'_>, text: &str, folder: Option<PathBuf>) -> PyResult<Scenario> {
        Scenario::read(py, Document::parse("scenario", text), folder.unwrap_or_default())
    }

    /// A scenario of dicts and lists with the keys of the format.
    #[staticmethod]
    #[pyo3(signature = (values, folder = None))]
    fn from_dict(
        py: Python<'_>,
        values: &Bound<'_, PyDict>,
        folder: Option<PathBuf>,
    ) -> PyResult<Scenario> {
        let document = Document::of_values("scenario", &to_toml("", values.as_any())?);
        Scenario::read(py, document, folder.unwrap_or_default())
    }

    /// Changes a value, by its key as `vehicle[0].driver.speed`. What is refused changes nothing.
    fn set(&mut self, py: Python<'_>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut document = self.document.clone();
        let set = document.set(&format!("{key}={}", to_toml(key, value)?));
        set.map_err(|fault| error::scenario(py, &fault.into()))?;
        let read = ScenarioFile::of_document(document.clone(), &self.folder);
        self.read = read.map_err(|faults| error::scenario(py, &faults))?;
        self.document = document;
        Ok(())
    }

    /// Builds all that it names; what is doubtful but not wrong, a sentence each.
    fn validate(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let built = py.detach(|| world(&self.read));
        let built = built.map_err(|faults| error::scenario(py, &faults))?;
        Ok(built.warnings.iter().map(ToString::to_string).collect())
    }

    /// As a file has it, with every default written out.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.read.scenario.to_toml();
        text.map_err(|e| error::input(py, "seed", &self.read.scenario.seed, "below 2^63", e))
    }

    /// As dicts and lists, with every default written out.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.read.scenario)
    }

    /// A scenario like this one that goes its own way.
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

/// The JSON Schema of the scenario format.
#[pyfunction]
pub fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &bekker::scenario::schema())
}

/// Names of the soils of the catalogue, second names left out.
#[pyfunction]
pub fn soils() -> Vec<&'static str> {
    catalogue().soils.iter().map(|soil| soil.id.as_str()).collect()
}

/// A soil of the catalogue, by any of its names: parameters, how far they are to be trusted, source.
#[pyfunction]
pub fn soil<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let soil = catalogue()
        .find(name)
        .map_err(|e| error::input(py, "name", &name, &soils().join(", "), e))?;
    let parameters = match &soil.kind {
        SoilKind::Firm { friction } => serde_json::json!({ "friction": friction }),
        SoilKind::Yielding(soil) => serde_json::json!(soil),
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

/// Names of the vehicles of the catalogue.
#[pyfunction]
pub fn vehicles() -> Vec<&'static str> {
    bekker::vehicle::catalogue().iter().map(|entry| entry.key).collect()
}

/// A vehicle of the catalogue or of a file (`.toml`), with every default written out, and its
/// mass, kg.
#[pyfunction]
pub fn vehicle<'py>(py: Python<'py>, model: &str) -> PyResult<(Bound<'py, PyAny>, f64)> {
    let spec = vehicle_spec(model, Path::new(""));
    let spec = spec.map_err(|faults| error::scenario(py, &faults))?;
    Ok((to_python(py, &spec)?, spec.total_mass()))
}
