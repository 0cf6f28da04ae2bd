//! The class `Scenario`, and the catalogs.

use crate::error;
use crate::ground_arrays::GroundArrays;
use crate::value::{to_python, to_toml};
use bekker::scenario::build::{vehicle_spec, world};
use bekker::scenario::{Diagnostic, Document, Inputs, ScenarioFile, input, map_paths};
use bekker::soil::SoilKind;
use bekker::soil::catalog::catalog;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario: vehicles with their drivers, terrain and soils, and the duration.
#[pyclass(module = "bekker", skip_from_py_object)]
#[derive(Clone)]
pub struct Scenario {
    /// Name in messages: the path of its file, or `scenario`.
    place: String,
    /// Content as given, with the changes of `set`.
    document: Document,
    folder: PathBuf,
    files: MemoryFiles,
    pub read: ScenarioFile,
}

/// Files in memory, by name: the arrays of `from_dict` as rasters.
type MemoryFiles = BTreeMap<String, Arc<[u8]>>;

/// Place of faults in a scenario that was read from a text.
const TEXT: &str = "<text>";
/// Place of faults in a scenario that was created from dicts.
const DICT: &str = "<dict>";

fn inputs_of(folder: &Path, files: &MemoryFiles) -> Inputs {
    Inputs::with_files(files.iter().map(|(name, content)| (folder.join(name), content.clone())))
}

impl Scenario {
    /// Resolves the folder now, so that a later `os.chdir` has no effect on relative paths.
    fn read(
        py: Python<'_>,
        place: &str,
        document: Result<Document, Diagnostic>,
        folder: PathBuf,
        files: MemoryFiles,
    ) -> PyResult<Scenario> {
        let document = document.map_err(|fault| error::scenario(py, &fault.into()))?;
        let named = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let folder = std::path::absolute(named)
            .map_err(|e| error::input(py, "folder", &named.display(), "a folder", e))?;
        let inputs = inputs_of(&folder, &files);
        let read = ScenarioFile::from_document_with_inputs(document.clone(), &folder, inputs);
        let read = read.map_err(|faults| error::scenario(py, &faults))?;
        Ok(Scenario { place: place.to_owned(), document, folder, files, read })
    }

    /// Returns the scenario that a value gives: a scenario, a dict or the path of a file.
    pub fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Scenario> {
        let py = value.py();
        if let Ok(scenario) = value.cast::<Scenario>() {
            return Ok(scenario.borrow().clone());
        }
        if let Ok(values) = value.cast::<PyDict>() {
            return Scenario::from_dict(py, values, None, None, None, None, None, None);
        }
        let allowed = "a Scenario, a dict of one, or the path of a file";
        let path = value.extract::<PathBuf>().map_err(|_| {
            error::input(
                py,
                "scenario",
                value,
                allowed,
                format!("scenario = {value}: must be {allowed}"),
            )
        })?;
        Scenario::load(py, path)
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
        let place = path.display().to_string();
        Scenario::read(py, &place, Document::parse(&place, &text), folder, MemoryFiles::new())
    }

    /// Reads a scenario from TOML text. Relative paths in it start at `folder`, by default the
    /// working directory.
    ///
    /// Raises `ScenarioError` if the content is invalid.
    #[staticmethod]
    #[pyo3(signature = (text, folder = None))]
    fn parse(py: Python<'_>, text: &str, folder: Option<PathBuf>) -> PyResult<Scenario> {
        let document = Document::parse(TEXT, text);
        Scenario::read(py, TEXT, document, folder.unwrap_or_default(), MemoryFiles::new())
    }

    /// Creates a scenario from dicts and lists with the keys of the scenario format.
    ///
    /// Relative paths start at `folder`, by default the working directory. `heights`, m, makes the
    /// terrain and `soils` the map of soils, numbers of `soil_names`: arrays `[row, column]` with
    /// rows along x from the south and points `spacing`, m, apart. The point `[0, 0]` is at
    /// `origin`, m; by default the middle of each array is at (0, 0).
    ///
    /// Raises `InputError` for an invalid array or a value that TOML cannot represent,
    /// `ScenarioError` for an invalid scenario.
    #[staticmethod]
    #[pyo3(signature = (values, folder = None, *, heights = None, spacing = None, origin = None,
                        soils = None, soil_names = None))]
    #[allow(clippy::too_many_arguments)]
    fn from_dict(
        py: Python<'_>,
        values: &Bound<'_, PyDict>,
        folder: Option<PathBuf>,
        heights: Option<Bound<'_, PyAny>>,
        spacing: Option<f64>,
        origin: Option<[f64; 2]>,
        soils: Option<Bound<'_, PyAny>>,
        soil_names: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Scenario> {
        let mut values = to_toml("", values.as_any())?;
        let ground = GroundArrays { heights, spacing, origin, soils, soil_names };
        let files = ground.insert(py, &mut values)?;
        let document = Document::from_values(DICT, &values);
        Scenario::read(py, DICT, document, folder.unwrap_or_default(), files)
    }

    /// Sets a value by its full key, such as `vehicle[0].driver.speed`.
    ///
    /// Raises `InputError` or `ScenarioError` if the value is invalid, and then changes nothing.
    fn set(&mut self, py: Python<'_>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut document = self.document.clone();
        let set = document.set(&format!("{key}={}", to_toml(key, value)?));
        set.map_err(|fault| error::scenario(py, &fault.into()))?;
        let inputs = inputs_of(&self.folder, &self.files);
        let read = ScenarioFile::from_document_with_inputs(document.clone(), &self.folder, inputs);
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

    /// Writes the scenario as a file, with its arrays as GeoTIFFs beside it.
    ///
    /// Paths of other files become absolute. Raises `RunError` if a file cannot be written.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let beside = |name: &str| format!("{stem}_{name}");
        let mut scenario = self.read.scenario.clone();
        map_paths(&mut scenario, |file| match file.to_str() {
            Some(name) if self.files.contains_key(name) => beside(name).into(),
            _ => self.folder.join(file),
        });
        let text = scenario.to_toml();
        let text = text.map_err(|e| error::input(py, "seed", &scenario.seed, "below 2^63", e))?;
        let written = |path: &Path, content: &[u8]| {
            std::fs::write(path, content)
                .map_err(|e| error::run(py, format!("cannot write {}: {e}", path.display())))
        };
        for (name, content) in &self.files {
            written(&path.with_file_name(beside(name)), content)?;
        }
        written(&path, text.as_bytes())
    }

    /// Returns an independent copy.
    fn copy(&self) -> Scenario {
        self.clone()
    }

    fn __copy__(&self) -> Scenario {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Scenario {
        self.clone()
    }

    /// Pickles the content, the folder and the arrays. Other files are read again.
    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (&str, String, PathBuf, Vec<(&str, Bound<'py, PyBytes>)>))>
    {
        let restore = py.import("bekker.pickling")?.getattr("restore_scenario")?;
        let content = self.document.root.value.to_json().to_string();
        let files = self.files.iter().map(|(name, bytes)| (name.as_str(), PyBytes::new(py, bytes)));
        Ok((restore, (&self.place, content, self.folder.clone(), files.collect())))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.read.scenario.name
    }

    fn __repr__(&self) -> String {
        let vehicles = self.read.scenario.vehicle.len();
        let noun = if vehicles == 1 { "vehicle" } else { "vehicles" };
        let seconds = self.read.scenario.time.duration;
        format!("<bekker.Scenario {:?}: {vehicles} {noun}, {seconds} s>", self.name())
    }

    /// Shows the scenario in a notebook: its vehicles and its ground.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let page = py.import("bekker.display")?.call_method1("scenario", (self.to_dict(py)?,))?;
        page.extract()
    }
}

/// Creates a scenario from its pickled parts.
#[pyfunction]
pub fn restore_scenario(
    py: Python<'_>,
    place: &str,
    content: &str,
    folder: PathBuf,
    files: Vec<(String, Vec<u8>)>,
) -> PyResult<Scenario> {
    let content: serde_json::Value = serde_json::from_str(content)
        .map_err(|e| error::input(py, "content", &"", "a pickled scenario", e))?;
    let document = Document::from_values(place, &content);
    let files = files.into_iter().map(|(name, bytes)| (name, bytes.into())).collect();
    Scenario::read(py, place, document, folder, files)
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
