//! A scenario as it is driven.

use crate::arrays::{array, history, numbers, state};
use crate::error;
use crate::pool::{PATIENCE, Pool};
use crate::readings::reading;
use crate::scenario::Scenario;
use crate::value::to_python;
use bekker::ground::SampleGrid;
use bekker::report::geotiff::{self, Georeference, rut_nodes, write_ruts};
use bekker::report::shot::{Shot, Viewpoint};
use bekker::report::{event_row, photograph};
use bekker::scenario::build::{Built, world};
use bekker::scenario::{ScenarioFile, whole_heartbeats};
use bekker::sensor::Delivery;
use bekker::simulation::{Command, CommandError, Placement, Sample, Steering, World, checkpoint};
use bekker::vehicle::inflation::pascals;
use bekker::vehicle::{Locks, Selector};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::{Map, Value};
use std::f64::consts::PI;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Instant;

/// Time between samples unless told, s, or the next whole number of heartbeats.
const SAMPLED_EVERY: f64 = 0.1;
/// Most pixels of a picture.
const MOST_PIXELS: u64 = 1 << 24;

/// A world of a scenario, between heartbeats.
#[pyclass(module = "bekker._core", subclass)]
pub struct Simulation {
    file: ScenarioFile,
    built: Built,
    world: World,
    pool: Pool,
    /// What was delivered in the last call of `step`, of which vehicle.
    delivered: Vec<(usize, Delivery)>,
    /// What happened in the last call of `step` or `run_to`, of which vehicle.
    happened: Vec<(usize, Map<String, Value>)>,
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
    /// stretches between which Ctrl-C is heard. `take` is shown every heartbeat, and what happens
    /// is kept.
    fn advance(
        &mut self,
        py: Python<'_>,
        until: f64,
        heartbeats: u64,
        mut take: impl FnMut(&World) + Send,
        mut told: impl FnMut(f64) -> PyResult<()>,
    ) -> PyResult<()> {
        let Simulation { world, pool, happened, .. } = self;
        happened.clear();
        let mut left = heartbeats;
        // half a step short is there
        let until = until - 0.5 * world.model().clock.step();
        while left > 0 && world.time() < until && world.is_running() {
            pool.work(py, || {
                let begun = Instant::now();
                while left > 0 && world.time() < until && world.is_running() {
                    world.advance();
                    left -= 1;
                    for agent in 0..world.model().agents.len() {
                        let events = world.events(agent).iter();
                        let rows = events.map(|own| event_row(world, agent, world.time(), own));
                        happened.extend(rows.map(|row| (agent, row)));
                    }
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

impl Simulation {
    /// Until when to run, s: to the scenario's end unless told, and never back.
    fn end(&self, py: Python<'_>, until: Option<f64>) -> PyResult<f64> {
        let now = self.world.time();
        let (until, whose) = match until {
            Some(until) => (until, ""),
            None => (self.file.scenario.time.duration, ", the scenario's end"),
        };
        let half = 0.5 * self.world.model().clock.step();
        let allowed = match until.is_finite() {
            true if until > now - half => return Ok(until),
            true => format!("a time, s, not before the current time of {now} s"),
            false => "a time, s".into(),
        };
        let told = format!("until = {until}{whose}: must be {allowed}");
        Err(error::input(py, "until", &until, &allowed, told))
    }

    /// How often to sample, s: as told, or each tenth of a second, by whole heartbeats.
    fn sampling(&self, py: Python<'_>, every: Option<f64>) -> PyResult<f64> {
        let heartbeat = self.file.scenario.time.heartbeat;
        let Some(every) = every else {
            // a hair less, for a tenth that is so many of them but for rounding
            return Ok(heartbeat * (SAMPLED_EVERY / heartbeat - 1e-9).ceil());
        };
        let refused = |allowed: &str| {
            let told = format!("sample_every = {every}: must be {allowed}");
            error::input(py, "sample_every", &every, allowed, told)
        };
        if !(every.is_finite() && every > 0.0) {
            return Err(refused("above 0 s"));
        }
        whole_heartbeats(every, heartbeat).map_err(|problem| {
            let told = format!("sample_every = {every}: {problem}");
            error::input(
                py,
                "sample_every",
                &every,
                &error::allowed(&problem).unwrap_or_default(),
                told,
            )
        })?;
        Ok(every)
    }

    /// Whether each coordinate of a point lies on the terrain; `named` says which argument has it,
    /// its value, and what of it the point is.
    fn on_terrain(
        &self,
        py: Python<'_>,
        point: [f64; 2],
        named: impl Fn(&'static str, f64) -> (&'static str, String, &'static str),
    ) -> PyResult<()> {
        let [west, south, east, north] = self.world.model().ground.terrain().bounds();
        let [x, y] = point;
        for (axis, at, [from, to]) in [("x", x, [west, east]), ("y", y, [south, north])] {
            if !(at.is_finite() && (from..=to).contains(&at)) {
                let (key, value, of) = named(axis, at);
                let allowed = format!("on the terrain, {axis} from {from} to {to} m");
                let told = format!("{key} = {value}: {of}must be {allowed}");
                return Err(error::input(py, key, &value, &allowed, told));
            }
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
        CommandError::UnmappedGround { position } => {
            let value = format!("{position:?}");
            error::input(py, "position", &value, "ground with elevation data", &failure)
        }
        _ => error::input(py, "vehicle", &"", "a command that this vehicle supports", &failure),
    }
}

/// A simulation to look at.
fn shown<'py>(simulation: &Bound<'py, Simulation>) -> PyResult<PyRef<'py, Simulation>> {
    simulation.try_borrow().map_err(|_| busy(simulation.py()))
}

/// A simulation to change.
fn held<'py>(simulation: &Bound<'py, Simulation>) -> PyResult<PyRefMut<'py, Simulation>> {
    simulation.try_borrow_mut().map_err(|_| busy(simulation.py()))
}

fn busy(py: Python<'_>) -> PyErr {
    error::run(
        py,
        "the simulation is busy: a call of another thread, or the one that called `progress`, must \
         return first",
    )
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scenario, *, threads = None))]
    fn new(
        py: Python<'_>,
        scenario: PyRef<'_, Scenario>,
        threads: Option<i64>,
    ) -> PyResult<Simulation> {
        let file = scenario.read.clone();
        let pool = Pool::new(py, "threads", threads)?;
        let made = pool.work(py, || {
            let built = world(&file)?;
            let world = World::new(built.world.clone());
            Ok((built, world))
        })?;
        let (built, world) = made.map_err(|faults| error::scenario(py, &faults))?;
        let (delivered, happened) = (Vec::new(), Vec::new());
        Ok(Simulation { file, built, world, pool, delivered, happened })
    }

    /// Simulated time, s.
    #[getter]
    fn time(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Ok(shown(slf)?.world.time())
    }

    /// Whether any vehicle still drives.
    #[getter]
    fn running(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(shown(slf)?.world.is_running())
    }

    /// Names of the vehicles.
    #[getter]
    fn vehicles(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        Ok(shown(slf)?.built.world.agents.iter().map(|agent| agent.name.clone()).collect())
    }

    /// What is doubtful about the scenario, a sentence each.
    #[getter]
    fn warnings(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        Ok(shown(slf)?.built.warnings.iter().map(ToString::to_string).collect())
    }

    /// Takes the world through so many heartbeats, or fewer if no vehicle drives any more.
    #[pyo3(signature = (heartbeats = 1))]
    fn step(slf: &Bound<'_, Self>, py: Python<'_>, heartbeats: i64) -> PyResult<()> {
        let heartbeats = error::whole(py, "heartbeats", heartbeats)?;
        let this = &mut *held(slf)?;
        let mut delivered = Vec::new();
        let agents = this.built.world.agents.len();
        let take = |world: &World| {
            for agent in 0..agents {
                let own = world.delivered(agent).iter().cloned();
                delivered.extend(own.map(|delivery| (agent, delivery)));
            }
        };
        let stepped = this.advance(py, f64::INFINITY, heartbeats, take, |_| Ok(()));
        this.delivered = delivered;
        stepped
    }

    /// Runs to a moment, s, and samples every so many seconds; the vehicles over time.
    fn run_to<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        until: Option<f64>,
        sample_every: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let this = &mut *held(slf)?;
        let until = this.end(py, until)?;
        let every = this.sampling(py, sample_every)?;
        let mut samples: Vec<Vec<Sample>> = vec![this.world.samples().collect()];
        let mut next = this.world.time() + every;
        let half = 0.5 * this.world.model().clock.step();
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
        this.advance(py, until, u64::MAX, take, told)?;
        let dict = PyDict::new(py);
        for (index, agent) in this.built.world.agents.iter().enumerate() {
            let rows: Vec<&Sample> = samples.iter().map(|row| &row[index]).collect();
            dict.set_item(&agent.name, history(py, &rows)?)?;
        }
        Ok(dict)
    }

    /// Commands a vehicle in its driver's place, until told otherwise.
    #[pyo3(signature = (vehicle, *, throttle = 0.0, brake = 0.0, steering = None,
                        steering_angle = None, gear = "drive", inflation_kpa = None, locks = None,
                        uncouple = false))]
    #[allow(clippy::too_many_arguments)]
    fn command(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        vehicle: &Bound<'_, PyAny>,
        throttle: f64,
        brake: f64,
        steering: Option<f64>,
        steering_angle: Option<f64>,
        gear: &str,
        inflation_kpa: Option<f64>,
        locks: Option<Vec<String>>,
        uncouple: bool,
    ) -> PyResult<()> {
        let this = &mut *held(slf)?;
        let index = this.index(vehicle)?;
        let steering = match (steering, steering_angle) {
            (Some(_), Some(angle)) => {
                let told = "steering and steering_angle: give only one of them";
                return Err(error::input(
                    py,
                    "steering_angle",
                    &angle,
                    "absent with steering",
                    told,
                ));
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
        let inflation = inflation_kpa.map(pascals).transpose().map_err(|failure| {
            error::input(py, "inflation_kpa", &failure.kpa, &failure.allowed(), failure)
        })?;
        let command = Command { throttle, brake, steering, gear, inflation, locks, uncouple };
        this.world.command(index, Some(command)).map_err(|failure| refused(py, failure))
    }

    /// Gives a vehicle back to its own driver.
    fn release(slf: &Bound<'_, Self>, py: Python<'_>, vehicle: &Bound<'_, PyAny>) -> PyResult<()> {
        let this = &mut *held(slf)?;
        let index = this.index(vehicle)?;
        this.world.command(index, None).map_err(|failure| refused(py, failure))
    }

    /// Puts a vehicle elsewhere, settled; whether it stands `still`, `slides` or `falls`.
    #[pyo3(signature = (vehicle, position, *, heading = 0.0, speed = 0.0))]
    fn respawn(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        vehicle: &Bound<'_, PyAny>,
        position: [f64; 2],
        heading: f64,
        speed: f64,
    ) -> PyResult<String> {
        let this = &mut *held(slf)?;
        let index = this.index(vehicle)?;
        let place = Placement { position, heading, speed };
        let Simulation { world, pool, .. } = this;
        let stand = pool.work(py, || world.respawn(index, &place))?;
        let stand = stand.map_err(|failure| refused(py, failure))?;
        Ok(format!("{stand:?}").to_lowercase())
    }

    /// One vehicle now: an array of each figure.
    fn state<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let this = &*shown(slf)?;
        state(py, &this.world.sample(this.index(vehicle)?).unwrap_or_default())
    }

    /// All vehicles now, by name.
    fn states<'py>(slf: &Bound<'_, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let this = &*shown(slf)?;
        let dict = PyDict::new(py);
        for (agent, sample) in this.built.world.agents.iter().zip(this.world.samples()) {
            dict.set_item(&agent.name, state(py, &sample)?)?;
        }
        Ok(dict)
    }

    /// What the ground did in the last step to each wheel, or to each shoe that met it.
    fn contacts<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let this = &*shown(slf)?;
        let contacts = this.world.contacts(this.index(vehicle)?);
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

    /// What happened to a vehicle in the last call of `step` or `run`.
    fn events<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = &*shown(slf)?;
        let index = this.index(vehicle)?;
        let own = this.happened.iter().filter(|(agent, _)| *agent == index);
        let rows: Vec<&Map<String, Value>> = own.map(|(_, row)| row).collect();
        to_python(py, &rows)
    }

    /// How a vehicle's drive ended, or how it stands.
    fn outcome<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = &*shown(slf)?;
        to_python(py, &this.world.outcome(this.index(vehicle)?))
    }

    /// The run so far in a few figures.
    fn summary<'py>(slf: &Bound<'_, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let this = &*shown(slf)?;
        let summary = to_python(py, &this.world.summary(&this.file.scenario.name, 0.0))?;
        // how long it took is for who calls to measure
        summary.del_item("wall")?;
        Ok(summary)
    }

    /// What a vehicle's sensors delivered in the last call of `step`.
    fn readings<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let this = &*shown(slf)?;
        let index = this.index(vehicle)?;
        let sensors = &this.built.world.agents[index].sensors;
        let list = PyList::empty(py);
        for (_, delivery) in this.delivered.iter().filter(|(agent, _)| *agent == index) {
            let sensor = sensors.get(delivery.sensor as usize);
            let name = sensor.map_or("", |sensor| sensor.name.as_str());
            list.append(reading(py, name, delivery)?)?;
        }
        Ok(list)
    }

    /// Heights of the ground, or depths of its ruts, m, at points: the bytes of two arrays.
    fn ground_at<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        x: &[u8],
        y: &[u8],
        ruts: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = &*shown(slf)?;
        let [x, y] = [x, y].map(numbers);
        for point in x.iter().zip(&y).map(|(x, y)| [*x, *y]) {
            this.on_terrain(py, point, |axis, at| (axis, at.to_string(), ""))?;
        }
        let read = |(x, y): (&f64, &f64)| match ruts {
            true => this.world.rut_depth(*x, *y),
            false => this.world.height(*x, *y),
        };
        let found: Vec<f64> = x.iter().zip(&y).map(read).collect();
        array(py, &found, &[found.len()])
    }

    /// The same over a grid from `origin` on, rows along x.
    fn ground_over<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        origin: [f64; 2],
        spacing: f64,
        shape: [i64; 2],
        ruts: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = &*shown(slf)?;
        let wrong = |key, value: &dyn Display, allowed| {
            let told = format!("{key} = {value}: must be {allowed}");
            error::input(py, key, value, allowed, told)
        };
        if !origin.into_iter().all(f64::is_finite) {
            return Err(wrong("origin", &format!("{origin:?}"), "finite, m"));
        }
        if !(spacing.is_finite() && spacing > 0.0) {
            return Err(wrong("spacing", &spacing, "above 0 m"));
        }
        let sides = shape.map(|side| usize::try_from(side).ok());
        let most = MOST_PIXELS as usize;
        let count = |rows: usize, columns| rows.checked_mul(columns).filter(|count| *count <= most);
        let found = match sides {
            [Some(rows), Some(columns)] => count(rows, columns).map(|count| (rows, columns, count)),
            _ => None,
        };
        let Some((rows, columns, count)) = found else {
            let value = format!("{} x {}", shape[0], shape[1]);
            return Err(wrong("shape", &value, "rows and columns with at most 2^24 points"));
        };
        let grid = SampleGrid { origin, spacing, columns, rows };
        if count > 0 {
            this.on_terrain(py, origin, |_, _| ("origin", format!("{origin:?}"), ""))?;
            let last = grid.point(columns - 1, rows - 1);
            let named = |_, _| ("shape", format!("{rows} x {columns}"), "the last point ");
            this.on_terrain(py, last, named)?;
        }
        let mut room = vec![0.0; count];
        let world = &this.world;
        let filled = py.detach(|| match ruts {
            true => world.rut_depths(&grid, &mut room),
            false => world.heights(&grid, &mut room),
        });
        filled.map_err(|e| error::input(py, "shape", &count, "rows and columns", e))?;
        array(py, room, &[rows, columns])
    }

    /// The whole state as bytes, to be pickled or kept.
    fn snapshot<'py>(slf: &Bound<'_, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let this = &*shown(slf)?;
        let Simulation { built, world, .. } = this;
        let bytes = py.detach(|| checkpoint::encode(&built.world, &built.decisive, world.state()));
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes back, or on, to a snapshot of the same scenario: what follows is the same bits.
    fn restore(slf: &Bound<'_, Self>, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let this = &mut *held(slf)?;
        let Simulation { built, world, pool, .. } = this;
        let restored = pool.work(py, || {
            let state = checkpoint::decode(&built.world, &built.decisive, snapshot)
                .map_err(|e| e.to_string())?;
            world.restore(&state).map_err(|e| e.to_string())
        })?;
        this.delivered.clear();
        this.happened.clear();
        restored.map_err(|told| error::snapshot(py, told))
    }

    /// Publishes the ground still under wheels too, as the end of a run does.
    fn publish(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<()> {
        let this = &mut *held(slf)?;
        let Simulation { world, pool, .. } = this;
        pool.work(py, || world.publish_all())
    }

    /// Writes the published ruts as a GeoTIFF: columns, rows and side of a cell, m; nothing where
    /// there are none.
    fn write_ruts(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        path: PathBuf,
    ) -> PyResult<Option<(u32, u32, f64)>> {
        let this = &*shown(slf)?;
        let Simulation { built, world, pool, .. } = this;
        let georeference = Georeference::of(built.placement.as_ref());
        let lattice = world.model().ground.lattice();
        let written = pool.work(py, || {
            write_ruts(&path, &rut_nodes(world), lattice, &georeference, geotiff::LARGEST)
        })?;
        let written = written.map_err(|failure| error::run(py, &failure))?;
        Ok(written.map(|raster| (raster.columns, raster.rows, raster.cell)))
    }

    /// Hash of the whole state, hexadecimal.
    fn hash(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<String> {
        let this = &*shown(slf)?;
        let world = &this.world;
        let hash = this.pool.work(py, || world.hash())?;
        Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// A picture: red, green and blue of each pixel, and the PNG of it.
    #[allow(clippy::too_many_arguments)]
    fn picture<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        camera: &str,
        vehicle: &Bound<'_, PyAny>,
        place: Option<[f64; 3]>,
        target: Option<[f64; 3]>,
        size: [i64; 2],
        field: f64,
        supersample: i64,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyBytes>)> {
        let this = &*shown(slf)?;
        let vehicle = this.index(vehicle)?;
        let shot = shot(py, camera, vehicle, place, target, size, field, supersample)?;
        image(py, &this.pool, &shot, &this.file, &this.built, &this.world)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let this = &*shown(slf)?;
        let Simulation { file, world, .. } = this;
        Ok(format!(
            "<bekker.Simulation {:?} at {:.3} s of {} s, {} threads>",
            file.scenario.name,
            world.time(),
            file.scenario.time.duration,
            this.pool.threads()
        ))
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
