//! The class `Simulation`: a running scenario.

use crate::arrays::{array, history, numbers, state};
use crate::error;
use crate::pictures::{MOST_PIXELS, image, shot};
use crate::pool::{PATIENCE, Pool};
use crate::readings::reading;
use crate::scenario::Scenario;
use crate::value::to_python;
use bekker::ground::SampleGrid;
use bekker::report::event_row;
use bekker::report::geotiff::{self, Georeference, rut_nodes, write_ruts};
use bekker::scenario::build::{BuiltWorld, world};
use bekker::scenario::{ScenarioFile, whole_heartbeats};
use bekker::sensor::Delivery;
use bekker::simulation::{
    Command, CommandError, Sample, StartCondition, SteeringCommand, VehiclePlacement, World,
    checkpoint,
};
use bekker::vehicle::inflation::pascals;
use bekker::vehicle::{Locks, Selector};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Instant;

/// Default time between samples, s, rounded up to whole heartbeats.
const SAMPLED_EVERY: f64 = 0.1;
/// Greatest number of outcomes that a message lists.
const MOST_LISTED: usize = 4;

/// The simulated world of a scenario. It advances by whole heartbeats.
#[pyclass(module = "bekker._core", subclass)]
pub struct Simulation {
    scenario: Scenario,
    file: ScenarioFile,
    built: BuiltWorld,
    world: World,
    pool: Pool,
    /// Vehicle and sensor delivery of each reading in the last call of `step`.
    delivered: Vec<(usize, Delivery)>,
    /// Vehicle and row of each event in the last call of `step` or `run_to`.
    happened: Vec<(usize, Map<String, Value>)>,
}

impl Simulation {
    /// Returns the index of a vehicle, given by name or index.
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

    /// Advances until a time, s, for a number of heartbeats, or until no vehicle is driving.
    ///
    /// Checks for Ctrl-C every [`PATIENCE`] and then calls `told` with the time. Calls `take` after
    /// each heartbeat, and collects the events.
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
        // half a step of tolerance for rounding
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
    /// Returns the end time of a run, s: by default the scenario's end.
    ///
    /// Refuses a run without a step: one that ends now or in the past, or after the last drive.
    fn end(&self, py: Python<'_>, duration: Option<f64>, until: Option<f64>) -> PyResult<f64> {
        self.check_running(py)?;
        let now = self.world.time();
        let half = 0.5 * self.world.model().clock.step();
        let (key, given, until, whose) = match (duration, until) {
            (Some(_), Some(until)) => {
                let allowed = "absent with duration";
                let told = format!("until = {until}: must be {allowed}");
                return Err(error::input(py, "until", &until, allowed, told));
            }
            (Some(duration), None) => ("duration", duration, now + duration, ""),
            (None, Some(until)) => ("until", until, until, ""),
            (None, None) => {
                let end = self.file.scenario.time.duration;
                ("until", end, end, ", the scenario's end")
            }
        };
        if until.is_finite() && until > now + half {
            return Ok(until);
        }
        let allowed = match (key, until.is_finite()) {
            ("duration", _) => "a time above 0 s".to_owned(),
            (_, true) => {
                format!("after the current time of {now} s; run(duration) continues from there")
            }
            (_, false) => "a time, s".to_owned(),
        };
        let told = format!("{key} = {given}{whose}: must be {allowed}");
        Err(error::input(py, key, &given, &allowed, told))
    }

    /// Raises `EndedError` if no vehicle is driving any more.
    fn check_running(&self, py: Python<'_>) -> PyResult<()> {
        if self.world.is_running() {
            return Ok(());
        }
        let agents = self.built.world.agents.iter().enumerate();
        let outcomes: Vec<_> =
            agents.map(|(index, agent)| (agent.name.as_str(), self.world.outcome(index))).collect();
        let listed = outcomes.iter().take(MOST_LISTED);
        let listed: Vec<String> =
            listed.map(|(name, outcome)| format!("{name}: {}", outcome.sentence)).collect();
        let more = match outcomes.len().saturating_sub(MOST_LISTED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let told = format!(
            "all drives have ended by {} s ({}{more}); to continue, call respawn(vehicle, (x, y)) or \
             restore(snapshot), or set in the scenario's [endings] what does not end a drive",
            self.world.time(),
            listed.join("; "),
        );
        let by_name = PyDict::new(py);
        for (name, outcome) in &outcomes {
            by_name.set_item(name, to_python(py, outcome)?)?;
        }
        Err(error::ended(py, told, by_name))
    }

    /// Returns the time between samples, s: a whole number of heartbeats, by default about 0.1 s.
    fn sampling(&self, py: Python<'_>, every: Option<f64>) -> PyResult<f64> {
        let heartbeat = self.file.scenario.time.heartbeat;
        let Some(every) = every else {
            // the margin keeps a whole number of heartbeats from being rounded up
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

    /// Checks that a point is on the terrain.
    ///
    /// `named` returns, for an axis and a coordinate, the argument, its value and the words for the
    /// point in the message.
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

/// Borrows a simulation for reading.
fn borrow<'py>(simulation: &Bound<'py, Simulation>) -> PyResult<PyRef<'py, Simulation>> {
    simulation.try_borrow().map_err(|_| busy(simulation.py()))
}

/// Borrows a simulation for writing.
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
        scenario: &Bound<'_, PyAny>,
        threads: Option<i64>,
    ) -> PyResult<Simulation> {
        let scenario = Scenario::from_python(scenario)?;
        let file = scenario.read.clone();
        let pool = Pool::new(py, "threads", threads)?;
        let made = pool.work(py, || {
            let built = world(&file)?;
            let world = World::new(built.world.clone());
            Ok((built, world))
        })?;
        let (built, world) = made.map_err(|faults| error::scenario(py, &faults))?;
        let (delivered, happened) = (Vec::new(), Vec::new());
        Ok(Simulation { scenario, file, built, world, pool, delivered, happened })
    }

    /// Simulated time, s.
    #[getter]
    fn time(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Ok(borrow(slf)?.world.time())
    }

    /// Whether any vehicle is still driving.
    #[getter]
    fn running(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Ok(borrow(slf)?.world.is_running())
    }

    /// Names of the vehicles.
    #[getter]
    fn vehicles(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        Ok(borrow(slf)?.built.world.agents.iter().map(|agent| agent.name.clone()).collect())
    }

    /// The scenario, as a copy.
    #[getter]
    fn scenario(slf: &Bound<'_, Self>) -> PyResult<Scenario> {
        Ok(borrow(slf)?.scenario.clone())
    }

    /// Number of threads.
    #[getter]
    fn threads(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(borrow(slf)?.pool.threads())
    }

    /// Names of the soils, by the numbers of the channel `soil` of cameras.
    fn soil_names(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        let this = &*borrow(slf)?;
        Ok(this.world.model().ground.soils().iter().map(|soil| soil.name.clone()).collect())
    }

    /// Warnings about the scenario, one sentence each.
    #[getter]
    fn warnings(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        Ok(borrow(slf)?.built.warnings.iter().map(ToString::to_string).collect())
    }

    /// Advances by a number of heartbeats, or fewer if the last drive ends before.
    ///
    /// Raises `EndedError` if no vehicle is driving any more.
    #[pyo3(signature = (heartbeats = 1))]
    fn step(slf: &Bound<'_, Self>, py: Python<'_>, heartbeats: i64) -> PyResult<()> {
        let heartbeats = error::positive(py, "heartbeats", heartbeats)?;
        let this = &mut *held(slf)?;
        this.check_running(py)?;
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

    /// Runs for a duration or to a time, s, and samples at an interval, s.
    ///
    /// Returns the history of each vehicle by name: one array per quantity, with time as first
    /// axis.
    fn run_to<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        duration: Option<f64>,
        until: Option<f64>,
        sample_every: Option<f64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let this = &mut *held(slf)?;
        let until = this.end(py, duration, until)?;
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
        this.delivered.clear();
        this.advance(py, until, u64::MAX, take, told)?;
        let dict = PyDict::new(py);
        for (index, agent) in this.built.world.agents.iter().enumerate() {
            let rows: Vec<&Sample> = samples.iter().map(|row| &row[index]).collect();
            dict.set_item(&agent.name, history(py, &rows)?)?;
        }
        Ok(dict)
    }

    /// Replaces the commands of a vehicle's driver until the next `command` or `release`.
    ///
    /// `vehicle` is a name or an index. `throttle` and `brake` are 0 to 1. `steering` is -1 (right)
    /// to 1 (left); `steering_angle`, instead of it, is the mean angle of the steered wheels, rad.
    /// `gear` is `drive`, `neutral` or `reverse`. `inflation_kpa`, 0 to 5000 kPa, is the inflation
    /// that central tire inflation works towards. `locks` lists the differentials to lock:
    /// `center`, `inter_axle`, `front_axles`, `rear_axles`. `uncouple` uncouples the trailer.
    ///
    /// Raises `InputError` if a value is invalid, and then changes nothing.
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
            (share, None) => SteeringCommand::Share(share.unwrap_or(0.0)),
            (None, Some(angle)) => SteeringCommand::Angle(angle),
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
            let allowed = "center, inter_axle, front_axles or rear_axles";
            let told = format!("locks has {name:?}: must be {allowed}");
            error::input(py, "locks", &name, allowed, told)
        })?;
        let inflation = inflation_kpa.map(pascals).transpose().map_err(|failure| {
            error::input(py, "inflation_kpa", &failure.kpa, &failure.allowed(), failure)
        })?;
        let command = Command { throttle, brake, steering, gear, inflation, locks, uncouple };
        this.world.command(index, Some(command)).map_err(|failure| refused(py, failure))
    }

    /// Returns control of a vehicle to the driver of its scenario.
    fn release(slf: &Bound<'_, Self>, py: Python<'_>, vehicle: &Bound<'_, PyAny>) -> PyResult<()> {
        let this = &mut *held(slf)?;
        let index = this.index(vehicle)?;
        this.world.command(index, None).map_err(|failure| refused(py, failure))
    }

    /// Moves a vehicle to another position and computes its static equilibrium there.
    ///
    /// `position` is x and y, m; `heading` is in rad, `speed` is the forward speed, m/s. Returns
    /// `equilibrium`, `sliding` (the slope is too steep) or `unsupported`. Raises `InputError` if the
    /// position is outside the terrain or occupied.
    #[pyo3(signature = (vehicle, position, *, heading = 0.0, speed = 0.0))]
    fn respawn(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        vehicle: &Bound<'_, PyAny>,
        position: [f64; 2],
        heading: f64,
        speed: f64,
    ) -> PyResult<&'static str> {
        let this = &mut *held(slf)?;
        let index = this.index(vehicle)?;
        let place = VehiclePlacement { position, heading, speed };
        let Simulation { world, pool, .. } = this;
        let stand = pool.work(py, || world.respawn(index, &place))?;
        let stand = stand.map_err(|failure| refused(py, failure))?;
        Ok(match stand {
            StartCondition::Equilibrium => "equilibrium",
            StartCondition::Sliding => "sliding",
            StartCondition::Unsupported => "unsupported",
        })
    }

    /// Returns the state of a vehicle now: one array per quantity.
    fn state<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let this = &*borrow(slf)?;
        state(py, &this.world.sample(this.index(vehicle)?).unwrap_or_default())
    }

    /// Returns the states of all vehicles now, by name.
    fn states<'py>(slf: &Bound<'_, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let this = &*borrow(slf)?;
        let dict = PyDict::new(py);
        for (agent, sample) in this.built.world.agents.iter().zip(this.world.samples()) {
            dict.set_item(&agent.name, state(py, &sample)?)?;
        }
        Ok(dict)
    }

    /// Returns the contacts of a vehicle with the ground in the last step.
    ///
    /// There is one row for each wheel, axle by axle from the front and left before right, or for
    /// each shoe of the left and then of the right track: first those in contact, then those off
    /// the ground. The arrays are `force` (n, 3), N; `torque` (n, 3), N m; `normal_force`, N;
    /// `sinkage`, m; `area`, m²; and `nodes`, the number of soil nodes that carry load. All are zero
    /// without contact and before the first step.
    fn contacts<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let this = &*borrow(slf)?;
        let contacts = this.world.padded_contacts(this.index(vehicle)?);
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

    /// Returns the events of a vehicle in the last call of `step` or `run`, in order of time.
    ///
    /// Each is a dict with `event`, `time_s` (the end of its heartbeat) and `vehicle`. The events
    /// `gear_shifted`, `soil_entered` and `intent_changed` have `from` and `to`, `collided` has the
    /// columns of `hits.csv`, and `ended` has the `outcome`. `uncoupled`, `torn_off` and `pulled_up`
    /// have no more keys.
    fn events<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = &*borrow(slf)?;
        let index = this.index(vehicle)?;
        let own = this.happened.iter().filter(|(agent, _)| *agent == index);
        let rows: Vec<&Map<String, Value>> = own.map(|(_, row)| row).collect();
        to_python(py, &rows)
    }

    /// Returns the outcome of a vehicle's drive, or its status if it is still driving.
    fn outcome<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = &*borrow(slf)?;
        to_python(py, &this.world.outcome(this.index(vehicle)?))
    }

    /// Returns the content of `summary.json` for the run so far, without the wall time.
    fn summary<'py>(slf: &Bound<'_, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let this = &*borrow(slf)?;
        let summary = to_python(py, &this.world.summary(&this.file.scenario.name, 0.0))?;
        // the wall time is measured by the caller
        summary.del_item("wall")?;
        Ok(summary)
    }

    /// Returns the sensor readings delivered to a vehicle in the last call of `step`.
    ///
    /// There are none after `run`, which keeps no readings.
    ///
    /// Each is a dict with `sensor`, `kind`, `frame`, the times of measurement `taken` and of
    /// delivery `delivered`, s, `position` (3), m, and `orientation` (4: w, x, y, z) of the sensor in
    /// the world (of odometry the estimated ones), and the arrays of its kind.
    fn readings<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        vehicle: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let this = &*borrow(slf)?;
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

    /// Returns the heights of the ground, or the depths of its ruts, m, at points.
    ///
    /// `x` and `y`, m, are the bytes of two arrays of `f8`.
    fn ground_at<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        x: &[u8],
        y: &[u8],
        ruts: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = &*borrow(slf)?;
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

    /// Returns the same over a grid that starts at `origin`, with rows along x, `[row, column]`.
    fn ground_over<'py>(
        slf: &Bound<'_, Self>,
        py: Python<'py>,
        origin: [f64; 2],
        spacing: f64,
        shape: [i64; 2],
        ruts: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = &*borrow(slf)?;
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

    /// Returns the complete state as bytes.
    fn snapshot<'py>(slf: &Bound<'_, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let this = &*borrow(slf)?;
        let Simulation { built, world, .. } = this;
        let bytes = py.detach(|| checkpoint::encode(&built.world, &built.decisive, world.state()));
        Ok(PyBytes::new(py, &bytes))
    }

    /// Restores the state of a snapshot of the same scenario.
    ///
    /// The simulation then continues with the same bits. Raises `SnapshotError` if the snapshot is
    /// damaged or belongs to another scenario.
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

    /// Publishes all deformation, including that under wheels, as the end of a run does.
    ///
    /// Afterwards ruts and hash equal those of `bekker run`.
    fn publish(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<()> {
        let this = &mut *held(slf)?;
        let Simulation { world, pool, .. } = this;
        pool.work(py, || world.publish_all())
    }

    /// Writes the published ruts as a GeoTIFF.
    ///
    /// Returns columns, rows and cell size, m. Writes nothing and returns None if there are no
    /// ruts.
    fn write_ruts(
        slf: &Bound<'_, Self>,
        py: Python<'_>,
        path: PathBuf,
    ) -> PyResult<Option<(u32, u32, f64)>> {
        let this = &*borrow(slf)?;
        let Simulation { built, world, pool, .. } = this;
        let georeference = Georeference::from_placement(built.placement.as_ref());
        let lattice = world.model().ground.lattice();
        let written = pool.work(py, || {
            write_ruts(&path, &rut_nodes(world), lattice, &georeference, geotiff::LARGEST)
        })?;
        let written = written.map_err(|failure| error::run(py, &failure))?;
        Ok(written.map(|raster| (raster.columns, raster.rows, raster.cell)))
    }

    /// Returns the hash of the complete state, 64 hexadecimal digits.
    fn hash(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<String> {
        let this = &*borrow(slf)?;
        let world = &this.world;
        let hash = this.pool.work(py, || world.hash())?;
        Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Renders a picture: an array (rows, columns, 3) of 8-bit sRGB, and the same as a PNG.
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
        let this = &*borrow(slf)?;
        let vehicle = this.index(vehicle)?;
        let shot = shot(py, camera, vehicle, place, target, size, field, supersample)?;
        image(py, &this.pool, &shot, &this.file, &this.built, &this.world, &[])
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let this = &*borrow(slf)?;
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
