//! What is known of a square of ground.

/// To how many returns a cell counts: as many as make it explored.
pub const EXPLORED: u8 = 3;

/// A cell. Cells are a semilattice under [`Cell::merged`]: what two maps know is the same
/// whichever is merged into which, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Lowest return, mm; `i32::MAX` without.
    pub lowest: i32,
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
    pub const EMPTY: Cell = Cell { lowest: i32::MAX, rise: 0, returns: 0, hole: false };

    /// What two know of the same cell: its lowest return, the greater rise, the greater count, and
    /// whether either has seen it gape.
    #[inline]
    pub fn merged(self, other: Cell) -> Cell {
        Cell {
            lowest: self.lowest.min(other.lowest),
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
