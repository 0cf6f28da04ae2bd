//! Summaries of radios and platoons of a run.

use crate::world::World;
use bekker_agent::{PlatoonSummary, RadioStation, RadioSummary};

impl World {
    /// Summaries of radios and platoons. They need all agents, so rank 0 must have gathered them.
    pub(crate) fn radio_summaries(&self) -> Vec<RadioSummary> {
        let nets = self.model.radios.iter();
        let members = nets.flat_map(|net| net.members.iter().map(move |&member| (net, member)));
        let summary = members.filter_map(|(net, member)| {
            let RadioStation { metrics, .. } = self.state.agents[member].radio.as_deref()?;
            let ratio = metrics.received as f64 / metrics.expected as f64;
            Some(RadioSummary {
                vehicle: self.model.agents[member].name.clone(),
                radio: net.name.clone(),
                sent: metrics.sent,
                delivery_ratio: (metrics.expected > 0).then_some(ratio),
                age_p50: metrics.age_quantile(0.5),
                age_p95: metrics.age_quantile(0.95),
                platoon: self.platoon_summary(member),
            })
        });
        summary.collect()
    }

    fn platoon_summary(&self, member: usize) -> Option<PlatoonSummary> {
        let leader = self.model.agents[member].leader?.agent;
        let of = |agent: usize| Some(&self.state.agents[agent].radio.as_ref()?.metrics);
        let (own, ahead) = (of(member)?, of(leader)?);
        let followed = own.current_time + own.stale_time;
        let gain = (own.acceleration_squares / ahead.acceleration_squares).sqrt();
        Some(PlatoonSummary {
            leader: self.model.agents[leader].name.clone(),
            undershoot: (own.speed_drop - ahead.speed_drop).max(0.0),
            acceleration_gain: (ahead.acceleration_squares > 0.0).then_some(gain),
            least_time_to_collision: own.time_to_collision,
            cooperative_share: (followed > 0.0).then_some(own.current_time / followed),
        })
    }
}
