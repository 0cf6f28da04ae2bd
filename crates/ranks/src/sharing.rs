//! How ranks share a world.

use bekker_sync::Partition;
use bekker_sync::ghost::ExtrapolationOrder;
use bekker_world::WorldModel;

/// Path that messages take between ranks. All routes give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageRoute {
    /// Every rank sends everything to every other rank.
    #[default]
    All,
    /// Every rank sends everything to rank 0, which forwards it.
    Star,
    /// Ranks exchange messages only if their agents may meet before the next census.
    ///
    /// A census is held every second, or earlier if a vehicle is about to leave the region that it
    /// announced. When an agent approaches ground whose changes its rank has not received, the rank
    /// fetches that ground. A rank with cameras or lidars also receives the vehicles that they may
    /// see, and holds the ground in their view.
    Neighbor,
}

/// How ranks share a world. No field changes the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sharing {
    /// Rank that steps each agent.
    pub partition: Partition,
    /// Path that messages take.
    pub route: MessageRoute,
    /// Extrapolation of other ranks' vehicles between heartbeats.
    pub order: ExtrapolationOrder,
    /// Whether own agents are digested while messages travel. Useful for a [`Ranks::hash`](crate::Ranks::hash) at each
    /// heartbeat.
    pub digest: bool,
    /// Interval at which agents are partitioned again; never if `None`.
    pub rebalancing: Option<Rebalancing>,
    /// Whether ranks may leave during the run
    /// ([`Ranks::request_departure`](crate::Ranks::request_departure)).
    pub leaving: bool,
}

impl Sharing {
    /// Returns all keys and values that must be equal on all ranks.
    ///
    /// They are those given by the caller, the settings of this value, and the name of a custom
    /// soil law. [`agree`](crate::agree) compares them.
    pub fn agreed_settings(
        &self,
        model: &WorldModel,
        given: &[(String, String)],
    ) -> Vec<(String, String)> {
        let mut agreed = given.to_vec();
        agreed.push(("partition".into(), self.partition.to_string()));
        agreed.push(("route".into(), format!("{:?}", self.route).to_lowercase()));
        let (every, by_chance) = match self.rebalancing {
            None => ("never".to_owned(), None),
            Some(Rebalancing { every, by_chance }) => (format!("every {every} s"), by_chance),
        };
        agreed.push(("rebalance".into(), every));
        agreed.extend(by_chance.map(|seed| ("rebalance by chance".into(), seed.to_string())));
        if let Some(law) = model.ground.law() {
            agreed.push(("soil law".into(), law.name().into()));
        }
        agreed
    }
}

/// How often agents are partitioned among ranks again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rebalancing {
    /// Simulated time between two partitions, s.
    pub every: f64,
    /// Seed of a random partition, which replaces the one by position and cost
    /// ([`partition_by_position`](bekker_sync::partition_by_position)). Serves to test that the
    /// partition changes no result.
    pub by_chance: Option<u64>,
}
