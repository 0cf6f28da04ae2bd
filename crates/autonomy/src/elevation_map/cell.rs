//! One cell of the elevation map.

use std::cmp::Ordering;

/// Number of returns that make a cell explored; counting stops there.
pub const EXPLORED: u8 = 3;

/// Distances at which the next range class begins, m.
///
/// With an attitude error of a quarter of a degree the heights are then wrong by 3 cm, 5 cm and
/// more.
const FARTHER: [f64; 2] = [6.0, 12.0];

/// Range class of a cell without returns.
pub(super) const UNSEEN: u8 = FARTHER.len() as u8 + 1;

/// Range class of a return from a distance, m; 0 is the nearest.
#[inline]
pub(super) fn range_class(distance: f64) -> u8 {
    FARTHER.iter().filter(|edge| distance >= **edge).count() as u8
}

/// Data of a square of ground.
///
/// Cells are a semilattice under [`MapCell::merged`]: merging is independent of order and repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapCell {
    /// Lowest return in the nearest range class, mm; `i32::MAX` without returns.
    ///
    /// From afar the attitude error falsifies heights. Without range classes the views of two
    /// distant vehicles would add a false step to that of a near one.
    pub lowest: i32,
    /// Range class of the lowest return, 0 the nearest.
    pub range: u8,
    /// Largest difference between the highest and the lowest return of one scan, mm.
    ///
    /// Across scans the difference would include that of their poses. For two vehicles 20 m away,
    /// each with an attitude error of a quarter of a degree, it is 0.17 m on flat ground, and it
    /// grows with each observer.
    pub rise: i32,
    /// Number of returns, counted up to [`EXPLORED`].
    pub returns: u8,
    /// Whether a beam passed over the cell into a hole.
    pub hole: bool,
}

impl MapCell {
    /// A cell without data.
    pub const EMPTY: MapCell =
        MapCell { lowest: i32::MAX, range: UNSEEN, rise: 0, returns: 0, hole: false };

    /// Merges what two maps know of the same cell.
    ///
    /// The lowest return of the nearer range class counts; rise and returns are the maxima; the
    /// cell is a hole if either is.
    #[inline]
    pub fn merged(self, other: MapCell) -> MapCell {
        MapCell {
            lowest: match self.range.cmp(&other.range) {
                Ordering::Less => self.lowest,
                Ordering::Equal => self.lowest.min(other.lowest),
                Ordering::Greater => other.lowest,
            },
            range: self.range.min(other.range),
            rise: self.rise.max(other.rise),
            returns: self.returns.max(other.returns),
            hole: self.hole | other.hole,
        }
    }

    /// Merges the cell of a scan like [`MapCell::merged`], but sums the returns.
    #[inline]
    pub(super) fn update_from(self, scan: MapCell) -> MapCell {
        let returns = self.returns.saturating_add(scan.returns).min(EXPLORED);
        MapCell { returns, ..self.merged(scan) }
    }

    /// Returns whether the cell has returns.
    #[inline]
    pub fn is_seen(self) -> bool {
        self.returns > 0
    }

    /// Returns whether the cell has at least [`EXPLORED`] returns.
    #[inline]
    pub fn is_explored(self) -> bool {
        self.returns >= EXPLORED
    }
}
