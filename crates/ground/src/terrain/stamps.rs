//! Spatial index of stamps.
//!
//! The bounding box of all stamps is divided into squares, each with an ordered list of the stamps
//! whose bounding boxes overlap it. Stamps that are not in a list add zero there, so that sums are
//! bit-identical to those over all stamps.

use super::stamp::Stamp;

/// Greatest number of squares along a side.
const MOST_SQUARES: usize = 512;
/// Greatest number of list entries per stamp, on average.
const ENTRIES: usize = 16;

/// Stamps in their order, with their index; immutable.
#[derive(Clone, Debug, Default)]
pub(super) struct Stamps {
    all: Vec<Stamp>,
    /// Low corner of the bounding box, m.
    corner: [f64; 2],
    /// Squares per meter, along x and y.
    per_meter: [f64; 2],
    /// Number of squares along a side.
    side: usize,
    /// Start of each square's list in `listed`, and the end of the last one.
    begins: Vec<u32>,
    listed: Vec<u32>,
}

impl Stamps {
    /// Creates the index of stamps in their order.
    pub fn new(all: Vec<Stamp>) -> Stamps {
        let none = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let box_of_all = all.iter().fold(none, |[w, s, e, n], stamp| {
            let [x0, y0, x1, y1] = stamp.bounds();
            [w.min(x0), s.min(y0), e.max(x1), n.max(y1)]
        });
        // about one square per stamp; fewer where stamps are so long that the lists would grow too
        // large
        let mut side = ((all.len() as f64).sqrt().ceil() as usize).min(MOST_SQUARES);
        loop {
            let squares = Stamps::squares(&all, box_of_all, side);
            if side <= 1 || squares.listed.len() <= ENTRIES * all.len() {
                return Stamps { all, ..squares };
            }
            side /= 2;
        }
    }

    /// Creates the lists of `side` x `side` squares.
    fn squares(all: &[Stamp], [west, south, east, north]: [f64; 4], side: usize) -> Stamps {
        let per_meter = [east - west, north - south].map(|length| side as f64 / length);
        let mut squares = Stamps { side, corner: [west, south], per_meter, ..Stamps::default() };
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); side * side];
        for (index, stamp) in all.iter().enumerate() {
            let [x0, y0, x1, y1] = stamp.bounds();
            let [i0, j0] = squares.square([x0, y0]);
            let [i1, j1] = squares.square([x1, y1]);
            for (i, j) in (j0..=j1).flat_map(|j| (i0..=i1).map(move |i| (i, j))) {
                lists[j * side + i].push(index as u32);
            }
        }
        squares.begins.push(0);
        for list in lists {
            squares.listed.extend(list);
            squares.begins.push(squares.listed.len() as u32);
        }
        squares
    }

    /// Returns the square that contains a position, or the nearest one.
    fn square(&self, at: [f64; 2]) -> [usize; 2] {
        [0, 1].map(|axis| {
            let place = (at[axis] - self.corner[axis]) * self.per_meter[axis];
            // negative numbers and NaN become 0
            (place as usize).min(self.side.saturating_sub(1))
        })
    }

    /// Returns the stamps that may contribute to the height at (x, y), in their order.
    pub fn candidates_at(&self, x: f64, y: f64) -> impl Iterator<Item = &Stamp> {
        let listed = match self.all.is_empty() {
            true => &[][..],
            false => {
                let [i, j] = self.square([x, y]);
                let list = j * self.side + i;
                &self.listed[self.begins[list] as usize..self.begins[list + 1] as usize]
            }
        };
        listed.iter().map(|&index| &self.all[index as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::RandomStream;

    /// Holes, ditches across the whole field, and a single hole: the sum over the listed stamps
    /// equals the sum over all, bit by bit.
    #[test]
    fn omitted_stamps_add_nothing() {
        let dice = RandomStream::new(5, "stamps");
        let draw = |k: u64| 200.0 * dice.uniform(k) - 100.0;
        let hole = |k: u64| Stamp::hole([draw(4 * k), draw(4 * k + 1)], 2.5, 1.5, 2.5);
        let ditch = |k: u64| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|part| draw(4 * k + part));
            Stamp::ditch([a, b], [c, d], 2.0, 0.5, 1.0)
        };
        let holes: Vec<Stamp> = (0..400).map(hole).collect();
        let ditches: Vec<Stamp> = (0..60).map(ditch).collect();
        for all in [holes.clone(), ditches.clone(), [holes, ditches].concat(), vec![hole(9)]] {
            let stamps = Stamps::new(all.clone());
            let mut reached = 0;
            for k in 0..4000 {
                let (x, y) = (1.1 * draw(9000 + 2 * k), 1.1 * draw(9001 + 2 * k));
                let sum = |stamps: &mut dyn Iterator<Item = &Stamp>| {
                    stamps.fold(1.0, |height, stamp| height + stamp.height_and_slope(x, y).0)
                };
                let expected = sum(&mut all.iter());
                assert_eq!(sum(&mut stamps.candidates_at(x, y)), expected);
                reached += usize::from(expected != 1.0);
            }
            assert!(reached > 0);
        }
    }

    #[test]
    fn ten_thousand_holes_are_few_at_a_position() {
        let dice = RandomStream::new(5, "holes");
        let draw = |k: u64| 2000.0 * dice.uniform(k);
        let holes = (0..10_000).map(|k| Stamp::hole([draw(2 * k), draw(2 * k + 1)], 2.5, 1.5, 2.5));
        let stamps = Stamps::new(holes.collect());
        let asked: usize =
            (0..1000).map(|k| stamps.candidates_at(draw(k + 7), draw(k + 3)).count()).sum();
        // squares of 20 m with 1 hole on average, plus overlapping ones: (25/20)² = 1.6
        assert!(asked < 2500, "{asked}");
    }
}
