//! Pictures of a simulation, as arrays and as PNG.

use crate::arrays::array;
use crate::error;
use crate::pool::Pool;
use bekker::report::goal_mark::GoalMark;
use bekker::report::photograph;
use bekker::report::shot::{Shot, Viewpoint};
use bekker::scenario::ScenarioFile;
use bekker::scenario::build::BuiltWorld;
use bekker::simulation::World;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::f64::consts::PI;

/// Greatest number of pixels of a picture.
pub const MOST_PIXELS: u64 = 1 << 24;

/// Renders a picture with marks of goals: an array (rows, columns, 3) of 8-bit sRGB, and the same as
/// a PNG.
pub fn image<'py>(
    py: Python<'py>,
    pool: &Pool,
    shot: &Shot,
    file: &ScenarioFile,
    built: &BuiltWorld,
    world: &World,
    goals: &[GoalMark],
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyBytes>)> {
    let taken = pool.work(py, || {
        let image = shot.take_with_goals(file, built, world, goals).map_err(|e| e.to_string())?;
        let png = photograph::encode(&image).map_err(|e| e.to_string())?;
        Ok::<_, String>((photograph::levels(&image), png))
    })?;
    let (levels, png) = taken.map_err(|told| error::run(py, told))?;
    let [columns, rows] = <[u32; 2]>::from(shot.size).map(|size| size as usize);
    let levels = array(py, levels, &[rows, columns, 3])?;
    Ok((levels, PyBytes::new(py, &png)))
}

#[allow(clippy::too_many_arguments)]
pub fn shot(
    py: Python<'_>,
    camera: &str,
    vehicle: usize,
    place: Option<[f64; 3]>,
    target: Option<[f64; 3]>,
    size: [i64; 2],
    field: f64,
    supersample: i64,
) -> PyResult<Shot> {
    let named = Viewpoint::NAMED.iter().find(|(name, _)| *name == camera);
    let Some(viewpoint) = place.map(Viewpoint::From).or(named.map(|(_, viewpoint)| *viewpoint))
    else {
        let names: Vec<&str> = Viewpoint::NAMED.iter().map(|(name, _)| *name).collect();
        let (value, allowed) = (camera, names.join(", "));
        let told = format!("camera = {camera:?}: must be one of {allowed}");
        return Err(error::input(py, "camera", &value, &allowed, told));
    };
    let [columns, rows] = size.map(|side| u32::try_from(side).unwrap_or(0));
    let pixels = u64::from(columns) * u64::from(rows);
    if pixels == 0 || pixels > MOST_PIXELS {
        let (value, allowed) = (format!("({}, {})", size[0], size[1]), "1 to 2^24 pixels");
        let told = format!("size = {value}: must be {allowed}");
        return Err(error::input(py, "size", &value, allowed, told));
    }
    let Some(supersample) = u32::try_from(supersample).ok().filter(|n| (1..=16).contains(n)) else {
        let allowed = "from 1 to 16";
        let told = format!("supersample = {supersample}: must be {allowed}");
        return Err(error::input(py, "supersample", &supersample, allowed, told));
    };
    let points = [("place", place), ("target", target)];
    for (key, point) in points.into_iter().filter_map(|(key, point)| Some((key, point?))) {
        if !point.into_iter().all(f64::is_finite) {
            let (value, allowed) = (format!("{point:?}"), "finite, m");
            let told = format!("{key} = {value}: must be {allowed}");
            return Err(error::input(py, key, &value, allowed, told));
        }
    }
    if !(field > 0.0 && field < PI) {
        let (value, allowed) = (field.to_degrees(), "above 0 and below 180");
        let told = format!("fov_deg = {value}: must be {allowed}");
        return Err(error::input(py, "fov_deg", &value, allowed, told));
    }
    let size = (columns, rows);
    Ok(Shot { viewpoint, target, vehicle, field, size, supersample, coarse: false })
}
