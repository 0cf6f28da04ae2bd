//! `bekker bench envs`

use super::quantity::quantity;
use super::{Failure, stdout};
use crate::learning::{Autoreset, Env, EnvBatch, LearningError, Options, TASKS, Transitions};
use crate::report::text_table;
use clap::Args;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use std::time::Instant;

/// Measure the cost of learning environments: steps per processor second, observations, resets
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker bench envs\n  \
    bekker bench envs --task SoftGoal --envs 1024 --threads 2 --json\n\n\
    Measures rigid and flexible tires with steps of 2, 4 and 5 ms, at 10 actions per second. The\n\
    task's expert policy drives. Steps include physics, observation, reward and resets. They are\n\
    divided by the processor seconds of all threads, which other programs on the machine hardly\n\
    change, and by the wall time.")]
pub struct BenchEnvs {
    /// Learning task
    #[arg(long, default_value = "SoftGoal", value_parser = PossibleValuesParser::new(TASKS.map(|task| task.id())))]
    task: String,
    /// Number of environments
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_536))]
    envs: usize,
    /// Number of threads that step the environments
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,
    /// Distance between soil nodes, m
    #[arg(long, value_name = "M", default_value_t = 0.05, value_parser = quantity(0.01..=0.2, "m"))]
    spacing: f64,
    /// Width and height of a camera image from the driver's view in the observation (default: no
    /// image)
    #[arg(long, value_name = "PIXELS", value_parser = RangedU64ValueParser::<u32>::new().range(8..=256))]
    image: Option<u32>,
    /// Firings per revolution of a 16-beam roof lidar in the observation (default: no lidar)
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(8..=1024))]
    lidar: Option<u32>,
    /// Minimum wall time of each case, s
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = quantity(0.1..=600.0, "s"))]
    seconds: f64,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Cost of one case.
#[derive(Debug, Serialize)]
struct EnvCost {
    tire: &'static str,
    step: f64,
    envs: usize,
    threads: usize,
    /// Environment steps per second of processor time; `None` where the system does not report it.
    per_cpu_second: Option<f64>,
    /// Environment steps per second of wall time.
    per_wall_second: f64,
    /// Processor time of a step, or else its wall time times the number of threads, µs.
    step_us: f64,
    /// Part of it for observations, µs.
    observation_us: f64,
    /// Pixels along a side of the camera image in the observation.
    image: Option<u32>,
    /// Firings per revolution of the lidar in the observation.
    lidar: Option<u32>,
    /// Time of a reset to a cached level, µs.
    reset_us: f64,
    /// Fraction of steps that began an episode.
    resets: f64,
}

/// Time steps of the cases, s.
const STEPS: [f64; 3] = [2e-3, 4e-3, 5e-3];

/// Number of levels; few, so that they are created quickly.
const LEVELS: u64 = 16;

impl BenchEnvs {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let mut costs = Vec::new();
        for (flexible_tires, step) in
            [false, true].into_iter().flat_map(|flexible| STEPS.map(|step| (flexible, step)))
        {
            let options = Options {
                flexible_tires: Some(flexible_tires),
                step: Some(step),
                spacing: Some(self.spacing),
                image: self.image,
                lidar: self.lidar,
                levels: LEVELS,
                ..Options::default()
            };
            if !quiet {
                eprintln!("{} tires, {} ms ...", tire(flexible_tires), 1e3 * step);
            }
            costs.push(self.cost(options)?);
        }
        if self.json {
            return stdout::print_json(&costs);
        }
        let header = [
            "tires",
            "step ms",
            "env-steps per\nprocessor second",
            "env-steps per\nwall second",
            "step us",
            "observation us",
            "reset us",
        ];
        let rows = costs.iter().map(|cost| {
            [
                cost.tire.to_owned(),
                format!("{}", 1e3 * cost.step),
                cost.per_cpu_second.map_or("unknown".into(), |steps| format!("{steps:.0}")),
                format!("{:.0}", cost.per_wall_second),
                format!("{:.0}", cost.step_us),
                format!("{:.1}", cost.observation_us),
                format!("{:.0}", cost.reset_us),
            ]
        });
        let table = text_table::plain(header, rows, ..0);
        let image = self.image.map_or(String::new(), |n| format!(", images of {n} x {n}"));
        let lidar = self.lidar.map_or(String::new(), |n| format!(", scans of 16 x {n}"));
        let head =
            format!("{} x {}{image}{lidar} on {} threads", self.envs, self.task, self.threads);
        stdout::print(&format!("{head}\n\n{}", table.trim_fmt()))
    }

    fn cost(&self, options: Options) -> Result<EnvCost, Failure> {
        let refused = |error: LearningError| Failure::Run {
            subject: self.task.clone(),
            cause: error.to_string(),
        };
        let pool = ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(|error| Failure::Run {
            subject: "threads".into(),
            cause: error.to_string(),
        })?;
        let (flexible, step) =
            (options.flexible_tires == Some(true), options.step.unwrap_or_default());
        let limit = TASKS.iter().find(|task| task.id() == self.task).map(|task| task.max_steps());
        let measured = pool.install(|| -> Result<EnvCost, LearningError> {
            let mut batch = EnvBatch::new(&self.task, options, self.envs, limit)?;
            let mut out = Transitions::default();
            let seeds: Vec<_> = (0..self.envs as u64).map(Some).collect();
            batch.reset(&seeds, &vec![true; self.envs], None, &mut out)?;
            // create all levels before the clock starts
            (0..LEVELS).try_for_each(|level| batch.levels().get(level).map(drop))?;
            let (begun, begun_cpu) = (Instant::now(), processor_seconds());
            let (mut steps, mut resets) = (0, 0);
            while begun.elapsed().as_secs_f64() < self.seconds {
                let actions = batch.experts()?;
                batch.step(&actions, Autoreset::SameStep, &mut out)?;
                steps += self.envs;
                resets += out.reset.iter().filter(|begun| **begun == 1).count();
            }
            let wall = begun.elapsed().as_secs_f64();
            let used = processor_seconds().zip(begun_cpu).map(|(now, then)| now - then);
            // a run shorter than a clock tick has no processor time
            let used = used.filter(|used| *used > 0.0);
            let env = batch.env(0)?;
            Ok(EnvCost {
                tire: tire(flexible),
                step,
                envs: self.envs,
                threads: self.threads,
                per_cpu_second: used.map(|used| steps as f64 / used),
                per_wall_second: steps as f64 / wall,
                step_us: 1e6 * used.unwrap_or(wall * self.threads as f64) / steps as f64,
                observation_us: observing(env)?,
                image: self.image,
                lidar: self.lidar,
                reset_us: resetting(env)?,
                resets: resets as f64 / steps as f64,
            })
        });
        measured.map_err(refused)
    }
}

/// Returns the processor time of all threads of this process, s, in ticks of 10 ms; `None` where the
/// system has no `/proc`.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // fields 14 and 15 of proc(5); the second field may contain spaces and ends with a parenthesis
    let ticks = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
    let ticks: Vec<f64> = ticks.map(str::parse).collect::<Result<_, _>>().ok()?;
    // USER_HZ, a constant of the interface of Linux
    (ticks.len() == 2).then(|| ticks.iter().sum::<f64>() / 100.0)
}

fn tire(flexible: bool) -> &'static str {
    if flexible { "flexible" } else { "rigid" }
}

/// Measures the time of one observation, µs: the minimum of several hundred.
fn observing(env: &Env) -> Result<f64, LearningError> {
    let mut room = vec![0.0; env.agents() * env.observation_size()];
    let mut least = f64::INFINITY;
    for _ in 0..500 {
        let begun = Instant::now();
        env.observe(&mut room)?;
        least = least.min(1e6 * begun.elapsed().as_secs_f64());
    }
    Ok(least)
}

/// Measures the time of a reset to another cached level, µs: the median of a hundred.
fn resetting(env: &Env) -> Result<f64, LearningError> {
    let mut env = env.clone();
    let mut times = Vec::new();
    for n in 0..100 {
        let begun = Instant::now();
        env.reset(None, Some(n % LEVELS))?;
        times.push(1e6 * begun.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::processor_seconds;

    #[test]
    fn work_takes_processor_time() {
        let (started, Some(begun)) = (std::time::Instant::now(), processor_seconds()) else {
            return;
        };
        let mut sum = 0_u64;
        while processor_seconds().is_some_and(|now| now - begun < 0.03) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        // all threads of this process cannot use more than the processors; 20 ms are two ticks
        let most = started.elapsed().as_secs_f64() * num_cpus() + 0.02;
        let used = processor_seconds().map(|now| now - begun);
        assert!(used.is_some_and(|used| used <= most), "{used:?} s of {most} s");
    }

    fn num_cpus() -> f64 {
        std::thread::available_parallelism().map_or(1, usize::from) as f64
    }
}
