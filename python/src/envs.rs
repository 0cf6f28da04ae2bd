//! The class `Envs`: environments of one task.

use crate::arrays::{Number, array, history, state};
use crate::error;
use crate::options::options_of;
use crate::pictures::{image, shot};
use crate::pool::Pool;
use crate::scenario::Scenario;
use crate::value::to_python;
use bekker::learning::{
    Autoreset, CUSTOM_TASKS, CustomLevel, Env, EnvBatch, EpisodeEnding, GOAL_RADIUS, LearningError,
    LearningTask, Levels, ObservationField, TASKS, Transitions,
};
use bekker::report::goal_mark::GoalMark;
use bekker::report::shot::Shot;
use bekker::spatial::Vec3;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};

/// Scenario, goal, m, and target speeds, m/s, of a level.
type LevelTuple<'py> = (PyRef<'py, Scenario>, Option<[f64; 2]>, Vec<f64>);

/// Environments of one task, stepped in parallel on threads of this object.
#[pyclass(module = "bekker._core")]
pub struct Envs {
    batch: EnvBatch,
    /// Number of steps after which episodes are truncated.
    limit: Option<u32>,
    pool: Pool,
    out: Transitions,
}

fn refused(py: Python<'_>, failure: LearningError) -> PyErr {
    match &failure {
        LearningError::NoTask { name, known } => error::input(py, "task", name, known, &failure),
        LearningError::Option { option, value, allowed } => {
            error::input(py, option, value, allowed, &failure)
        }
        LearningError::Level { diagnostics, .. } => error::scenario(py, diagnostics),
        LearningError::Count { what, found, expected } => {
            error::input(py, what, found, &expected.to_string(), &failure)
        }
        LearningError::Action { value, .. } => {
            error::input(py, "action", value, "a finite number", &failure)
        }
        LearningError::Snapshot { .. } | LearningError::State(_) => error::snapshot(py, &failure),
        _ => error::run(py, &failure),
    }
}

/// Decodes the bytes of an array of `f4`.
fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|number| f32::from_ne_bytes(*number)).collect()
}

/// Checks a number of environments.
fn count(py: Python<'_>, num_envs: i64) -> PyResult<usize> {
    if (1..=1 << 20).contains(&num_envs) {
        return Ok(num_envs as usize);
    }
    let allowed = "from 1 to 1048576";
    let told = format!("num_envs = {num_envs}: must be {allowed}");
    Err(error::input(py, "num_envs", &num_envs, allowed, told))
}

/// Creates an array with a row for each of `count` environments, or a number if there is only one per
/// row.
fn rows_or_scalars<'py>(
    py: Python<'py>,
    numbers: &[f64],
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if numbers.len() == count { array(py, numbers, &[count]) } else { rows(py, numbers, count) }
}

fn rows<'py, T: Number>(
    py: Python<'py>,
    numbers: &[T],
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    array(py, numbers, &[count, numbers.len() / count.max(1)])
}

impl Envs {
    /// Checks the index of an environment.
    fn place(&self, py: Python<'_>, env: i64) -> PyResult<usize> {
        let count = self.batch.len();
        usize::try_from(env).ok().filter(|place| *place < count).ok_or_else(|| {
            let allowed = format!("from 0 to {}", count - 1);
            error::input(py, "env", &env, &allowed, format!("env = {env}: must be {allowed}"))
        })
    }
}

#[pymethods]
impl Envs {
    #[new]
    #[pyo3(signature = (task, num_envs, options, limit = None, threads = None))]
    fn new(
        py: Python<'_>,
        task: &str,
        num_envs: i64,
        options: &Bound<'_, PyDict>,
        limit: Option<u32>,
        threads: Option<i64>,
    ) -> PyResult<Envs> {
        let num_envs = count(py, num_envs)?;
        let options = options_of(options)?;
        let pool = Pool::new(py, "num_threads", threads)?;
        let batch = pool.work(py, || EnvBatch::new(task, options, num_envs, limit))?;
        let batch = batch.map_err(|failure| refused(py, failure))?;
        Ok(Envs { batch, limit, pool, out: Transitions::default() })
    }

    /// Creates environments on given levels, each a scenario with its goal, m, and target speeds, m/s.
    #[staticmethod]
    #[pyo3(signature = (levels, reverses, num_envs, options, limit = None, threads = None))]
    fn custom(
        py: Python<'_>,
        levels: Vec<LevelTuple<'_>>,
        reverses: bool,
        num_envs: i64,
        options: &Bound<'_, PyDict>,
        limit: Option<u32>,
        threads: Option<i64>,
    ) -> PyResult<Envs> {
        let num_envs = count(py, num_envs)?;
        if levels.is_empty() {
            let allowed = "1 or more";
            return Err(error::input(py, "levels", &0, allowed, "levels = 0: must be 1 or more"));
        }
        let custom = levels.into_iter().map(|(scenario, goal, speeds)| CustomLevel {
            scenario: scenario.read.clone(),
            goal,
            speeds,
        });
        let custom = custom.collect();
        let options = options_of(options)?;
        let pool = Pool::new(py, "num_threads", threads)?;
        let task = CUSTOM_TASKS[usize::from(reverses)];
        let levels = pool.work(py, || Levels::custom(task, options, custom))?;
        let levels = levels.map_err(|failure| refused(py, failure))?;
        let batch = EnvBatch::on_levels(levels, num_envs, limit);
        Ok(Envs { batch, limit, pool, out: Transitions::default() })
    }

    /// Ends the episodes of the environments in the mask, as if their task had ended.
    fn end_episodes(&mut self, py: Python<'_>, mask: Vec<bool>) -> PyResult<()> {
        self.batch.end_episodes(&mask).map_err(|failure| refused(py, failure))
    }

    /// Draws the next episodes of all environments from the levels `first` to `last`.
    fn draw_levels(&mut self, py: Python<'_>, first: u64, last: u64) -> PyResult<()> {
        let levels = first..last.saturating_add(1);
        self.batch.draw_levels(levels).map_err(|failure| refused(py, failure))
    }

    /// Returns the states of the first vehicles: one array per quantity, environments as first axis.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let envs = self.batch.len();
        let agents = (0..envs).map(|env| self.batch.env(env).and_then(|env| env.agent(0)));
        let agents =
            agents.collect::<Result<Vec<_>, _>>().map_err(|failure| refused(py, failure))?;
        let samples: Vec<_> = agents.iter().map(|(agent, ..)| &agent.sample).collect();
        let wheels = |n: usize| samples[n].wheels.len();
        if let Some(env) = (1..envs).find(|env| wheels(*env) != wheels(0)) {
            let told =
                format!("environments 0 and {env} have vehicles with different numbers of wheels");
            return Err(error::run(py, told));
        }
        let dict = history(py, &samples)?;
        let memory = || agents.iter().map(|(agent, ..)| &agent.memory);
        let put = |name: &str, numbers: Vec<f64>| -> PyResult<()> {
            dict.set_item(name, rows_or_scalars(py, &numbers, envs)?)
        };
        put("energy", memory().map(|own| own.energy).collect())?;
        put("action_change", memory().map(|own| own.action_change).collect())?;
        put("stalled_time", memory().map(|own| own.stalled_time).collect())?;
        put("specific_force", memory().flat_map(|own| own.specific_force).collect())?;
        put("previous_position", memory().flat_map(|own| own.before).collect())?;
        let actions = self.batch.levels().task().actions();
        let last = memory().flat_map(|own| own.action.into_iter().take(actions).map(f64::from));
        put("action", last.collect())?;
        let speeds = agents.iter().map(|(_, speed, _)| speed.unwrap_or(f64::NAN));
        put("wanted_speed", speeds.collect())?;
        let goals = agents.iter().flat_map(|(.., goal)| goal.unwrap_or([f64::NAN; 2]));
        put("goal", goals.collect())?;
        Ok(dict)
    }

    /// Pickles the arguments of the constructor and the episodes.
    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyType>,
        (&'static str, usize, Bound<'py, PyAny>, Option<u32>, usize),
        Vec<Option<Bound<'py, PyBytes>>>,
    )> {
        let levels = self.batch.levels();
        if CUSTOM_TASKS.iter().any(|task| task.id() == levels.task().id()) {
            return Err(PyTypeError::new_err("environments of an own task cannot be pickled"));
        }
        let options = to_python(py, levels.options())?;
        let made = (levels.task().id(), self.batch.len(), options, self.limit, self.threads());
        let episode = |env| match self.batch.snapshot(env) {
            Ok(bytes) => Ok(Some(PyBytes::new(py, &bytes))),
            Err(LearningError::NotReset { .. }) => Ok(None),
            Err(failure) => Err(refused(py, failure)),
        };
        let episodes = (0..self.batch.len()).map(episode).collect::<PyResult<_>>()?;
        Ok((py.get_type::<Envs>(), made, episodes))
    }

    /// Restores the episodes after unpickling.
    fn __setstate__(&mut self, py: Python<'_>, episodes: Vec<Option<Vec<u8>>>) -> PyResult<()> {
        for (env, episode) in episodes.iter().enumerate() {
            if let Some(episode) = episode {
                self.restore(py, env as i64, episode)?;
            }
        }
        Ok(())
    }

    /// Returns an independent copy with the same levels and its own threads.
    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Envs> {
        let pool = Pool::new(py, "num_threads", Some(self.threads() as i64))?;
        let (batch, out) = (self.batch.clone(), self.out.clone());
        Ok(Envs { batch, limit: self.limit, pool, out })
    }

    /// Returns the parts of an observation: name, size, scale (the value that 1 stands for), unit,
    /// shape.
    #[allow(clippy::type_complexity)]
    fn layout<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(String, usize, f64, &'static str, Bound<'py, PyTuple>)>> {
        let field = |field: &ObservationField| {
            let shape = match &field.axes {
                // a scan has one number for each beam and firing
                Some(axes) if field.name == "lidar" => PyTuple::new(py, &axes[..2])?,
                Some(axes) => PyTuple::new(py, axes)?,
                None => PyTuple::new(py, [field.size])?,
            };
            Ok((field.name.to_string(), field.size, field.scale, field.unit, shape))
        };
        self.batch.levels().layout().iter().map(field).collect()
    }

    /// Size of the action of one vehicle.
    #[getter]
    fn actions(&self) -> usize {
        self.batch.levels().task().actions()
    }

    /// Number of vehicles, the agents, in each environment.
    #[getter]
    fn agents(&self) -> usize {
        self.batch.agents()
    }

    /// Size of the observation of one vehicle.
    #[getter]
    fn observations(&self) -> usize {
        self.batch.observation_size()
    }

    /// Time between actions, s.
    #[getter]
    fn period(&self) -> f64 {
        self.batch.levels().options().period
    }

    /// Returns the names of the columns of an info.
    fn info_names(&self) -> Vec<String> {
        let terms = self.batch.levels().task().terms().iter();
        let terms = terms.map(|term| format!("reward_{term}"));
        let figures = Env::FIGURES.iter().map(ToString::to_string);
        terms.chain(figures).chain(["ending".to_owned()]).collect()
    }

    /// Begins episodes of the environments in the mask.
    ///
    /// Returns the observations and the levels of all environments.
    fn reset<'py>(
        &mut self,
        py: Python<'py>,
        seeds: Vec<Option<u64>>,
        mask: Vec<bool>,
        level: Option<u64>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let Envs { batch, pool, out, .. } = self;
        let done = pool.work(py, || batch.reset(&seeds, &mask, level, out))?;
        done.map_err(|failure| refused(py, failure))?;
        let (envs, vehicles) = (batch.len(), batch.len() * batch.agents());
        Ok((rows(py, &out.observations, vehicles)?, array(py, &out.levels, &[envs])?))
    }

    /// Steps all environments.
    ///
    /// Returns observations, rewards, terminated, truncated, reset, final observations, infos,
    /// current levels, and levels of the step. Observations, rewards and infos have a row per
    /// vehicle, flags and levels one per environment. Final observations are those of environments
    /// that were reset in the same step; None without such environments.
    #[allow(clippy::type_complexity)]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: &[u8],
        autoreset: &str,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Option<Bound<'py, PyAny>>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
    )> {
        let autoreset = match autoreset {
            "NextStep" => Autoreset::NextStep,
            "SameStep" => Autoreset::SameStep,
            "Disabled" => Autoreset::Disabled,
            _ => {
                let allowed = "NextStep, SameStep or Disabled";
                let told = format!("autoreset = {autoreset:?}: must be {allowed}");
                return Err(error::input(py, "autoreset", &autoreset, allowed, told));
            }
        };
        let actions = numbers(actions);
        let Envs { batch, pool, out, .. } = self;
        let done = pool.work(py, || batch.step(&actions, autoreset, out))?;
        done.map_err(|failure| refused(py, failure))?;
        let (count, vehicles) = (batch.len(), batch.len() * batch.agents());
        let any_last = autoreset == Autoreset::SameStep && out.reset.contains(&1);
        let last = any_last.then(|| rows(py, &out.final_observations, vehicles)).transpose()?;
        let flags = |flags: &Vec<u8>| array(py, flags, &[count]);
        Ok((
            rows(py, &out.observations, vehicles)?,
            array(py, &out.rewards, &[vehicles])?,
            flags(&out.terminated)?,
            flags(&out.truncated)?,
            flags(&out.reset)?,
            last,
            rows(py, &out.infos, vehicles)?,
            array(py, &out.levels, &[count])?,
            array(py, &out.driven_levels, &[count])?,
        ))
    }

    /// Returns the actions of the expert in the current states, one row per vehicle.
    fn experts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let actions = self.batch.experts().map_err(|failure| refused(py, failure))?;
        rows(py, &actions, self.batch.len() * self.batch.agents())
    }

    /// Returns the episode of an environment as bytes.
    fn snapshot<'py>(&self, py: Python<'py>, env: i64) -> PyResult<Bound<'py, PyBytes>> {
        let env = self.place(py, env)?;
        let bytes = py.detach(|| self.batch.snapshot(env));
        Ok(PyBytes::new(py, &bytes.map_err(|failure| refused(py, failure))?))
    }

    /// Restores the episode of a snapshot, and returns its observation.
    fn restore<'py>(
        &mut self,
        py: Python<'py>,
        env: i64,
        snapshot: &[u8],
    ) -> PyResult<Bound<'py, PyAny>> {
        let env = self.place(py, env)?;
        let Envs { batch, pool, out, .. } = self;
        let size = batch.agents() * batch.observation_size();
        // a later reset of other environments also returns this observation
        out.observations.resize(batch.len() * size, 0.0);
        let seen = &mut out.observations[env * size..][..size];
        let done = pool.work(py, || batch.restore(env, snapshot, seen))?;
        done.map_err(|failure| refused(py, failure))?;
        array(py, &*seen, &[size])
    }

    /// Simulates futures of a snapshot.
    ///
    /// Returns rewards (futures, horizon), lengths, terminated, and the last observations.
    #[allow(clippy::type_complexity)]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        snapshot: &[u8],
        actions: &[u8],
        horizon: usize,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)>
    {
        let actions = numbers(actions);
        let Envs { batch, pool, .. } = self;
        let found = pool
            .work_while(py, |goes_on| batch.rollout_while(snapshot, &actions, horizon, goes_on))?;
        let found = found.map_err(|failure| refused(py, failure))?;
        let futures = found.lengths.len();
        Ok((
            rows(py, &found.rewards, futures)?,
            array(py, &found.lengths, &[futures])?,
            array(py, &found.terminated, &[futures])?,
            rows(py, &found.observations, futures)?,
        ))
    }

    /// Whether the episode of an environment has ended.
    fn over(&self, py: Python<'_>, env: i64) -> PyResult<bool> {
        Ok(self.batch.is_over(self.place(py, env)?))
    }

    /// Returns the state of the vehicle of an environment: one array per quantity.
    fn state<'py>(&self, py: Python<'py>, env: i64) -> PyResult<Bound<'py, PyDict>> {
        let env = self.place(py, env)?;
        let world = self.batch.env(env).and_then(Env::world);
        let (world, _) = world.map_err(|failure| refused(py, failure))?;
        state(py, &world.sample(0).unwrap_or_default())
    }

    /// Returns the scenario of the current level of an environment.
    fn scenario<'py>(&self, py: Python<'py>, env: i64) -> PyResult<Bound<'py, PyAny>> {
        let env = self.place(py, env)?;
        let world = self.batch.env(env).and_then(Env::world);
        let (_, level) = world.map_err(|failure| refused(py, failure))?;
        to_python(py, &level.file.scenario)
    }

    /// Renders a picture of an environment, with its goal: an array of 8-bit sRGB, and a PNG.
    fn picture<'py>(
        &self,
        py: Python<'py>,
        env: i64,
        camera: &str,
        size: [i64; 2],
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyBytes>)> {
        let env = self.place(py, env)?;
        let env = self.batch.env(env);
        let goal = env.and_then(|env| Ok((env.world()?, env.level_goal()?)));
        let ((world, level), goal) = goal.map_err(|failure| refused(py, failure))?;
        let terrain = world.model().ground.terrain();
        let goal = goal.map(|[x, y]| GoalMark {
            center: Vec3::new(x, y, terrain.height(x, y)),
            radius: GOAL_RADIUS,
        });
        let shot = Shot { coarse: true, ..shot(py, camera, 0, None, None, size, 1.0, 1)? };
        image(py, &self.pool, &shot, &level.file, &level.built, world, goal.as_slice())
    }

    /// Number of threads that step the environments.
    #[getter]
    fn threads(&self) -> usize {
        self.pool.threads()
    }

    fn __len__(&self) -> usize {
        self.batch.len()
    }
}

/// Returns the tasks: name, maximum steps of an episode, terms of the reward, maximum vehicles.
#[pyfunction]
pub fn tasks() -> Vec<(&'static str, u32, Vec<&'static str>, u32)> {
    let told = |task: &&'static dyn LearningTask| {
        (task.id(), task.max_steps(), task.terms().to_vec(), task.vehicles()[1])
    };
    TASKS.iter().map(told).collect()
}

/// Returns the names of the endings of an episode, by number.
#[pyfunction]
pub fn endings() -> Vec<&'static str> {
    EpisodeEnding::NAMES.to_vec()
}
