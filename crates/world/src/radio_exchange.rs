//! An exchange of radio messages, in one process or between ranks.

use crate::command::CommandError;
use crate::world::World;
use bekker_agent::{
    Beacon, Hazard, Outcome, Pedestrian, RadioMessage, RadioNet, RadioStation, ReceivedMessage,
    TrafficLight, Transmission,
};
use std::convert::Infallible;

/// Radius of the hazard that a stranded vehicle reports around itself, m.
const HAZARD_RADIUS: f64 = 10.0;

impl World {
    /// Exchanges the radio messages that are due in the heartbeat between two times, µs.
    ///
    /// `carry` sends the transmissions of own members to all ranks and returns those of all
    /// members.
    pub(super) fn exchange_radio<E>(
        &mut self,
        span_us: [u64; 2],
        mut carry: impl FnMut(Vec<Transmission>) -> Result<Vec<Transmission>, E>,
    ) -> Result<(), E> {
        if self.model.radios.is_empty() {
            return Ok(());
        }
        let model = self.model.clone();
        for (index, net) in model.radios.iter().enumerate() {
            if let Some(exchange) = net.exchange(span_us) {
                let mut sent = carry(self.transmissions(net))?;
                sent.sort_by_key(|one| one.from);
                // Every rank computes these itself, since they follow from the time alone.
                sent.extend(self.light_transmissions(index, exchange, span_us[1]));
                sent.extend(self.pedestrian_transmissions(index, span_us[1]));
                self.deliver_transmissions(net, exchange, span_us[1], &sent);
            }
            for member in self.own_members(net) {
                self.station(member).process_arrivals(span_us[1]);
            }
        }
        Ok(())
    }

    /// Does the same as [`World::exchange_radio`] where all agents step here.
    pub(super) fn exchange_radio_locally(&mut self, span_us: [u64; 2]) {
        let exchanged: Result<(), Infallible> = self.exchange_radio(span_us, Ok);
        exchanged.unwrap_or_else(|never| match never {});
    }

    /// Makes an own agent send bytes at the next exchange of its radio.
    ///
    /// # Errors
    /// [`CommandError::NoRadio`] when there is no such agent on this rank, or it has no radio.
    pub fn queue_radio_message(&mut self, agent: usize, bytes: &[u8]) -> Result<(), CommandError> {
        let has_radio = self.model.radios.iter().any(|net| net.members.contains(&agent));
        if !has_radio || !self.is_own(agent) {
            return Err(CommandError::NoRadio { agent });
        }
        self.station(agent).outbox.push(bytes.to_vec());
        Ok(())
    }

    fn station(&mut self, member: usize) -> &mut RadioStation {
        self.state.agents[member].radio.get_or_insert_default()
    }

    /// Members of a radio that step here.
    fn own_members(&self, net: &RadioNet) -> Vec<usize> {
        net.members.iter().copied().filter(|&member| self.is_own(member)).collect()
    }

    /// Transmissions of own members.
    fn transmissions(&mut self, net: &RadioNet) -> Vec<Transmission> {
        let members = self.own_members(net).into_iter();
        members.map(|member| self.transmission(net, member)).collect()
    }

    fn transmission(&mut self, net: &RadioNet, member: usize) -> Transmission {
        let view = self.views[member];
        let position = view.pose.position;
        let place = [position.x, position.y];
        let soil = self.model.ground.terrain().soil(position.x, position.y);
        let agent = &self.state.agents[member];
        let wheels = agent.wheels();
        let mean = |sum: f64| sum / wheels.len().max(1) as f64;
        let slip = mean(wheels.iter().map(|wheel| wheel.slip).sum());
        let sinkage = mean(wheels.iter().map(|wheel| wheel.sinkage).sum());
        let is_stranded = agent
            .outcome
            .as_ref()
            .is_some_and(|outcome| !matches!(outcome, Outcome::Arrived { .. }));
        let drives = agent.outcome.is_none();
        let station = self.station(member);
        let last = station.sent_speed.replace(view.speed).unwrap_or(view.speed);
        let acceleration = (view.speed - last) / (1e-6 * net.period_us as f64);
        if drives {
            station.metrics.record_motion(view.speed, acceleration);
        }
        station.metrics.sent += 1;
        let (pose, speed, yaw_rate) = (view.pose, view.speed, view.twist.angular.z);
        let aimed = station.aimed.filter(|_| drives);
        let beacon = Beacon { pose, speed, acceleration, aimed, yaw_rate, slip, sinkage, soil };
        let mut messages = vec![RadioMessage::Beacon(beacon)];
        if is_stranded {
            messages.push(RadioMessage::Hazard(Hazard { place, radius: HAZARD_RADIUS }));
        }
        messages.extend(station.outbox.drain(..).map(RadioMessage::User));
        Transmission { from: member as u32, place, messages }
    }

    /// Transmissions of a radio's traffic lights: their signals, and once a second the positions of
    /// their approaches.
    fn light_transmissions(&self, net: usize, exchange: u64, now_us: u64) -> Vec<Transmission> {
        let agents = self.model.agents.len();
        let lights =
            self.model.lights.iter().enumerate().filter(|(_, light)| light.radio == Some(net));
        let is_new_second = self.model.radios[net].is_first_of_second(exchange);
        let of = |(index, light): (usize, &TrafficLight)| {
            let mut messages = vec![RadioMessage::Signal(light.timings(now_us))];
            if is_new_second {
                messages.push(RadioMessage::Map(light.approaches.clone()));
            }
            Transmission { from: (agents + index) as u32, place: light.place, messages }
        };
        lights.map(of).collect()
    }

    /// Transmissions of a radio's pedestrians: their positions and motion.
    fn pedestrian_transmissions(&self, net: usize, now_us: u64) -> Vec<Transmission> {
        let before = self.model.agents.len() + self.model.lights.len();
        let on_foot = self.model.pedestrians.iter().enumerate();
        let of = |(index, own): (usize, &Pedestrian)| {
            let user = own.road_user(now_us);
            let (from, place) = ((before + index) as u32, user.place);
            Transmission { from, place, messages: vec![RadioMessage::RoadUser(user)] }
        };
        on_foot.filter(|(_, own)| own.radio == Some(net)).map(of).collect()
    }

    /// Draws which transmissions reach own members, and when.
    fn deliver_transmissions(
        &mut self,
        net: &RadioNet,
        exchange: u64,
        now_us: u64,
        sent: &[Transmission],
    ) {
        let radio = &net.radio;
        let agents = self.model.agents.len();
        let mut places = vec![None; self.model.senders()];
        for one in sent {
            if let Some(place) = places.get_mut(one.from as usize) {
                *place = Some(one.place);
            }
        }
        let network = radio.network(exchange, &places);
        for to in self.own_members(net) {
            // Links are symmetric.
            let links = network.links_from(to, radio.hops);
            let station = self.station(to);
            for one in sent.iter().filter(|one| one.from as usize != to) {
                let from = one.from as usize;
                if from < agents {
                    let age_us = station.beacon(from).map(|(sent_us, _)| now_us - sent_us);
                    station.metrics.record_age(age_us);
                    station.metrics.expected += 1;
                }
                let Some(links) = links.get(from).copied().flatten() else { continue };
                for (number, message) in one.messages.iter().enumerate() {
                    let number = number as u64;
                    if radio.loses(exchange, [from, to], number) {
                        continue;
                    }
                    let due_us = now_us + radio.delay_us(exchange, [from, to], number, links);
                    let (from, number, message) = (one.from, number as u32, message.clone());
                    station.receive(ReceivedMessage {
                        from,
                        number,
                        links,
                        sent_us: now_us,
                        due_us,
                        message,
                    });
                }
            }
        }
    }
}
