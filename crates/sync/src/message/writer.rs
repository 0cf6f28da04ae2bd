//! Encoding of messages.

use super::super::generated::bekker::wire;
use super::super::ground_code::CodecState;
use super::quanta::{
    PLACE_QUANTUM, RATE_QUANTUM, VELOCITY_QUANTUM, angle, part, round, small, turn, vector,
};
use super::{
    BandSeat, ENDED, Environment, HAS_STATION, MessageOrigin, MotionMessage, PartState,
    RemoteVehicleDescription, RunningGearMessage, ShoeState, TrailerState, VERSION, VehicleMessage,
    checksum,
};
use bekker_ground::Patches;
use bekker_math::spatial::{Pose, Vec3};
use flatbuffers::FlatBufferBuilder;

type Offset<T> = flatbuffers::WIPOffset<T>;
type PartsOffset = Offset<flatbuffers::Vector<'static, wire::PartState>>;

/// Writes messages. Reuses its buffers between messages.
#[derive(Default)]
pub struct MessageWriter {
    builder: FlatBufferBuilder<'static>,
    coded: Vec<u8>,
    parts: Vec<wire::PartState>,
}

impl MessageWriter {
    /// Appends one agent's heartbeat to `out`: its state and the ground that it deformed.
    ///
    /// The ground is coded with `codec_state`, the state of the agent's stream.
    pub fn agent_heartbeat(
        &mut self,
        origin: &MessageOrigin,
        vehicle: &VehicleMessage,
        patches: &Patches,
        codec_state: &mut CodecState,
        out: &mut Vec<u8>,
    ) {
        self.builder.reset();
        let terrain = self.terrain(patches, codec_state);
        let chassis = wire::ChassisState::new(
            &vector(&vehicle.chassis.position),
            &turn(&vehicle.chassis.orientation),
            &small(&vehicle.velocity, VELOCITY_QUANTUM),
            &small(&vehicle.angular_velocity, RATE_QUANTUM),
        );
        let seen = wire::Seen::new(vehicle.speed, vehicle.station.unwrap_or(0.0));
        let flags = if vehicle.station.is_some() { HAS_STATION } else { 0 }
            | if vehicle.ended { ENDED } else { 0 };
        let (chassis, seen) = (Some(&chassis), Some(&seen));
        let exact = |motion: &MotionMessage| {
            let turn = motion.orientation;
            let MotionMessage { twist, external_acceleration, .. } = motion;
            let [velocity, rate] = [twist.linear, twist.angular].map(|v| vector(&v));
            let [gain, spin] =
                [external_acceleration.linear, external_acceleration.angular].map(|v| vector(&v));
            wire::Motion::new(turn.w, turn.i, turn.j, turn.k, &velocity, &rate, &gain, &spin)
        };
        let motion = vehicle.motion.as_ref().map(exact);
        let motion = motion.as_ref();
        let trailer = vehicle.trailer.map(|own| (vector(&own.place), exact(&own.motion)));
        let (kind, body) = match &vehicle.gear {
            RunningGearMessage::Wheels(wheels) => {
                let wheels = Some(self.wheels(wheels, &vehicle.chassis, vehicle.trailer.as_ref()));
                let heartbeat = wire::WheeledHeartbeatArgs {
                    chassis,
                    seen,
                    flags,
                    wheels,
                    terrain,
                    motion,
                    trailer_place: trailer.as_ref().map(|own| &own.0),
                    trailer: trailer.as_ref().map(|own| &own.1),
                    trailed_wheels: vehicle.trailer.map_or(0, |own| own.wheels),
                };
                let heartbeat = wire::WheeledHeartbeat::create(&mut self.builder, &heartbeat);
                (wire::Body::WheeledHeartbeat, heartbeat.as_union_value())
            }
            RunningGearMessage::Tracks { shoes, bands, sprockets, idlers, road_wheels } => {
                let [left_band, right_band] = bands.each_ref().map(|band| Some(self.band(band)));
                let heartbeat = wire::TrackedHeartbeatArgs {
                    chassis,
                    seen,
                    flags,
                    track_shoes: Some(self.shoes(shoes)),
                    sprockets: Some(self.parts(sprockets)),
                    idlers: Some(self.parts(idlers)),
                    road_wheels: Some(self.parts(road_wheels)),
                    terrain,
                    left_band,
                    right_band,
                    motion,
                };
                let heartbeat = wire::TrackedHeartbeat::create(&mut self.builder, &heartbeat);
                (wire::Body::TrackedHeartbeat, heartbeat.as_union_value())
            }
        };
        self.envelope(origin, kind, body, out);
    }

    /// Writes wheels in the chassis frame, and those of a trailer in the trailer's frame.
    fn wheels(
        &mut self,
        wheels: &[PartState],
        chassis: &Pose,
        trailer: Option<&TrailerState>,
    ) -> PartsOffset {
        let Some(trailer) = trailer else { return self.parts(wheels) };
        let own = wheels.len().saturating_sub(trailer.wheels.into());
        let moved = wheels[own..].iter().map(|wheel| wheel.moved(chassis, &trailer.pose()));
        self.parts.clear();
        self.parts.extend(wheels[..own].iter().map(part));
        self.parts.extend(moved.map(|wheel| part(&wheel)));
        self.builder.create_vector(&self.parts)
    }

    fn parts(&mut self, parts: &[PartState]) -> PartsOffset {
        self.parts.clear();
        self.parts.extend(parts.iter().map(part));
        self.builder.create_vector(&self.parts)
    }

    fn shoes(
        &mut self,
        shoes: &[ShoeState],
    ) -> Offset<flatbuffers::Vector<'static, wire::ShoeState>> {
        let shoe = |shoe: &ShoeState| {
            let place = small(&Vec3::from(shoe.place), PLACE_QUANTUM);
            wire::ShoeState::new(&place, angle(shoe.angle))
        };
        self.builder.create_vector_from_iter(shoes.iter().map(shoe))
    }

    fn band(&mut self, seats: &[BandSeat]) -> Offset<flatbuffers::Vector<'static, wire::BandSeat>> {
        let seat = |seat: &BandSeat| {
            let [x, z] = seat.place.map(|component| round(component, PLACE_QUANTUM));
            wire::BandSeat::new(x, z, round(seat.label, PLACE_QUANTUM))
        };
        self.builder.create_vector_from_iter(seats.iter().map(seat))
    }

    /// Appends ground deformed by the origin's agent that the receiver lacks.
    pub fn catch_up(&mut self, origin: &MessageOrigin, patches: &Patches, out: &mut Vec<u8>) {
        self.builder.reset();
        let terrain = self.terrain(patches, &mut CodecState::default());
        let catch_up = wire::CatchUp::create(&mut self.builder, &wire::CatchUpArgs { terrain });
        self.envelope(origin, wire::Body::CatchUp, catch_up.as_union_value(), out);
    }

    /// Encodes the patches. Returns `None` for an empty set.
    fn terrain(
        &mut self,
        patches: &Patches,
        codec_state: &mut CodecState,
    ) -> Option<Offset<flatbuffers::Vector<'static, u8>>> {
        self.coded.clear();
        if patches.is_empty() {
            return None;
        }
        codec_state.encode(patches, &mut self.coded);
        Some(self.builder.create_vector(&self.coded))
    }

    /// Appends a handshake: keys and values on which all ranks must agree.
    pub fn handshake(
        &mut self,
        origin: &MessageOrigin,
        agreed: &[(String, String)],
        out: &mut Vec<u8>,
    ) {
        let builder = &mut self.builder;
        builder.reset();
        let entries: Vec<_> = agreed
            .iter()
            .map(|(key, value)| {
                let key = Some(builder.create_string(key));
                let value = Some(builder.create_string(value));
                wire::Agreed::create(builder, &wire::AgreedArgs { key, value })
            })
            .collect();
        let agreed = Some(builder.create_vector(&entries));
        let handshake = wire::Handshake::create(builder, &wire::HandshakeArgs { agreed });
        self.envelope(origin, wire::Body::Handshake, handshake.as_union_value(), out);
    }

    /// Appends the description of the origin's agent.
    pub fn description(
        &mut self,
        origin: &MessageOrigin,
        description: &RemoteVehicleDescription,
        out: &mut Vec<u8>,
    ) {
        let builder = &mut self.builder;
        builder.reset();
        let (vehicle_type, vehicle) = match description {
            RemoteVehicleDescription::Wheeled { name, model, wheels, wheel_radius } => {
                let name = Some(builder.create_string(name));
                let model = Some(builder.create_string(model));
                let (wheels, wheel_radius) = (*wheels, *wheel_radius);
                let vehicle = wire::WheeledDescriptionArgs { name, model, wheels, wheel_radius };
                let vehicle = wire::WheeledDescription::create(builder, &vehicle);
                (wire::VehicleDescription::WheeledDescription, vehicle.as_union_value())
            }
            RemoteVehicleDescription::Tracked {
                name,
                model,
                track_shoes,
                sprockets,
                idlers,
                road_wheels,
            } => {
                let vehicle = wire::TrackedDescriptionArgs {
                    name: Some(builder.create_string(name)),
                    model: Some(builder.create_string(model)),
                    track_shoes: *track_shoes,
                    sprockets: *sprockets,
                    idlers: *idlers,
                    road_wheels: *road_wheels,
                };
                let vehicle = wire::TrackedDescription::create(builder, &vehicle);
                (wire::VehicleDescription::TrackedDescription, vehicle.as_union_value())
            }
        };
        let arguments = wire::DescriptionArgs { vehicle_type, vehicle: Some(vehicle) };
        let description = wire::Description::create(builder, &arguments);
        self.envelope(origin, wire::Body::Description, description.as_union_value(), out);
    }

    /// Appends the environment.
    pub fn environment(
        &mut self,
        origin: &MessageOrigin,
        environment: &Environment,
        out: &mut Vec<u8>,
    ) {
        self.builder.reset();
        let Environment { gravity, rain, visibility } = *environment;
        let arguments = wire::EnvironmentArgs { gravity, rain, visibility };
        let environment = wire::Environment::create(&mut self.builder, &arguments);
        self.envelope(origin, wire::Body::Environment, environment.as_union_value(), out);
    }

    /// Appends a request to end the run after this heartbeat.
    pub fn quit(&mut self, origin: &MessageOrigin, reason: &str, out: &mut Vec<u8>) {
        self.builder.reset();
        let reason = Some(self.builder.create_string(reason));
        let quit = wire::Quit::create(&mut self.builder, &wire::QuitArgs { reason });
        self.envelope(origin, wire::Body::Quit, quit.as_union_value(), out);
    }

    /// Returns the length of the coded ground in the last agent's heartbeat, bytes.
    pub fn ground_bytes(&self) -> usize {
        self.coded.len()
    }

    fn envelope(
        &mut self,
        origin: &MessageOrigin,
        body_type: wire::Body,
        body: Offset<flatbuffers::UnionWIPOffset>,
        out: &mut Vec<u8>,
    ) {
        let MessageOrigin { run, tick, rank, agent } = *origin;
        let origin = wire::Origin::new(tick, run, agent, rank, VERSION);
        let arguments = wire::EnvelopeArgs { origin: Some(&origin), body_type, body: Some(body) };
        let envelope = wire::Envelope::create(&mut self.builder, &arguments);
        wire::finish_envelope_buffer(&mut self.builder, envelope);
        let message = self.builder.finished_data();
        out.extend_from_slice(&(message.len() as u32).to_le_bytes());
        out.extend_from_slice(&checksum(message).to_le_bytes());
        out.extend_from_slice(message);
    }
}
