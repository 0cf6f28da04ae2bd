//! The census of [`Route::Neighbor`](crate::MessageRoute::Neighbor): which agents a rank receives, and
//! how it fetches ground whose changes it did not receive.

use crate::checked_encoding::{decode_checked, encode_with_crc};
use crate::collectives::Collectives;
use crate::ground_directory::{GroundDirectory, RegionReply, RegionRequest};
use crate::own_agents::map_own_agents;
use crate::proximity::{ProximityReply, proximity_notices, proximity_replies};
use crate::rank_error::RankError;
use crate::region::{CENSUS_INTERVAL, CensusDisc};
use crate::subscriptions::Subscriptions;
use bekker_math::grid::TILE;
use bekker_sensor::relief::HeightPyramid;
use bekker_world::{RankAccess, World, WorldModel, sight_ranges};
use std::collections::BTreeMap;

/// Additional state of a rank that exchanges messages with neighbors only.
pub(crate) struct Neighbors {
    pub census: Census,
    pub directory: GroundDirectory,
}

impl Neighbors {
    /// Creates the parts of rank `here` of a world whose ground every rank holds.
    pub fn new(world: &World, here: usize, size: usize) -> Neighbors {
        let census = Census::new(world.model(), here);
        let directory = GroundDirectory::new(here, size, census.tile, &world.state().published);
        Neighbors { census, directory }
    }
}

/// The regions of agents and the subscriptions that follow from them, until the next census.
pub(crate) struct Census {
    subscriptions: Subscriptions,
    /// Side of a tile, m.
    tile: f64,
    /// Tick at or after which the next census is due.
    due: u64,
    /// Pairs (a, b) of agents where a needs the state of b at any distance.
    dependency_pairs: Vec<(usize, usize)>,
    /// Agents with cameras or lidars, and their ranges of sight, m.
    sight_ranges: BTreeMap<usize, f64>,
}

impl Census {
    fn new(model: &WorldModel, here: usize) -> Census {
        Census {
            subscriptions: Subscriptions::new(here),
            tile: model.ground.lattice().spacing * TILE as f64,
            due: 0,
            dependency_pairs: dependency_pairs(model),
            sight_ranges: imaging_sight_ranges(model),
        }
    }

    /// Subscriptions between ranks until the next census.
    pub fn subscriptions(&self) -> &Subscriptions {
        &self.subscriptions
    }

    /// Removes all subscriptions, as ranks have new numbers and this rank is `here`.
    pub fn renumber(&mut self, here: usize) {
        self.subscriptions = Subscriptions::new(here);
    }

    /// Whether a census is due before a heartbeat that ends at a tick.
    pub fn is_due(&self, end: u64) -> bool {
        end > self.due
    }

    /// Requires a census before the heartbeat that starts at a tick.
    pub fn require_at(&mut self, tick: u64) {
        self.due = tick;
    }

    /// Holds a census. The homes, whose ground must be current, reply with near agents and ground.
    pub fn hold(
        &mut self,
        world: &mut World,
        collectives: &mut Collectives<'_>,
        directory: &mut GroundDirectory,
        partition: &[usize],
    ) -> Result<(), RankError> {
        let clock = world.model().clock;
        let own: Vec<CensusDisc> = map_own_agents(world, |agent, _| {
            let agent = agent as usize;
            let (center, speed) = world.position_and_speed(agent);
            let region = CensusDisc::around(agent, center, speed, clock.heartbeat(), self.tile);
            region.with_trailer(world.trailer_reach(agent))
        });
        let sighted = self.exchange_proximity(&own, collectives)?;
        let around = HeightPyramid::view_distance(world.model().ground.lattice().spacing);
        let looks = |region: &CensusDisc| self.sight_ranges.contains_key(&(region.agent as usize));
        let mut regions: Vec<CensusDisc> = own
            .into_iter()
            .map(|region| if looks(&region) { region.with_view(around) } else { region })
            .collect();
        let requests = collectives.route_messages("census", directory.request_regions(&regions))?;
        for RegionReply { near, tiles } in await_replies(directory, collectives, &requests)? {
            regions.extend(near);
            world.replace_tiles(tiles);
        }
        directory.drop_far(world.published_mut());
        regions.sort_unstable_by_key(|region| region.agent);
        regions.dedup_by_key(|region| region.agent);
        self.subscriptions.update(&regions, partition, &self.dependency_pairs, &sighted);
        let interval = ((CENSUS_INTERVAL / clock.step()) as u64).max(clock.steps_per_heartbeat());
        self.due = collectives.tick() + interval;
        world.set_received(&self.subscriptions.received);
        Ok(())
    }

    /// Returns which agents own agents see until the next census, and which ranks see own agents.
    ///
    /// Without cameras and lidars no messages are exchanged.
    fn exchange_proximity(
        &self,
        own: &[CensusDisc],
        collectives: &mut Collectives<'_>,
    ) -> Result<ProximityReply, RankError> {
        let mut all = ProximityReply::default();
        if self.sight_ranges.is_empty() {
            return Ok(all);
        }
        let sees = |region: &CensusDisc| {
            let sight = self.sight_ranges.get(&(region.agent as usize))?;
            Some(region.view(*sight))
        };
        let sights: Vec<CensusDisc> = own.iter().filter_map(sees).collect();
        let notices = proximity_notices(own, &sights, collectives.size());
        let notices = collectives.route_messages("sights", notices)?;
        for (_, reply) in
            collectives.route_messages("visible vehicles", proximity_replies(&notices))?
        {
            all.extend(reply);
        }
        Ok(all)
    }

    /// Returns the first own agent that may leave its region within another heartbeat.
    ///
    /// A census then extends its region before it gets there.
    pub fn outran(&self, world: &World) -> Option<u32> {
        let heartbeat = world.model().clock.heartbeat();
        let outran = |region: &&CensusDisc| {
            let (place, speed) = world.position_and_speed(region.agent as usize);
            !region.stays_inside(place, speed, heartbeat, self.tile)
        };
        self.subscriptions.regions().find(outran).map(|region| region.agent)
    }

    /// Checks that own agents are in their regions.
    pub fn check_regions(&self, world: &World) -> Result<(), RankError> {
        for region in self.subscriptions.regions() {
            let agent = region.agent as usize;
            if !region.contains(world.position_and_speed(agent).0, self.tile) {
                return Err(RankError::Outran { agent, tick: world.state().tick });
            }
        }
        Ok(())
    }
}

/// Returns the replies of all homes with a claim, this rank's own included.
fn await_replies(
    directory: &mut GroundDirectory,
    collectives: &mut Collectives<'_>,
    requests: &[(usize, RegionRequest)],
) -> Result<Vec<RegionReply>, RankError> {
    let here = collectives.rank();
    let (own, away): (Vec<_>, Vec<_>) =
        directory.replies(requests).into_iter().partition(|(rank, _)| *rank == here);
    let encoded: Vec<(usize, Vec<u8>)> =
        away.iter().map(|(rank, reply)| (*rank, encode_with_crc(reply))).collect();
    let to: Vec<(usize, &[u8])> = encoded.iter().map(|(rank, bytes)| (*rank, &bytes[..])).collect();
    collectives.send_and_receive(&to, directory.homes())?;
    let mut replies: Vec<RegionReply> = own.into_iter().map(|(_, reply)| reply).collect();
    for (part, &rank) in collectives.received().iter().zip(directory.homes()) {
        replies.push(decode_checked(rank, collectives.tick(), "census", part)?);
    }
    Ok(replies)
}

/// Agents with cameras or lidars and their ranges of sight, m; empty without a scene.
fn imaging_sight_ranges(model: &WorldModel) -> BTreeMap<usize, f64> {
    model.scene_model.as_ref().map_or_else(BTreeMap::new, |_| sight_ranges(&model.agents))
}

/// Pairs (a, b) of agents where a needs the state of b at any distance: followers with their
/// leaders, and towing vehicles with those that they tow, in both orders.
fn dependency_pairs(model: &WorldModel) -> Vec<(usize, usize)> {
    let agents = model.agents.iter().enumerate();
    let leaders = agents.filter_map(|(agent, model)| Some((agent, model.leader?.agent)));
    let tows = model.tows.iter().flat_map(|link| {
        let [one, other] = link.agents;
        [(one, other), (other, one)]
    });
    leaders.chain(tows).collect()
}
