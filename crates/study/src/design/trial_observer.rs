//! Observer of a trial that records its responses, heartbeat by heartbeat.

use super::event_kind::{EventKind, EventMeasure};
use super::response::{Measure, Response, ResponseValue};
use super::run_metric::RunMetric;
use super::state_column::Extreme;
use bekker_agent::{Event, Sample};
use bekker_mobility::absorbed_power;
use bekker_ranks::{Flow, HeartbeatInfo, Observer};
use bekker_world::{RunSummary, World};

/// Observer of a run for its responses.
#[derive(Debug)]
pub(super) struct TrialObserver<'a> {
    responses: &'a [Response],
    data: Vec<ResponseData>,
}

/// Accumulated data of a response.
#[derive(Clone, Debug, Default)]
struct ResponseData {
    count: u64,
    sum: f64,
    least: Option<f64>,
    greatest: Option<f64>,
    gear: Option<i32>,
    /// Time of the first event, s.
    first: Option<f64>,
    /// Times, s, and vertical velocities, m/s.
    climbs: Vec<[f64; 2]>,
}

impl<'a> TrialObserver<'a> {
    pub fn new(responses: &'a [Response]) -> TrialObserver<'a> {
        TrialObserver { responses, data: vec![ResponseData::default(); responses.len()] }
    }

    /// Returns whether samples are needed.
    pub fn is_needed(&self) -> bool {
        self.responses.iter().any(|own| match own.measure {
            Measure::Run(metric) => metric.needs_observation(),
            Measure::State(..) => true,
            // events arrive at every heartbeat without samples
            Measure::Event(..) => false,
        })
    }

    /// Returns all responses of a finished run.
    pub fn values(&self, run: &RunSummary) -> Vec<ResponseValue> {
        let value = |(own, data): (&Response, &ResponseData)| match own.measure {
            Measure::Run(RunMetric::Collisions | RunMetric::GearShifts) => {
                ResponseValue::Number(data.count as f64)
            }
            Measure::Run(RunMetric::AbsorbedPower) => number(power(&data.climbs)),
            Measure::Run(metric) => metric.value(run, own.vehicle),
            Measure::Event(EventMeasure::Count, _) => ResponseValue::Number(data.count as f64),
            Measure::Event(EventMeasure::FirstTime, _) => number(data.first),
            Measure::State(Extreme::Min, _) => number(data.least),
            Measure::State(Extreme::Max, _) => number(data.greatest),
            Measure::State(Extreme::Mean, _) => {
                number((data.count > 0).then(|| data.sum / data.count as f64))
            }
        };
        self.responses.iter().zip(&self.data).map(value).collect()
    }

    /// Records an event of a vehicle, unless the vehicle arrived before.
    fn observe_event(&mut self, world: &World, vehicle: usize, event: &Event) {
        let agent = world.state().agents.get(vehicle);
        let arrived = agent.and_then(|agent| agent.monitor.arrival_time());
        // a collision is emitted at its end, but counts from its beginning
        let time = match event {
            Event::Collided(hit) => hit.time,
            _ => world.time(),
        };
        if !arrived.is_none_or(|arrived| until(arrived, time)) {
            return;
        }
        for (own, data) in self.responses.iter().zip(&mut self.data) {
            let asked = match own.measure {
                Measure::Run(RunMetric::Collisions) => EventKind::Collided.matches(event),
                Measure::Event(_, kind) => kind.matches(event),
                _ => false,
            };
            if asked && own.vehicle == vehicle {
                // the longer of two collisions is emitted last
                data.first = Some(data.first.map_or(time, |first| first.min(time)));
                data.count += 1;
            }
        }
    }

    /// Samples the vehicles until their drives end or they arrive, as for `driving_time`.
    ///
    /// At the start no forces are known.
    fn observe_samples(&mut self, world: &World, samples: &[Sample], is_start: bool) {
        for (own, data) in self.responses.iter().zip(&mut self.data) {
            let Some(agent) = world.state().agents.get(own.vehicle) else { continue };
            let drives = agent.outcome.is_none();
            let Some(sample) = samples.get(own.vehicle).filter(|_| drives) else { continue };
            if !agent.monitor.arrival_time().is_none_or(|arrived| until(arrived, sample.time)) {
                continue;
            }
            match own.measure {
                Measure::State(..) if is_start => {}
                Measure::State(_, column) => column.numbers(sample).for_each(|x| data.add(x)),
                Measure::Run(RunMetric::GearShifts) => {
                    let shifted = data.gear.is_some_and(|gear| gear != sample.gear);
                    (data.gear, data.count) = (Some(sample.gear), data.count + u64::from(shifted));
                }
                Measure::Run(RunMetric::AbsorbedPower) => {
                    data.climbs.push([sample.time, sample.velocity.z]);
                }
                Measure::Run(_) | Measure::Event(..) => {}
            }
        }
    }
}

impl ResponseData {
    fn add(&mut self, x: f64) {
        (self.count, self.sum) = (self.count + 1, self.sum + x);
        self.least = Some(self.least.map_or(x, |least| least.min(x)));
        self.greatest = Some(self.greatest.map_or(x, |greatest| greatest.max(x)));
    }
}

/// Returns whether a vehicle had not `arrived` before a time, s.
///
/// The tolerance of half a microsecond is below any heartbeat and above rounding of times.
fn until(arrived: f64, time: f64) -> bool {
    time <= arrived + 5e-7
}

fn number(x: Option<f64>) -> ResponseValue {
    x.map_or(ResponseValue::Absent, ResponseValue::Number)
}

/// Returns the absorbed power from vertical velocities.
///
/// `None` with too few samples or with heartbeats of different lengths.
fn power(climbs: &[[f64; 2]]) -> Option<f64> {
    let steps = || climbs.windows(2).map(|two| two[1][0] - two[0][0]);
    let step = steps().next()?;
    // times are sums of steps: a relative 1e-6 exceeds their rounding
    if steps().any(|own| (own - step).abs() > 1e-6 * step) {
        return None;
    }
    let accelerations: Vec<f64> =
        climbs.windows(2).map(|two| (two[1][1] - two[0][1]) / step).collect();
    absorbed_power(&accelerations, 1.0 / step)
}

impl<E> Observer<E> for TrialObserver<'_> {
    fn on_start(&mut self, world: &World, samples: &[Sample]) -> Result<(), E> {
        self.observe_samples(world, samples, true);
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, E> {
        self.observe_samples(moment.world, moment.samples().unwrap_or_default(), false);
        let world = moment.world;
        for vehicle in 0..world.state().agents.len() {
            world
                .events(vehicle)
                .iter()
                .for_each(|event| self.observe_event(world, vehicle, event));
        }
        Ok(Flow::Continue)
    }

    /// Records collisions that have begun but not ended.
    fn on_end(&mut self, world: &World) -> Result<(), E> {
        for (vehicle, hit) in world.ongoing_collisions() {
            self.observe_event(world, vehicle as usize, &Event::Collided(hit));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::cos;
    use std::f64::consts::TAU;

    /// An acceleration of 1 m/s² rms at 5 Hz gives 2.11 W.
    ///
    /// Differences over a heartbeat of 0.01 s reduce it by 0.8 %, and the filter's compressed
    /// frequencies change it by as much again.
    #[test]
    fn power_is_that_of_the_accelerations_between_heartbeats() {
        let w = TAU * 5.0;
        let climb = |n: u32| {
            let time = f64::from(n) * 0.01;
            [time, -(2.0_f64.sqrt()) / w * cos(w * time)]
        };
        let climbs: Vec<[f64; 2]> = (0..=6000).map(climb).collect();
        let found = power(&climbs).unwrap();
        assert!((found / 2.11 - 1.0).abs() < 0.02, "{found}");
        assert_eq!(power(&climbs[..1]), None);
        let uneven = [[0.0, 0.0], [0.01, 1.0], [0.03, 0.0]];
        assert_eq!(power(&uneven), None);
    }
}
