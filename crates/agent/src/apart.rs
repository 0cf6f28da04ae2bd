//! Bodies of one agent that meet the ground on two threads at once: where there are fewer agents
//! than threads, one track of a vehicle need not wait for the other.
//!
//! Two groups of bodies may do so if there is no tile that both can touch. The tiles of the
//! second are [lent](Overlay::lend) to an overlay of its own meanwhile, so that each writes only
//! to its own; what the ground does is the same to the bit as one after the other.

use super::contact_context::ContactContext;
use bekker_ground::Overlay;
use bekker_ground::scm::{Scratch, tiles_within};
use bekker_math::grid::{Lattice, TileKey};

/// Bounds of a body over the ground, `[x_min, y_min, x_max, y_max]`, m.
pub(super) type Bounds = [f64; 4];

/// Whether threads have nothing to do while so many agents step. Where worlds are stepped side by
/// side, from threads of the pool, none is spare.
pub fn threads_are_spare(agents: usize) -> bool {
    rayon::current_thread_index().is_none() && agents < rayon::current_num_threads()
}

/// Room for a second thread. Its content never outlives a meeting.
#[derive(Debug, Default)]
pub struct Aside {
    scratch: Scratch,
    overlay: Overlay,
    /// Tiles that either group may touch, in ascending order.
    keys: [Vec<TileKey>; 2],
}

impl Clone for Aside {
    /// Room is not copied.
    fn clone(&self) -> Aside {
        Aside::default()
    }
}

impl Aside {
    /// Notes the tiles within the bounds of both groups; whether none is of both.
    fn tell_apart<A, B>(&mut self, lattice: Lattice, first: A, second: B) -> bool
    where
        A: Iterator<Item = Bounds>,
        B: Iterator<Item = Bounds>,
    {
        let [on_first, on_second] = &mut self.keys;
        note(on_first, lattice, first);
        note(on_second, lattice, second);
        !on_first.iter().any(|key| on_second.binary_search(key).is_ok())
    }
}

/// Notes the tiles within some bounds, in ascending order.
fn note(keys: &mut Vec<TileKey>, lattice: Lattice, bounds: impl Iterator<Item = Bounds>) {
    keys.clear();
    for bounds in bounds {
        for key in tiles_within(lattice, bounds) {
            // neighbours touch the same
            if keys.last() != Some(&key) {
                keys.push(key);
            }
        }
    }
    keys.sort_unstable();
    keys.dedup();
}

impl ContactContext<'_> {
    /// Lets two groups of bodies, which reach no further than their bounds, meet the ground:
    /// both at once, if that is `worth` a second thread, there is room for one, and no tile that
    /// both may touch; else the second after the first.
    pub(super) fn meet_apart(
        &mut self,
        worth: bool,
        [first_bounds, second_bounds]: [impl Iterator<Item = Bounds>; 2],
        first: impl FnOnce(&mut ContactContext<'_>) + Send,
        second: impl FnOnce(&mut ContactContext<'_>) + Send,
    ) {
        let ContactContext { ground, published, overlay, scratch, grips, aside } = self;
        let lattice = ground.lattice();
        let apart = |own: &mut Aside| own.tell_apart(lattice, first_bounds, second_bounds);
        let room = aside.as_deref_mut().filter(|_| worth);
        let room = room.and_then(|own| apart(own).then_some(own));
        let Some(Aside { scratch: other_scratch, overlay: lent, keys }) = room else {
            first(self);
            second(self);
            return;
        };
        overlay.lend(&keys[1], lent);
        let context = |overlay, scratch| ContactContext {
            ground,
            published,
            overlay,
            scratch,
            grips: *grips,
            aside: None,
        };
        let (mut own, mut other) = (context(overlay, scratch), context(lent, other_scratch));
        rayon::join(|| first(&mut own), || second(&mut other));
        overlay.take_back(lent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::{Laws, Soil, SoilId, SoilKind};
    use bekker_ground::terrain::Terrain;
    use bekker_ground::{GroundModel, Published};

    /// Bodies far from each other get overlays of their own, which come together again; those that
    /// may touch one tile share one, as do all without room or work for a second thread.
    #[test]
    fn who_may_touch_one_tile_is_not_met_apart() {
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        let terrain = Terrain::flat(0.0, SoilId(0));
        let lattice = Lattice { spacing: 0.1 };
        let ground = GroundModel::new(lattice, terrain, vec![soil], Laws::reference()).unwrap();
        let published = Published::default();
        // tiles of 1.6 m
        let at = |x: f64| [x, 0.2, x + 0.4, 0.6];
        let (mut overlay, mut scratch, mut room) =
            (Overlay::new(), Scratch::new(), Aside::default());
        let mut tiles_seen = |places: [f64; 2], worth: bool, room: Option<&mut Aside>| {
            let context = &mut ContactContext {
                ground: &ground,
                published: &published,
                overlay: &mut overlay,
                scratch: &mut scratch,
                grips: true,
                aside: room,
            };
            let see = |own: &mut ContactContext<'_>, x: f64| {
                for key in tiles_within(lattice, at(x)) {
                    own.overlay.fetch(own.ground, own.published, key);
                }
                own.overlay.keys().collect::<Vec<_>>()
            };
            let (mut first, mut second) = (Vec::new(), Vec::new());
            let bounds = places.map(|x| std::iter::once(at(x)));
            let [x, y] = places;
            context.meet_apart(worth, bounds, |c| first = see(c, x), |c| second = see(c, y));
            let all: Vec<_> = context.overlay.keys().collect();
            [first, second, all].map(|keys| keys.iter().map(|key| key.a).collect::<Vec<i32>>())
        };
        // in tiles 0 and 2
        let apart = tiles_seen([0.2, 3.4], true, Some(&mut room));
        assert_eq!(apart, [vec![0], vec![2], vec![0, 2]]);
        // across the edge of tiles 0 and 1, and in tile 1
        let near = tiles_seen([1.4, 2.0], true, Some(&mut room));
        assert_eq!(near, [vec![0, 1, 2], vec![0, 1, 2], vec![0, 1, 2]]);
        // what is at hand and of nobody stays with the first
        let again = tiles_seen([0.2, 3.4], true, Some(&mut room));
        assert_eq!(again, [vec![0, 1], vec![2], vec![0, 1, 2]]);
        let all = vec![0, 1, 2];
        assert_eq!(tiles_seen([0.2, 3.4], false, Some(&mut room))[1], all);
        assert_eq!(tiles_seen([0.2, 3.4], true, None)[1], all);
    }
}
