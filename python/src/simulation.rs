//! A scenario as it is driven.

use crate::arrays::{array, history, numbers, state};
use crate::error;
use crate::pool::Pool;
use crate::readings::reading;
use crate::scenario::Scenario;
use crate::value::to_python;
use bekker::ground::SampleGrid;
use bekker::report::geotiff::{self, Georeference, rut_nodes, write_ruts};
use bekker::report::photograph;
use bekker::report::shot::{Shot, Viewpoint};
use bekker::scenario::ScenarioFile;
use bekker::scenario::build::{Built, world};
use bekker::sensor::Delivery;
use bekker::simulation::{Command, CommandError, Placement, Sample, Steering, World, checkpoint};
use bekker::vehicle::{Locks, Selector};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::f64::consts::PI;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long Ctrl-C may have to wait.
const PATIENCE: Duration = Duration::from_millis(50);
/// Most pixels of a picture.
const MOST_PIXELS: u64 = 1 << 24;

/// A world of a scenario, between heartbeats.
#[pyclass(module = "bekker._core", subclass)]
pub struct Simulation {
    file: ScenarioFile,
    built: Built,
    world: World,
    pool: Pool,
    /// What was delivered in the last call that stepped, of which vehicle.
    delivered: Vec<(usize, Delivery)>,
}

impl Simulation {
    /// Index of a vehicle, by name or number.
    fn index(&self, vehicle: &Bound<'_, PyAny>) -> PyResult<usize> {
        let agents = &self.built.world.agents;
        let found = match vehicle.extract::<String>() {
            Ok(name) => agents.iter().position(|agent| agent.name == name),
            Err(_) => vehicle.extract::<usize>().ok().filter(|index| *index < agents.len()),
        };
        found.ok_or_else(|| {
            let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
            let told = format!("vehicle = {vehicle}: must be one of {}", names.join(", "));
            error::input(vehicle.py(), "vehicle", vehicle, &names.join(", "), told)
        })
    }

    /// Advances until a moment, s, or for so many heartbeats, or nothing drives any more, in
    /// stretches between which Ctrl-C is heard. `take` is shown every heartbeat.
    fn advance(
        &mut self,
        py: Python<'_>,
        until: f64,
        heartbeats: u64,
        mut take: impl FnMut(&World) + Send,
        mut told: impl FnMut(f64) -> PyResult<()>,
    ) -> PyResult<()> {
        let Simulation { world, pool, .. } = self;
        let mut left = heartbeats;
        // half a step short is there
        let until = until - 0.5 * world.model().clock.step();
        while left > 0 && world.time() < until && world.is_running() {
            pool.work(py, || {
                let begun = Instant::now();
                while left > 0 && world.time() < until && world.is_running() {
                    world.advance();
                    left -= 1;
                    take(world);
                    if begun.elapsed() > PATIENCE {
                        break;
                    }
                }
            })?;
            py.check_signals()?;
            told(world.time())?;
        }
        Ok(())
    }
}

fn refused(py: Python<'_>, failure: CommandError) -> PyErr {
    match &failure {
        CommandError::Range { what, value, allowed } => {
            error::input(py, what, value, allowed, &failure)
        }
        CommandError::OffTerrain { position, bounds } => {
            let (value, allowed) = (format!("{position:?}"), format!("within {bounds:?}"));
            error::input(py, "position", &value, &allowed, &failure)
        }
        _ => error::input(py, "vehicle", &"", "what this vehicle can do", &failure),
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scenario, *, threads = None))]
    fn new(
        py: Python<'_>,
        scenario: PyRef<'_, Scenario>,
        threads: Option<usize>,
    ) -> PyResult<Simulation> {
        let file = scenario.read.clone();
        let pool = Pool::new(py, threads)?;
        let made = pool.work(py, || {
            let built = world(&file)?;
            let world = World::new(built.world.clone());
            Ok((built, world))
        })?;
        let (built, world) = made.map_err(|faults| error::scenario(py, &faults))?;
        Ok(Simulation { file, built, world, pool, delivered: Vec::new() })
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.world.time()
    }

    /// Whether any vehicle still drives.
    #[getter]
    fn running(&self) -> bool {
        self.world.is_running()
    }

    /// Names of the vehicles.
    #[getter]
    fn vehicles(&self) -> Vec<&str> {
        self.built.world.agents.iter().map(|agent| agent.name.as_str()).collect()
    }

    /// What is doubtful about the scenario, a sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.built.warnings.iter().map(ToString::to_string).collect()
    }

    /// Takes the world through so many heartbeats, or fewer if no vehicle drives any more.
    #[pyo3(signature = (heartbeats = 1))]
    fn step(&mut self, py: Python<'_>, heartbeats: u64) -> PyResult<()> {
        let mut delivered = Vec::new();
        let agents = self.built.world.agents.len();
        let take = |world: &World| {
            for agent in 0..agents {
                let own = world.delivered(agent).iter().cloned();
                delivered.extend(own.map(|delivery| (agent, delivery)));
            }
        };
        let stepped = self.advance(py, f64::INFINITY, heartbeats, take, |_| Ok(()));
        self.delivered = delivered;
        stepped
    }

    /// Runs to a moment, s, and samples every so many seconds; the vehicles over time.
    fn run_to<'py>(
        &mut self,
        py: Python<'py>,
        until: Option<f64>,
        sample_every: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let until = until.unwrap_or(self.file.scenario.time.duration);
        if until.is_nan() {
            let (allowed, told) = ("a moment, s", "until = NaN: must be a moment, s");
            return Err(error::input(py, "until", &until, allowed, told));
        }
        let every = sample_every.unwrap_or(0.1);
        if !(every.is_finite() && every > 0.0) {
            let told = format!("sample_every = {every}: must be above 0 s");
            return Err(error::input(py, "sample_every", &every, "above 0 s", told));
        }
        let mut samples: Vec<Vec<Sample>> = vec![self.world.samples().collect()];
        let mut next = self.world.time() + every;
        let half = 0.5 * self.world.model().clock.step();
        let take = |world: &World| {
            if world.time() + half >= next {
                samples.push(world.samples().collect());
                next += every;
            }
        };
        let told = |time: f64| match &progress {
            Some(progress) => progress.call1((time, until)).map(|_| ()),
            None => Ok(()),
        };
        self.advance(py, until, u64::MAX, take, told)?;
        let dict = PyDict::new(py);
        for (index, agent) in self.built.world.agents.iter().enumerate() {
            let rows: Vec<&Sample> = samples.iter().map(|row| &row[index]).collect();
            dict.set_item(&agent.name, history(py, &rows)?)?;
        }
        Ok(dict)
    }

    /// Commands a vehicle in its driver's place, until told otherwise.
    #[pyo3(signature = (vehicle, *, throttle = 0.0, brake = 0.0, steering = None,
                        steering_angle = None, gear = "drive", inflation = None, locks = None,
                        uncouple = false))]
    #[allow(clippy::too_many_arguments)]
    fn command(
        &mut self,
        py: Python<'_>,
        vehicle: &Bound<'_, PyAny>,
        throttle: f64,
        brake: f64,
        steering: Option<f64>,
        steering_angle: Option<f64>,
        gear: &str,
        inflation: Option<f64>,
        locks: Option<Vec<String>>,
        uncouple: bool,
    ) -> PyResult<()> {
        let index = self.index(vehicle)?;
        let steering = match (steering, steering_angle) {
            (Some(_), Some(angle)) => {
                let told = "steering and steering_angle: give one of them";
                return Err(error::input(py, "steering_angle", &angle, "one of the two", told));
            }
            (share, None) => Steering::Share(share.unwrap_or(0.0)),
            (None, Some(angle)) => Steering::Angle(angle),
        };
        let gear = match gear {
            "drive" => Selector::Drive,
            "neutral" => Selector::Neutral,
            "reverse" => Selector::Reverse,
            _ => {
                let allowed = "drive, neutral or reverse";
                let told = format!("gear = {gear:?}: must be {allowed}");
                return Err(error::input(py, "gear", &gear, allowed, told));
            }
        };
        let named = locks.unwrap_or_default();
        let locks = Locks::named(named.iter().map(String::as_str)).map_err(|name| {
            let allowed = "centre, inter_axle, front_axles or rear_axles";
            let told = format!("locks has {name:?}: must be {allowed}");
            error::input(py, "locks", &name, allowed, told)
        })?;
        let command = Command { throttle, brake, steering, gear, inflation, locks, uncouple };
        self.world.command(index, Some(command)).map_err(|failure| refused(py, failure))
    }

    /// Gives a vehicle back to its own driver.
    fn release(&mut self, py: Python<'_>, vehicle: &Bound<'_, PyAny>) -> PyResult<()> {
        let index = self.index(vehicle)?;
        self.world.command(index, None).map_err(|failure| refused(py, failure))
    }

    /// Puts a vehicle elsewhere, settled; whether it stands `still`, `slides` or `falls`.
    #[pyo3(signature = (vehicle, position, *, heading = 0.0, speed = 0.0))]
    fn respawn(
        &mut self,
        py: Python<'_>,
        vehicle: &Bound<'_, PyAny>,
        position: [f64; 2],
        heading: f64,
        speed: f64,
    ) -> PyResult<String> {
        let index = self.index(vehicle)?;
        let place = Placement { position, heading, speed };
        let Simulation { world, pool, .. } = self;
        let stand = pool.work(py, || world.respawn(index, &place))?;
        let stand = stand.map_err(|failure| refused(py, failure))?;
        Ok(format!("{stand:?}").to_lowercase())
    }

    /// One vehicle now: an array of each figure.
    fn state<'py>(
        &self,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        state(py, &self.world.sample(self.index(vehicle)?).unwrap_or_default())
    }

    /// All vehicles now, by name.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (agent, sample) in self.built.world.agents.iter().zip(self.world.samples()) {
            dict.set_item(&agent.name, state(py, &sample)?)?;
        }
        Ok(dict)
    }

    /// What the ground did in the last step to each wheel, or to each shoe that met it.
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let contacts = self.world.contacts(self.index(vehicle)?);
        let dict = PyDict::new(py);
        let count = contacts.len();
        let of = |numbers: Vec<f64>, shape: &[usize]| array(py, numbers, shape);
        let forces = contacts.iter().flat_map(|c| c.load.wrench.force.data.0[0]).collect();
        dict.set_item("force", of(forces, &[count, 3])?)?;
        let torques = contacts.iter().flat_map(|c| c.load.wrench.torque.data.0[0]).collect();
        dict.set_item("torque", of(torques, &[count, 3])?)?;
        let normal = contacts.iter().map(|c| c.normal_force).collect();
        dict.set_item("normal_force", of(normal, &[count])?)?;
        dict.set_item("sinkage", of(contacts.iter().map(|c| c.sinkage).collect(), &[count])?)?;
        dict.set_item("area", of(contacts.iter().map(|c| c.area).collect(), &[count])?)?;
        let nodes: Vec<u32> = contacts.iter().map(|c| c.nodes_in_contact).collect();
        dict.set_item("nodes", array(py, nodes, &[count])?)?;
        Ok(dict)
    }

    /// What happened to a vehicle in the last heartbeat, as the library prints it.
    fn events(&self, vehicle: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let events = self.world.events(self.index(vehicle)?);
        Ok(events.iter().map(|event| format!("{event:?}")).collect())
    }

    /// How a vehicle's drive ended, or how it stands.
    fn outcome<'py>(
        &self,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.world.outcome(self.index(vehicle)?))
    }

    /// The run so far in a few figures.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.world.summary(&self.file.scenario.name, 0.0))
    }

    /// What a vehicle's sensors delivered in the last call of `step`.
    fn readings<'py>(
        &self,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let index = self.index(vehicle)?;
        let sensors = &self.built.world.agents[index].sensors;
        let list = PyList::empty(py);
        for (_, delivery) in self.delivered.iter().filter(|(agent, _)| *agent == index) {
            let sensor = sensors.get(delivery.sensor as usize);
            let name = sensor.map_or("", |sensor| sensor.name.as_str());
            list.append(reading(py, name, delivery)?)?;
        }
        Ok(list)
    }

    /// Heights of the ground, or depths of its ruts, m, at points: the bytes of two arrays.
    fn ground_at<'py>(
        &self,
        py: Python<'py>,
        x: &[u8],
        y: &[u8],
        ruts: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [x, y] = [x, y].map(numbers);
        let read = |(x, y): (&f64, &f64)| match ruts {
            true => self.world.rut_depth(*x, *y),
            false => self.world.height(*x, *y),
        };
        let found: Vec<f64> = x.iter().zip(&y).map(read).collect();
        array(py, &found, &[found.len()])
    }

    /// The same over a grid from `origin` on, rows along x.
    fn ground_over<'py>(
        &self,
        py: Python<'py>,
        origin: [f64; 2],
        spacing: f64,
        shape: [usize; 2],
        ruts: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [rows, columns] = shape;
        let count = rows.checked_mul(columns).filter(|count| *count <= MOST_PIXELS as usize);
        let Some(count) = count else {
            let (value, allowed) = (format!("{rows} x {columns}"), "at most 2^24 points");
            let told = format!("shape = {value}: must be {allowed}");
            return Err(error::input(py, "shape", &value, allowed, told));
        };
        let grid = SampleGrid { origin, spacing, columns, rows };
        let mut room = vec![0.0; count];
        let world = &self.world;
        let filled = py.detach(|| match ruts {
            true => world.rut_depths(&grid, &mut room),
            false => world.heights(&grid, &mut room),
        });
        filled.map_err(|e| error::input(py, "shape", &count, "rows and columns", e))?;
        array(py, room, &[rows, columns])
    }

    /// The whole state as bytes, to be pickled or kept.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let Simulation { built, world, .. } = self;
        let bytes = py.detach(|| checkpoint::encode(&built.world, &built.decisive, world.state()));
        PyBytes::new(py, &bytes)
    }

    /// Goes back, or on, to a snapshot of the same scenario: what follows is the same bits.
    fn restore(&mut self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let Simulation { built, world, pool, .. } = self;
        let restored = pool.work(py, || {
            let state = checkpoint::decode(&built.world, &built.decisive, snapshot)
                .map_err(|e| e.to_string())?;
            world.restore(&state).map_err(|e| e.to_string())
        })?;
        self.delivered.clear();
        restored.map_err(|told| error::snapshot(py, told))
    }

    /// Publishes the ground still under wheels too, as the end of a run does.
    fn publish(&mut self, py: Python<'_>) -> PyResult<()> {
        let Simulation { world, pool, .. } = self;
        pool.work(py, || world.publish_all())
    }

    /// Writes the published ruts as a GeoTIFF: columns, rows and side of a cell, m; nothing where
    /// there are none.
    fn write_ruts(&self, py: Python<'_>, path: PathBuf) -> PyResult<Option<(u32, u32, f64)>> {
        let Simulation { built, world, pool, .. } = self;
        let georeference = Georeference::of(built.placement.as_ref());
        let lattice = world.model().ground.lattice();
        let written = pool.work(py, || {
            write_ruts(&path, &rut_nodes(world), lattice, &georeference, geotiff::LARGEST)
        })?;
        let written = written.map_err(|failure| error::run(py, &failure))?;
        Ok(written.map(|raster| (raster.columns, raster.rows, raster.cell)))
    }

    /// Hash of the whole state, hexadecimal.
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        let world = &self.world;
        let hash = self.pool.work(py, || world.hash())?;
        Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// A picture: red, green and blue of each pixel, and the PNG of it.
    #[allow(clippy::too_many_arguments)]
    fn picture<'py>(
        &self,
        py: Python<'py>,
        camera: &str,
        vehicle: &Bound<'_, PyAny>,
        place: Option<[f64; 3]>,
        target: Option<[f64; 3]>,
        size: (u32, u32),
        field: f64,
        supersample: u32,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyBytes>)> {
        let vehicle = self.index(vehicle)?;
        let shot = shot(py, camera, vehicle, place, target, size, field, supersample)?;
        image(py, &self.pool, &shot, &self.file, &self.built, &self.world)
    }

    fn __repr__(&self) -> String {
        let Simulation { file, world, .. } = self;
        format!(
            "<bekker.Simulation {:?} at {:.3} s of {} s, {} threads>",
            file.scenario.name,
            world.time(),
            file.scenario.time.duration,
            self.pool.threads()
        )
    }
}

/// Takes a picture: red, green and blue of each pixel, and the PNG of it.
pub fn image<'py>(
    py: Python<'py>,
    pool: &Pool,
    shot: &Shot,
    file: &ScenarioFile,
    built: &Built,
    world: &World,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyBytes>)> {
    let taken = pool.work(py, || {
        let image = shot.take(file, built, world).map_err(|e| e.to_string())?;
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
    size: (u32, u32),
    field: f64,
    supersample: u32,
) -> PyResult<Shot> {
    let named = Viewpoint::NAMED.iter().find(|(name, _)| *name == camera);
    let Some(viewpoint) = place.map(Viewpoint::From).or(named.map(|(_, viewpoint)| *viewpoint))
    else {
        let names: Vec<&str> = Viewpoint::NAMED.iter().map(|(name, _)| *name).collect();
        let (value, allowed) = (camera, names.join(", "));
        let told = format!("camera = {camera:?}: must be one of {allowed}");
        return Err(error::input(py, "camera", &value, &allowed, told));
    };
    let pixels = u64::from(size.0) * u64::from(size.1);
    if pixels == 0 || pixels > MOST_PIXELS || !(1..=16).contains(&supersample) {
        let value = format!("{size:?}, supersample {supersample}");
        let allowed = "1 to 2^24 pixels, supersample 1 to 16";
        let told = format!("size = {value}: must be {allowed}");
        return Err(error::input(py, "size", &value, allowed, told));
    }
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
    Ok(Shot { viewpoint, target, vehicle, field, size, supersample, coarse: false })
}
