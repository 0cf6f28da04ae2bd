//! What is known of a square of ground.

use std::cmp::Ordering;

/// To how many returns a cell counts: as many as make it explored.
pub const EXPLORED: u8 = 3;

/// Distances at which the next class of range begins, m: with an attitude wrong by a quarter of a degree heights are by
/// 3 cm, 5 cm and more.
const FARTHER: [f64; 2] = [6.0, 12.0];

/// The class of a cell from which nothing came back.
pub(super) const UNSEEN: u8 = FARTHER.len() as u8 + 1;

/// The class of what is seen from so far, m: 0 the nearest.
#[inline]
pub(super) fn range_class(distance: f64) -> u8 {
    FARTHER.iter().filter(|edge| distance >= **edge).count() as u8
}

/// A cell. Cells are a semilattice under [`Cell::merged`]: what two maps know is the same
/// whichever is merged into which, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Lowest return of those of the nearest class of range, mm; `i32::MAX` without. From afar heights err by the
    /// attitude, and of two vehicles that see it from there by both: beside what a third sees that is a step.
    pub lowest: i32,
    /// Class of the range from which that was seen, 0 the nearest.
    pub range: u8,
    /// By how much the highest return of a scan lay above its lowest, mm, the most of all scans. Of returns
    /// of several scans the difference would be that of their poses too: of two vehicles that see it
    /// from 20 m, each wrong about its attitude by a quarter of a degree, it is 0.17 m on flat ground,
    /// and more with each that looks.
    pub rise: i32,
    /// Returns, counted to [`EXPLORED`].
    pub returns: u8,
    /// Whether a beam went over it into a hole.
    pub hole: bool,
}

impl Cell {
    /// Of which nothing is known.
    pub const EMPTY: Cell =
        Cell { lowest: i32::MAX, range: UNSEEN, rise: 0, returns: 0, hole: false };

    /// What two know of the same cell: the lowest return of who has seen it from nearer, the greater rise, the greater
    /// count, and whether either has seen it gape.
    #[inline]
    pub fn merged(self, other: Cell) -> Cell {
        Cell {
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

    /// The cell with what a scan has added: counts add up.
    #[inline]
    pub(super) fn with(self, scan: Cell) -> Cell {
        let returns = self.returns.saturating_add(scan.returns).min(EXPLORED);
        Cell { returns, ..self.merged(scan) }
    }

    /// Whether anything came back from it.
    #[inline]
    pub fn is_seen(self) -> bool {
        self.returns > 0
    }

    /// Whether it counts as explored: three returns or more.
    #[inline]
    pub fn is_explored(self) -> bool {
        self.returns >= EXPLORED
    }
}
