//! Map of soils.

use std::ops::ControlFlow;
use std::sync::Arc;

use rstar::{AABB, RTree, RTreeObject};

use super::error::{TerrainError, finite};
use super::raster::{Raster, Unit};
use super::segment;
use crate::soil::SoilId;
use bekker_math::numeric::hypot;

/// A part of the plane.
#[derive(Clone, Debug, PartialEq)]
pub enum SoilRegion {
    /// All points on one side of a line: those with (p - point) · direction >= 0.
    HalfPlane {
        /// A point on the line, m.
        point: [f64; 2],
        /// Direction into the region; any length except zero.
        direction: [f64; 2],
    },
    /// Points between two corners, inclusive.
    Rectangle {
        /// South-west corner, m.
        min: [f64; 2],
        /// North-east corner, m.
        max: [f64; 2],
    },
    /// Points within half of `width` of a segment: a strip with flat ends.
    Band {
        /// One end, m.
        from: [f64; 2],
        /// The other end, m.
        to: [f64; 2],
        /// Full width, m.
        width: f64,
    },
    /// The interior of a polygon, by the even–odd rule; it is closed automatically.
    Polygon(Vec<[f64; 2]>),
}

impl SoilRegion {
    fn check(&self) -> Result<(), TerrainError> {
        let points = match self {
            SoilRegion::HalfPlane { point, direction } => {
                let squared = direction[0] * direction[0] + direction[1] * direction[1];
                finite("length of a direction", squared.sqrt(), "above 0", |v| v > 0.0)?;
                std::slice::from_ref(point)
            }
            SoilRegion::Rectangle { min, max } => {
                let bounds = [min[0], min[1], max[0], max[1]];
                if !(min[0] < max[0] && min[1] < max[1]) {
                    return Err(TerrainError::EmptyBox { field: "rectangle", bounds });
                }
                return Ok(());
            }
            SoilRegion::Band { from, to, width } => {
                let length = hypot(to[0] - from[0], to[1] - from[1]);
                finite("length of a band, m", length, "above 0", |v| v > 0.0)?;
                finite("width of a band, m", *width, "above 0", |v| v > 0.0)?;
                &[*from, *to]
            }
            SoilRegion::Polygon(corners) if corners.len() < 3 => {
                return Err(TerrainError::Polygon(corners.len()));
            }
            SoilRegion::Polygon(corners) => corners,
        };
        points
            .iter()
            .flatten()
            .try_for_each(|c| finite("corner of a region, m", *c, "a finite number", |_| true))
    }

    /// Returns whether (x, y) is in the region.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        match self {
            SoilRegion::HalfPlane { point, direction } => {
                (x - point[0]) * direction[0] + (y - point[1]) * direction[1] >= 0.0
            }
            SoilRegion::Rectangle { min, max } => {
                x >= min[0] && x <= max[0] && y >= min[1] && y <= max[1]
            }
            SoilRegion::Band { from, to, width } => {
                let [ax, ay] = [to[0] - from[0], to[1] - from[1]];
                let [rx, ry] = [x - from[0], y - from[1]];
                let (along, aside, squared) =
                    (rx * ax + ry * ay, ax * ry - ay * rx, ax * ax + ay * ay);
                (0.0..=squared).contains(&along) && aside * aside <= 0.25 * width * width * squared
            }
            SoilRegion::Polygon(corners) => {
                let mut inside = false;
                let mut previous = corners.len() - 1;
                for k in 0..corners.len() {
                    let ([ax, ay], [bx, by]) = (corners[k], corners[previous]);
                    if (ay > y) != (by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay) {
                        inside = !inside;
                    }
                    previous = k;
                }
                inside
            }
        }
    }
}

impl SoilRegion {
    /// Returns whether the region overlaps the interior of a rectangle `[x_min, y_min, x_max,
    /// y_max]`, m. Contact at the boundary does not count.
    pub fn intersects(&self, rectangle: [f64; 4]) -> bool {
        let [west, south, east, north] = rectangle;
        let corners = [[west, south], [east, south], [west, north], [east, north]];
        match self {
            SoilRegion::HalfPlane { point, direction } => corners
                .iter()
                .any(|[x, y]| (x - point[0]) * direction[0] + (y - point[1]) * direction[1] > 0.0),
            SoilRegion::Rectangle { min, max } => {
                min[0] < east && max[0] > west && min[1] < north && max[1] > south
            }
            SoilRegion::Band { from, to, width } => {
                // two convex shapes are separate if an edge of one separates them (separating axis)
                let strip = segment::strip(*from, *to, *width);
                let along = [to[0] - from[0], to[1] - from[1]];
                let axes = [[1.0, 0.0], [0.0, 1.0], along, [-along[1], along[0]]];
                axes.iter().all(|axis| {
                    let [(a, b), (c, d)] =
                        [&strip, &corners].map(|own| projected_interval(own, *axis));
                    a < d && c < b
                })
            }
            SoilRegion::Polygon(corners) => {
                let ends = corners.iter().zip(corners.iter().cycle().skip(1));
                self.contains(0.5 * (west + east), 0.5 * (south + north))
                    || ends.into_iter().any(|(a, b)| segment::crosses(*a, *b, rectangle))
            }
        }
    }

    /// Returns the south-west and north-east corner of the bounding box of the region; `None` for a
    /// half plane.
    pub fn extent(&self) -> Option<[[f64; 2]; 2]> {
        let around = |points: &[[f64; 2]]| {
            let [(west, east), (south, north)] =
                [[1.0, 0.0], [0.0, 1.0]].map(|axis| projected_interval(points, axis));
            [[west, south], [east, north]]
        };
        match self {
            SoilRegion::HalfPlane { .. } => None,
            SoilRegion::Rectangle { min, max } => Some([*min, *max]),
            SoilRegion::Band { from, to, width } => {
                Some(around(&segment::strip(*from, *to, *width)))
            }
            SoilRegion::Polygon(corners) => Some(around(corners)),
        }
    }
}

/// Returns the interval of points projected on an axis, in units of its length.
fn projected_interval(points: &[[f64; 2]], axis: [f64; 2]) -> (f64, f64) {
    let along = points.iter().map(|[x, y]| x * axis[0] + y * axis[1]);
    along.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)))
}

/// Bounding box of a region, with the region's index.
#[derive(Clone, Debug)]
struct RegionBounds {
    corners: [[f64; 2]; 2],
    number: usize,
}

impl RTreeObject for RegionBounds {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        AABB::from_corners(self.corners[0], self.corners[1])
    }
}

#[derive(Clone, Debug)]
struct SoilClasses {
    columns: usize,
    rows: usize,
    south_west: [f64; 2],
    cell: [f64; 2],
    /// Row 0 is the north row, as in the raster.
    soils: Vec<SoilId>,
}

/// Map of soils: one soil or a raster of classes, with regions painted over it in order.
#[derive(Clone, Debug)]
pub struct SoilMap {
    ground: SoilId,
    classes: Option<Arc<SoilClasses>>,
    regions: Vec<(SoilRegion, SoilId)>,
    /// Index of the bounded regions by position: a map may have tens of thousands.
    extents: RTree<RegionBounds>,
    /// Indices of the unbounded regions, which are half planes.
    endless: Vec<usize>,
}

impl SoilMap {
    /// Creates a map of one soil.
    pub fn uniform(soil: SoilId) -> SoilMap {
        let (regions, extents, endless) = (Vec::new(), RTree::new(), Vec::new());
        SoilMap { ground: soil, classes: None, regions, extents, endless }
    }

    /// Creates a map from the class of the nearest cell of a raster in local meters.
    ///
    /// Outside the raster the outermost cells are extended. `table` lists the soil of each class.
    /// Gaps receive the soil `gaps`, or are an error without it. A raster that consists entirely of
    /// gaps is rejected.
    pub fn classes(
        raster: &Raster,
        table: &[(i32, SoilId)],
        gaps: Option<SoilId>,
    ) -> Result<SoilMap, TerrainError> {
        raster.check()?;
        if raster.crs.unit != Unit::Meter {
            return Err(TerrainError::NotMeters("degrees".to_string()));
        }
        if raster.missing() == raster.values.len() {
            return Err(TerrainError::Empty);
        }
        let mut table = table.to_vec();
        table.sort_by_key(|(number, _)| *number);
        let place = |index: usize| (index / raster.columns, index % raster.columns);
        let soil = |(index, &class): (usize, &f64)| {
            let (row, column) = place(index);
            if !class.is_finite() {
                return gaps.ok_or(TerrainError::NoData {
                    missing: raster.missing(),
                    total: raster.values.len(),
                    row,
                    column,
                });
            }
            let entry =
                table.binary_search_by(|(number, _)| f64::from(*number).total_cmp(&(class + 0.0)));
            entry.map(|found| table[found].1).map_err(|_| {
                let numbers: Vec<String> = table.iter().map(|(n, _)| n.to_string()).collect();
                TerrainError::UnknownClass { class, row, column, allowed: numbers.join(", ") }
            })
        };
        let soils = raster.values.iter().enumerate().map(soil).collect::<Result<Vec<_>, _>>()?;
        let classes = SoilClasses {
            columns: raster.columns,
            rows: raster.rows,
            south_west: raster.south_west,
            cell: raster.cell,
            soils,
        };
        Ok(SoilMap { classes: Some(Arc::new(classes)), ..SoilMap::uniform(SoilId(0)) })
    }

    /// Paints a region with a soil, over existing ones.
    pub fn paint(mut self, region: SoilRegion, soil: SoilId) -> Result<SoilMap, TerrainError> {
        region.check()?;
        let number = self.regions.len();
        match region.extent() {
            Some(corners) => self.extents.insert(RegionBounds { corners, number }),
            None => self.endless.push(number),
        }
        self.regions.push((region, soil));
        Ok(self)
    }

    /// Returns the soil at (x, y).
    pub fn soil(&self, x: f64, y: f64) -> SoilId {
        match (self.region_at(x, y), &self.classes) {
            (Some(number), _) => self.regions[number].1,
            (None, Some(classes)) => classes.soil(x, y),
            (None, None) => self.ground,
        }
    }
}

impl SoilMap {
    /// Returns the last painted region that contains (x, y).
    fn region_at(&self, x: f64, y: f64) -> Option<usize> {
        let holds = |number: usize| self.regions[number].0.contains(x, y);
        let mut last = self.endless.iter().rev().copied().find(|&number| holds(number));
        let _ = self.extents.locate_in_envelope_intersecting_int(
            AABB::from_point([x, y]),
            |extent: &RegionBounds| {
                if last.is_none_or(|last| last < extent.number) && holds(extent.number) {
                    last = Some(extent.number);
                }
                ControlFlow::<()>::Continue(())
            },
        );
        last
    }
}

/// A raster of soils, row 0 in the north.
#[derive(Clone, Copy, Debug)]
pub struct SoilRaster<'a> {
    /// Number of cells per row.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// Center of the south-west cell, m.
    pub south_west: [f64; 2],
    /// Size of a cell along x and y, m.
    pub cell: [f64; 2],
    /// Soils in row-major order.
    pub soils: &'a [SoilId],
}

impl SoilMap {
    /// Returns the regions in painting order.
    pub fn regions(&self) -> &[(SoilRegion, SoilId)] {
        &self.regions
    }

    /// Returns the soil below all regions where there is no raster.
    pub fn ground(&self) -> SoilId {
        self.ground
    }

    /// Returns the raster below all regions, if there is one; its edge cells extend outward.
    pub fn raster(&self) -> Option<SoilRaster<'_>> {
        let classes = self.classes.as_deref()?;
        let SoilClasses { columns, rows, south_west, cell, soils } = classes;
        Some(SoilRaster {
            columns: *columns,
            rows: *rows,
            south_west: *south_west,
            cell: *cell,
            soils,
        })
    }
}

impl SoilClasses {
    fn soil(&self, x: f64, y: f64) -> SoilId {
        let nearest = |axis: usize, v: f64, count: usize| {
            let place = ((v - self.south_west[axis]) / self.cell[axis] + 0.5).floor();
            // `as` converts negative values and NaN to 0
            (place as usize).min(count - 1)
        };
        let column = nearest(0, x, self.columns);
        let row = self.rows - 1 - nearest(1, y, self.rows);
        self.soils[row * self.columns + column]
    }
}

#[cfg(test)]
mod tests {
    use super::super::raster::Crs;
    use super::*;

    const FIRM: SoilId = SoilId(0);
    const MUD: SoilId = SoilId(1);
    const SNOW: SoilId = SoilId(2);

    #[test]
    fn later_regions_cover_earlier_ones() {
        let beyond = SoilRegion::HalfPlane { point: [10.0, 0.0], direction: [2.0, 0.0] };
        let patch = SoilRegion::Rectangle { min: [20.0, -1.0], max: [22.0, 1.0] };
        let map = SoilMap::uniform(FIRM).paint(beyond, MUD).unwrap().paint(patch, SNOW).unwrap();
        assert_eq!(map.soil(9.99, 5.0), FIRM);
        assert_eq!(map.soil(10.0, 5.0), MUD);
        assert_eq!(map.soil(21.0, 0.0), SNOW);
        assert_eq!(map.soil(21.0, 1.5), MUD);
    }

    /// The index finds the same region as a linear search.
    #[test]
    fn many_regions_cover_each_other_in_their_order() {
        let dice = bekker_math::random::RandomStream::new(1, "regions");
        let mut map = SoilMap::uniform(SoilId(u16::MAX));
        for number in 0..300_u16 {
            let draw = |k: u64| 100.0 * dice.uniform(8 * u64::from(number) + k);
            let (x, y, size) = (draw(0), draw(1), 0.2 * draw(2) + 0.1);
            let region = match number % 4 {
                0 => SoilRegion::Rectangle { min: [x, y], max: [x + size, y + size] },
                1 => SoilRegion::Band { from: [x, y], to: [draw(3), draw(4)], width: 0.2 * size },
                2 => SoilRegion::Polygon(vec![[x, y], [x + size, y], [x, y + size]]),
                _ if number < 20 => {
                    SoilRegion::HalfPlane { point: [x, 80.0], direction: [0.1, 1.0] }
                }
                _ => SoilRegion::Rectangle { min: [x, y], max: [x + 0.5, y + 0.5] },
            };
            map = map.paint(region, SoilId(number)).unwrap();
        }
        for k in 0..4000 {
            let [x, y] = [0, 1].map(|part| 130.0 * dice.uniform(90_000 + 2 * k + part) - 10.0);
            let walked = map.regions.iter().rev().find(|(region, _)| region.contains(x, y));
            assert_eq!(map.soil(x, y), walked.map_or(map.ground, |(_, soil)| *soil));
        }
        assert_eq!(map.soil(f64::NAN, 0.0), map.ground);
    }

    #[test]
    fn a_polygon_may_be_concave() {
        let corner = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 4.0], [2.0, 2.0], [0.0, 2.0]];
        let region = SoilRegion::Polygon(corner);
        assert!(region.contains(1.0, 1.0) && region.contains(3.0, 3.0));
        assert!(!region.contains(1.0, 3.0) && !region.contains(5.0, 1.0));
    }

    #[test]
    fn a_band_follows_its_axis() {
        let band = SoilRegion::Band { from: [0.0, 0.0], to: [10.0, 10.0], width: 2.0 };
        assert!(band.contains(5.0, 6.3) && !band.contains(5.0, 6.5));
    }

    /// A band along x is the rectangle of its length and width, and a band rotated by 3-4-5 is that
    /// rectangle rotated: it does not extend beyond its ends.
    #[test]
    fn a_band_ends_flat_at_its_ends() {
        let straight = SoilRegion::Band { from: [20.0, 0.0], to: [60.0, 0.0], width: 40.0 };
        let turned = SoilRegion::Band { from: [12.0, 16.0], to: [36.0, 48.0], width: 40.0 };
        let rectangle = SoilRegion::Rectangle { min: [20.0, -20.0], max: [60.0, 20.0] };
        assert_eq!(straight.extent(), rectangle.extent());
        for (x, y) in (-10..90).flat_map(|x| (-40..40).map(move |y| (f64::from(x), f64::from(y)))) {
            // off the edges, where rounding decides whether a rotated point is inside
            let (x, y) = (x + 0.3, y + 0.3);
            let inside = rectangle.contains(x, y);
            assert_eq!(straight.contains(x, y), inside, "{x} {y}");
            assert_eq!(turned.contains(0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y), inside, "{x} {y}");
            let cell = [x, y, x + 3.0, y + 2.0];
            assert_eq!(straight.intersects(cell), rectangle.intersects(cell), "{x} {y}");
            // a cell that contains a point of the band overlaps it
            let [u, v] = [0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y];
            let met = turned.intersects([u - 0.1, v - 0.1, u + 0.1, v + 0.1]);
            // a cell whose middle is outside an edge extends at most 0.14 m across it
            let near = rectangle.intersects([x - 0.15, y - 0.15, x + 0.15, y + 0.15]);
            assert!(met == inside || near && met, "{x} {y}");
        }
    }

    #[test]
    fn classes_are_looked_up_in_the_nearest_cell() {
        let raster = Raster {
            columns: 2,
            rows: 2,
            south_west: [0.0, 0.0],
            cell: [10.0, 10.0],
            values: vec![7.0, 8.0, 8.0, f64::NAN],
            crs: Crs::local(),
        };
        let table = [(7, MUD), (8, SNOW)];
        let map = SoilMap::classes(&raster, &table, Some(FIRM)).unwrap();
        assert_eq!(map.soil(-90.0, 9.0), MUD);
        assert_eq!(map.soil(4.0, 4.0), SNOW);
        assert_eq!(map.soil(6.0, 4.0), FIRM);
        assert!(matches!(
            SoilMap::classes(&raster, &table, None),
            Err(TerrainError::NoData { row: 1, column: 1, .. })
        ));
        let nothing = Raster { values: vec![f64::NAN; 4], ..raster.clone() };
        assert_eq!(SoilMap::classes(&nothing, &table, Some(FIRM)).err(), Some(TerrainError::Empty));
        assert_eq!(
            SoilMap::classes(&raster, &table[..1], Some(FIRM)).unwrap_err().to_string(),
            "soil class 8 in row 0 (0 is north), column 1 is not in the table; allowed: 7"
        );
    }

    #[test]
    fn regions_are_checked() {
        let refuse = |region| SoilMap::uniform(FIRM).paint(region, MUD).unwrap_err().to_string();
        assert_eq!(
            refuse(SoilRegion::Polygon(vec![[0.0, 0.0]])),
            "polygon has 1 corners; allowed: at least 3"
        );
        assert_eq!(
            refuse(SoilRegion::HalfPlane { point: [0.0, 0.0], direction: [0.0, 0.0] }),
            "length of a direction is 0; allowed: above 0"
        );
        assert_eq!(
            refuse(SoilRegion::Band { from: [3.0, 4.0], to: [3.0, 4.0], width: 1.0 }),
            "length of a band, m is 0; allowed: above 0"
        );
        assert!(
            refuse(SoilRegion::Rectangle { min: [1.0, 0.0], max: [0.0, 1.0] }).contains("is empty")
        );
    }
}
