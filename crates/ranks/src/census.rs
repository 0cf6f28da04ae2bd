//! The census of [`Route::Neighbour`](crate::ranks::Route::Neighbour): which agents a rank
//! receives, and how it fetches ground whose changes it did not receive.

use crate::homes::{Answer, Claim, Homes};
use crate::notices::{Sighted, notices, sighted};
use crate::rank_error::RankError;
use crate::ranks::Ranks;
use crate::region::{CENSUS, Region};
use crate::sealed::{opened, sealed};
use bekker_sensor::relief::Relief;
use bekker_sync::ground_code::Memory;
use bekker_sync::message::{Body, MessageFault, Origin, Reader};

impl Ranks<'_> {
    /// Holds a census: updates the homes, which then reply with near agents and ground.
    pub(crate) fn census(&mut self) -> Result<(), RankError> {
        self.tell_homes()?;
        let clock = self.world.model().clock;
        let Some(mut ranks) = self.neighbourhood.take() else { return Ok(()) };
        let Some(mut homes) = self.homes.take() else { return Ok(()) };
        let tile = ranks.tile();
        let own: Vec<Region> = self.own_agents(|agent, _| {
            let (centre, speed) = self.world.place(agent as usize);
            let region = Region::around(agent as usize, centre, speed, clock.heartbeat(), tile);
            region.trailing(self.world.trails(agent as usize))
        });
        let sighted = self.sighted(&own)?;
        let around = Relief::sight(self.world.model().ground.lattice().spacing);
        let looks = |region: &Region| self.lookers.contains_key(&(region.agent as usize));
        let mut regions: Vec<Region> = own
            .into_iter()
            .map(|region| if looks(&region) { region.looking(around) } else { region })
            .collect();
        let claims = self.post("census", homes.claim(&regions))?;
        for Answer { near, tiles } in self.answered(&mut homes, &claims)? {
            regions.extend(near);
            self.world.take_over(tiles);
        }
        homes.forget_far(self.world.published_mut());
        regions.sort_unstable_by_key(|region| region.agent);
        regions.dedup_by_key(|region| region.agent);
        ranks.census(&regions, &self.partition, &self.follows, &sighted);
        ranks.due = self.tick() + ((CENSUS / clock.step()) as u64).max(clock.steps_per_heartbeat());
        // New peers do not have the earlier messages of a stream.
        self.memories.iter_mut().for_each(Memory::forget);
        self.world.hear_only(&ranks.received);
        self.ghosts.retain(|agent, _| ranks.received.binary_search(agent).is_ok());
        (self.neighbourhood, self.homes) = (Some(ranks), Some(homes));
        Ok(())
    }

    /// Returns which agents own agents see until the next census, and which ranks see own agents.
    ///
    /// Nothing is exchanged if no agent has a camera or lidar.
    fn sighted(&mut self, own: &[Region]) -> Result<Sighted, RankError> {
        let mut all = Sighted::default();
        if self.lookers.is_empty() {
            return Ok(all);
        }
        let sees = |region: &Region| {
            let sight = self.lookers.get(&(region.agent as usize))?;
            Some(region.seeing(*sight))
        };
        let sights: Vec<Region> = own.iter().filter_map(sees).collect();
        let notices = self.post("sights", notices(own, &sights, self.size()))?;
        for (_, answer) in self.post("visible vehicles", sighted(&notices))? {
            all.extend(answer);
        }
        Ok(all)
    }

    /// Returns the replies of all homes with a claim, this rank's own included.
    fn answered(
        &mut self,
        homes: &mut Homes,
        claims: &[(usize, Claim)],
    ) -> Result<Vec<Answer>, RankError> {
        let (here, tick) = (self.rank(), self.tick());
        let (own, away): (Vec<_>, Vec<_>) =
            homes.answers(claims).into_iter().partition(|(rank, _)| *rank == here);
        let sealed: Vec<(usize, Vec<u8>)> =
            away.iter().map(|(rank, answer)| (*rank, sealed(answer))).collect();
        let to: Vec<(usize, &[u8])> =
            sealed.iter().map(|(rank, bytes)| (*rank, &bytes[..])).collect();
        self.pass(&to, homes.homes())?;
        let mut answers: Vec<Answer> = own.into_iter().map(|(_, answer)| answer).collect();
        for (part, &rank) in self.incoming.iter().zip(homes.homes()) {
            answers.push(opened(rank, tick, "census", part)?);
        }
        Ok(answers)
    }

    /// Returns the first own agent that may leave its region within another heartbeat.
    ///
    /// A census then extends its region before it gets there.
    pub(crate) fn outran(&self) -> Option<u32> {
        let ranks = self.neighbourhood.as_ref()?;
        let heartbeat = self.world.model().clock.heartbeat();
        let outran = |region: &&Region| {
            let (place, speed) = self.world.place(region.agent as usize);
            !region.lasts(place, speed, heartbeat, ranks.tile())
        };
        ranks.regions().find(outran).map(|region| region.agent)
    }

    /// Sends the changes by own agents to the homes, and receives those by other ranks' agents.
    ///
    /// The ground at home here is current afterwards.
    pub(crate) fn tell_homes(&mut self) -> Result<(), RankError> {
        let Some(mut homes) = self.homes.take() else { return Ok(()) };
        let (tick, rank) = (self.tick(), self.rank() as u16);
        let origin = Origin { run: self.run, tick, rank, ..Origin::default() };
        let mut told = Vec::new();
        for patches in homes.untold() {
            let mut message = Vec::new();
            for patches in &patches {
                let agent = patches.iter().next().map_or(0, |patch| patch.agent.into());
                self.writer.catch_up(&Origin { agent, ..origin }, patches, &mut message);
            }
            told.push(message);
        }
        let to: Vec<(usize, &[u8])> =
            homes.homes().iter().zip(&told).map(|(rank, message)| (*rank, &message[..])).collect();
        self.pass(&to, homes.tenants())?;
        self.patches.clear();
        for (part, &rank) in homes.tenants().iter().enumerate() {
            self.read_catch_up(part, rank)?;
        }
        homes.take(&self.patches);
        self.homes = Some(homes);
        Ok(())
    }

    /// Adds the patches of a rank's agents, read from its part of the received message.
    pub(crate) fn read_catch_up(&mut self, part: usize, rank: usize) -> Result<(), RankError> {
        let tick = self.tick();
        let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "catch-up", fault };
        let mut reader = Reader::new(self.incoming.part(part));
        while let Some((sender, body)) = reader.next(&mut [], &mut self.patches).map_err(corrupt)? {
            let due = Origin { run: self.run, tick, rank: rank as u16, agent: sender.agent };
            if !matches!(body, Body::CatchUp(_)) || sender != due {
                let expected = "catch-up";
                return Err(corrupt(MessageFault::Kind { found: "another message", expected }));
            }
        }
        Ok(())
    }

    /// Sends all new ground to rank 0, unless every rank already has all ground.
    pub(crate) fn complete_first(&mut self) -> Result<(), RankError> {
        self.tell_homes()?;
        let Some(mut homes) = self.homes.take() else { return Ok(()) };
        let news = homes.news();
        self.homes = Some(homes);
        if self.rank() > 0 {
            return self.pass(&[(0, &sealed(&news))], &[]);
        }
        let (tick, others) = (self.tick(), (1..self.size()).collect::<Vec<usize>>());
        self.pass(&[], &others)?;
        let mut whole = std::mem::take(&mut self.whole);
        whole.replace(news);
        for (part, &rank) in self.incoming.iter().zip(&others) {
            let news: Vec<_> = opened(rank, tick, "ground", part)?;
            whole.replace(news);
        }
        self.world.take_over(whole.shared_tiles().map(|(key, tile)| (key, tile.clone())));
        self.whole = whole;
        Ok(())
    }
}
