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
pub fn has_spare_threads(agents: usize) -> bool {
    rayon::current_thread_index().is_none() && agents < rayon::current_num_threads()
}

/// Scratch of a second thread; its content is valid only during one contact evaluation.
#[derive(Debug, Default)]
pub struct SecondThreadScratch {
    scratch: Scratch,
    overlay: Overlay,
    /// Tiles that each group may touch, in ascending order.
    keys: [Vec<TileKey>; 2],
}

impl Clone for SecondThreadScratch {
    /// Returns empty scratch: the content is not copied.
    fn clone(&self) -> SecondThreadScratch {
        SecondThreadScratch::default()
    }
}

impl SecondThreadScratch {
    /// Collects the tiles within the bounds of both groups and returns whether they share none.
    fn tiles_disjoint<A, B>(&mut self, lattice: Lattice, first: A, second: B) -> bool
    where
        A: Iterator<Item = Bounds>,
        B: Iterator<Item = Bounds>,
    {
        let [on_first, on_second] = &mut self.keys;
        collect_tiles(on_first, lattice, first);
        collect_tiles(on_second, lattice, second);
        !on_first.iter().any(|key| on_second.binary_search(key).is_ok())
    }
}

/// Collects the tiles within the bounds, in ascending order.
fn collect_tiles(keys: &mut Vec<TileKey>, lattice: Lattice, bounds: impl Iterator<Item = Bounds>) {
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
    pub(super) fn contact_in_parallel(
        &mut self,
        worth: bool,
        [first_bounds, second_bounds]: [impl Iterator<Item = Bounds>; 2],
        first: impl FnOnce(&mut ContactContext<'_>) + Send,
        second: impl FnOnce(&mut ContactContext<'_>) + Send,
    ) {
        let ContactContext { ground, published, overlay, scratch, grips, second_scratch } = self;
        let lattice = ground.lattice();
        let apart = |own: &mut SecondThreadScratch| {
            own.tiles_disjoint(lattice, first_bounds, second_bounds)
        };
        let second_thread = second_scratch.as_deref_mut().filter(|_| worth);
        let second_thread = second_thread.and_then(|own| apart(own).then_some(own));
        let Some(SecondThreadScratch { scratch: other_scratch, overlay: lent, keys }) =
            second_thread
        else {
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
            second_scratch: None,
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
    fn agents_on_a_common_tile_are_not_contacted_in_parallel() {
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        let terrain = Terrain::flat(0.0, SoilId(0));
        let lattice = Lattice { spacing: 0.1 };
        let ground = GroundModel::new(lattice, terrain, vec![soil], Laws::reference()).unwrap();
        let published = SharedGround::default();
        // a tile is 1.6 m wide
        let at = |x: f64| [x, 0.2, x + 0.4, 0.6];
        let (mut overlay, mut scratch, mut second_thread) =
            (Overlay::new(), Scratch::new(), SecondThreadScratch::default());
        let mut tiles_seen =
            |places: [f64; 2], worth: bool, second_thread: Option<&mut SecondThreadScratch>| {
                let context = &mut ContactContext {
                    ground: &ground,
                    published: &published,
                    overlay: &mut overlay,
                    scratch: &mut scratch,
                    grips: true,
                    second_scratch: second_thread,
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
                context.contact_in_parallel(
                    worth,
                    bounds,
                    |c| first = see(c, x),
                    |c| second = see(c, y),
                );
                let all: Vec<_> = context.overlay.keys().collect();
                [first, second, all].map(|keys| keys.iter().map(|key| key.a).collect::<Vec<i32>>())
            };
        // in tiles 0 and 2
        let apart = tiles_seen([0.2, 3.4], true, Some(&mut second_thread));
        assert_eq!(apart, [vec![0], vec![2], vec![0, 2]]);
        // across the edge of tiles 0 and 1, and in tile 1
        let near = tiles_seen([1.4, 2.0], true, Some(&mut second_thread));
        assert_eq!(near, [vec![0, 1, 2], vec![0, 1, 2], vec![0, 1, 2]]);
        // unused tiles of the overlay stay with the first group
        let again = tiles_seen([0.2, 3.4], true, Some(&mut second_thread));
        assert_eq!(again, [vec![0, 1], vec![2], vec![0, 1, 2]]);
        let all = vec![0, 1, 2];
        assert_eq!(tiles_seen([0.2, 3.4], false, Some(&mut second_thread))[1], all);
        assert_eq!(tiles_seen([0.2, 3.4], true, None)[1], all);
    }
}
