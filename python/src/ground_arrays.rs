//! Terrain and map of soils from arrays of NumPy.

use crate::arrays::numbers;
use crate::error;
use crate::value::in_plain;
use bekker::terrain::{Crs, Raster, write_exact_geotiff};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::{Table, Value};

/// Name of the raster of heights in the scenario.
const HEIGHTS: &str = "heights.tif";
/// Name of the raster of soils in the scenario.
const SOILS: &str = "soils.tif";

/// Arrays and their arguments in `Scenario.from_dict`.
pub struct GroundArrays<'py> {
    /// Heights, m.
    pub heights: Option<Bound<'py, PyAny>>,
    /// Distance between points, m.
    pub spacing: Option<f64>,
    /// Position of the first point, m.
    pub origin: Option<[f64; 2]>,
    /// Numbers of soils.
    pub soils: Option<Bound<'py, PyAny>>,
    /// Names of the soils, by number.
    pub soil_names: Option<Bound<'py, PyAny>>,
}

impl GroundArrays<'_> {
    /// Adds the arrays to the values of a scenario. Returns the rasters, by name.
    pub fn insert(
        &self,
        py: Python<'_>,
        values: &mut Value,
    ) -> PyResult<BTreeMap<String, Arc<[u8]>>> {
        let mut files = BTreeMap::new();
        self.check_together(py)?;
        let Some(root) = values.as_table_mut() else { return Ok(files) };
        if let Some(heights) = &self.heights {
            let raster = self.raster(py, "heights", heights)?;
            let surface = Table::from_iter([
                ("kind".to_owned(), "dem".into()),
                ("file".to_owned(), HEIGHTS.into()),
                // coordinates of the raster are those of the scenario
                ("origin".to_owned(), vec![0.0, 0.0].into()),
            ]);
            put(py, root, "terrain", "surface", surface, HEIGHTS)?;
            files.insert(HEIGHTS.to_owned(), encoded(py, "heights", &raster)?);
        }
        if let Some(soils) = &self.soils {
            let raster = self.raster(py, "soils", soils)?;
            let names = self.names(py)?;
            let wrong = raster.values.iter().find(|value| {
                !(value.fract() == 0.0 && (0.0..names.len() as f64).contains(*value))
            });
            if let Some(wrong) = wrong {
                let allowed = format!("a whole number from 0 to {}, one per name", names.len() - 1);
                let told = format!("soils has {wrong}: must be {allowed}");
                return Err(error::input(py, "soils", wrong, &allowed, told));
            }
            let classes = names.iter().enumerate();
            let classes: Table =
                classes.map(|(number, name)| (number.to_string(), name.as_str().into())).collect();
            let map = Table::from_iter([
                ("file".to_owned(), SOILS.into()),
                ("classes".to_owned(), classes.into()),
            ]);
            put(py, root, "soil", "raster", map, SOILS)?;
            if let Some(soil) = root.get_mut("soil").and_then(Value::as_table_mut) {
                soil.entry("default").or_insert_with(|| names[0].as_str().into());
            }
            files.insert(SOILS.to_owned(), encoded(py, "soils", &raster)?);
        }
        Ok(files)
    }

    /// Refuses arguments without the array that they describe.
    fn check_together(&self, py: Python<'_>) -> PyResult<()> {
        let any = self.heights.is_some() || self.soils.is_some();
        let missing = |key: &str, of: &str| {
            let allowed = format!("given with {of}");
            Err(error::input(
                py,
                key,
                &"None",
                &allowed,
                format!("{key} = None: must be {allowed}"),
            ))
        };
        let alone = |key: &str, of: &str| {
            let allowed = format!("absent without {of}");
            Err(error::input(py, key, &"", &allowed, format!("{key}: must be {allowed}")))
        };
        match self.spacing {
            None if any => missing("spacing", "heights or soils"),
            Some(_) if !any => alone("spacing", "heights or soils"),
            Some(spacing) if !(spacing.is_finite() && spacing > 0.0) => {
                let allowed = "above 0 m";
                let told = format!("spacing = {spacing}: must be {allowed}");
                Err(error::input(py, "spacing", &spacing, allowed, told))
            }
            _ if self.origin.is_some() && !any => alone("origin", "heights or soils"),
            _ if self.soil_names.is_some() != self.soils.is_some() => {
                if self.soils.is_some() {
                    missing("soil_names", "soils")
                } else {
                    alone("soil_names", "soils")
                }
            }
            _ => Ok(()),
        }
    }

    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let allowed = "a list of names of soils";
        let refused = || {
            error::input(py, "soil_names", &"", allowed, format!("soil_names: must be {allowed}"))
        };
        let Some(names) = &self.soil_names else { return Err(refused()) };
        let names = in_plain(names).and_then(|names| names.extract::<Vec<String>>());
        names.ok().filter(|names| !names.is_empty()).ok_or_else(refused)
    }

    /// Returns the raster of an array whose rows run along x from the south.
    fn raster(&self, py: Python<'_>, key: &str, array: &Bound<'_, PyAny>) -> PyResult<Raster> {
        let numpy = py.import("numpy")?;
        let allowed = "an array of numbers with at least 2 rows and 2 columns";
        let refused = |found: &str| {
            error::input(py, key, &found, allowed, format!("{key} of {found}: must be {allowed}"))
        };
        let given = numpy.call_method1("asarray", (array,))?;
        let kind: String = given.getattr("dtype")?.getattr("kind")?.extract()?;
        if !"biuf".contains(&kind) {
            return Err(refused(&format!("type {}", given.getattr("dtype")?)));
        }
        let shape: Vec<usize> = given.getattr("shape")?.extract()?;
        let [rows, columns] = shape[..] else { return Err(refused(&format!("shape {shape:?}"))) };
        if rows < 2 || columns < 2 {
            return Err(refused(&format!("shape {shape:?}")));
        }
        // rasters begin in the north
        let flipped = numpy.call_method1("flipud", (given,))?;
        let plain = numpy.call_method1("ascontiguousarray", (flipped, "f8"))?;
        let bytes: Vec<u8> = plain.call_method0("tobytes")?.extract()?;
        let spacing = self.spacing.unwrap_or(1.0);
        let middle = [columns, rows].map(|count| -0.5 * spacing * (count - 1) as f64);
        let south_west = self.origin.unwrap_or(middle);
        let (cell, values) = ([spacing; 2], numbers(&bytes));
        Ok(Raster { columns, rows, south_west, cell, values, crs: Crs::local() })
    }
}

fn encoded(py: Python<'_>, key: &str, raster: &Raster) -> PyResult<Arc<[u8]>> {
    let size = format!("{} x {}", raster.rows, raster.columns);
    let bytes = write_exact_geotiff(raster);
    Ok(bytes.map_err(|e| error::input(py, key, &size, "a raster", e))?.into())
}

/// Puts a table at a key that the scenario does not have, except by default or with this file.
fn put(
    py: Python<'_>,
    root: &mut Table,
    outer: &str,
    inner: &str,
    table: Table,
    file: &str,
) -> PyResult<()> {
    let entry = root.entry(outer).or_insert_with(|| Table::new().into());
    // a value of another type is refused with the rest of the scenario
    let Some(entry) = entry.as_table_mut() else { return Ok(()) };
    // a plane is the default
    let word = |known: &Value, key: &str| known.get(key).and_then(Value::as_str).map(str::to_owned);
    let other = entry.get(inner).is_some_and(|known| {
        word(known, "file").as_deref() != Some(file)
            && word(known, "kind").as_deref() != Some("flat")
    });
    if other {
        let key = format!("{outer}.{inner}");
        let allowed = "absent with an array";
        return Err(error::input(py, &key, &"", allowed, format!("{key}: must be {allowed}")));
    }
    entry.insert(inner.to_owned(), table.into());
    Ok(())
}
