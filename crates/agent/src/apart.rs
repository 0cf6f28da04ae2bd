//! Contact of two groups of bodies of one agent with the ground on two threads.
//!
//! If there are fewer agents than threads, both tracks of a vehicle are computed at the same time.
//!
//! Two groups may run in parallel if they share no tile. The tiles of the second group are
//! [lent](Overlay::split_tiles) to a second overlay, so each thread writes only to its own. The
//! result is bit-identical to sequential execution.

use super::contact_context::ContactContext;
use bekker_ground::Overlay;
use bekker_ground::scm::{Scratch, tiles_within};
use bekker_math::grid::{Lattice, TileKey};

/// Bounds of a body over the ground, `[x_min, y_min, x_max, y_max]`, m.
pub(super) type Bounds = [f64; 4];

/// Returns whether threads are idle while `agents` agents step.
///
/// False on a thread of the pool: worlds that step in parallel leave no thread idle.
pub fn threads_are_spare(agents: usize) -> bool {
    rayon::current_thread_index().is_none() && agents < rayon::current_num_threads()
}

/// Scratch of a second thread; its content is valid only during one contact evaluation.
#[derive(Debug, Default)]
pub struct Aside {
    scratch: Scratch,
    overlay: Overlay,
    /// Tiles that each group may touch, in ascending order.
    keys: [Vec<TileKey>; 2],
}

impl Clone for Aside {
    /// Returns empty scratch: the content is not copied.
    fn clone(&self) -> Aside {
        Aside::default()
    }
}

impl Aside {
    /// Collects the tiles within the bounds of both groups and returns whether they share none.
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

/// Collects the tiles within the bounds, in ascending order.
fn note(keys: &mut Vec<TileKey>, lattice: Lattice, bounds: impl Iterator<Item = Bounds>) {
    keys.clear();
    for bounds in bounds {
        for key in tiles_within(lattice, bounds) {
            // neighboring bodies touch the same tile
            if keys.last() != Some(&key) {
                keys.push(key);
            }
        }
    }
    keys.sort_unstable();
    keys.dedup();
}

impl ContactContext<'_> {
    /// Evaluates ground contact of two groups of bodies that lie within the given bounds.
    ///
    /// Both run in parallel if that is `worth` a second thread, scratch for one exists and the
    /// groups share no tile. Otherwise the second group follows the first.
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
        overlay.split_tiles(&keys[1], lent);
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
        overlay.append(lent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::{Laws, Soil, SoilId, SoilKind};
    use bekker_ground::terrain::Terrain;
    use bekker_ground::{GroundModel, SharedGround};

    /// Groups that are far apart get separate overlays, which are merged again. Groups that may
    /// touch the same tile share one, as do those without scratch or work for a second thread.
    #[test]
    fn who_may_touch_one_tile_is_not_met_apart() {
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        let terrain = Terrain::flat(0.0, SoilId(0));
        let lattice = Lattice { spacing: 0.1 };
        let ground = GroundModel::new(lattice, terrain, vec![soil], Laws::reference()).unwrap();
        let published = SharedGround::default();
        // a tile is 1.6 m wide
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
        // unused tiles of the overlay stay with the first group
        let again = tiles_seen([0.2, 3.4], true, Some(&mut room));
        assert_eq!(again, [vec![0, 1], vec![2], vec![0, 1, 2]]);
        let all = vec![0, 1, 2];
        assert_eq!(tiles_seen([0.2, 3.4], false, Some(&mut room))[1], all);
        assert_eq!(tiles_seen([0.2, 3.4], true, None)[1], all);
    }
}
