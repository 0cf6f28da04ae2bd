//! Firm ground under a wheel, as input of a handling tire.

use super::disc_overlap::{Profile, REACH, SAMPLES, sample_position};
use super::gather::nodes_within;
use super::underside::Underside;
use super::working_ground::WorkingGround;
use crate::soil::SoilKind;
use crate::{GroundModel, Overlay};
use bekker_math::grid::{Node, TileKey};
use bekker_math::spatial::{Pose, Vec3};

/// Firm ground under a wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirmGround {
    /// Share of the footprint that is firm, above 0 and up to 1. It varies continuously as the
    /// wheel moves from one ground to the other.
    pub share: f64,
    /// Height of the equivalent plane under the wheel's center, m.
    pub height: f64,
    /// Unit normal of that plane, pointing up.
    pub normal: Vec3,
    /// Mean coefficient of friction of the firm nodes.
    pub friction: f64,
}

/// Half the length of the nominal footprint, as a fraction of the radius.
const HALF_LENGTH: f64 = 0.35;
/// Least cosine between the equivalent plane's normal and the vertical, which bounds its slope at a
/// wall.
const LEAST_UP: f64 = 0.05;
/// Least vertical component of the disc's own plane; a disc that leans more against the ground
/// counts as lying on its side.
const LEAST_DOWN: f64 = 0.2;

/// Range of tiles under a body, at least one of which has firm nodes.
pub(super) struct FirmTiles {
    low: TileKey,
    high: TileKey,
    /// Upper bound of the heights in these tiles, m.
    pub ceiling: f64,
}

impl FirmTiles {
    /// Fetches the tiles within `[x0, y0, x1, y1]` plus one node. Their slots in the overlay are
    /// stored in `scratch.slots`.
    pub fn fetch(ground: &mut WorkingGround<'_>, bounds: [f64; 4]) -> Option<FirmTiles> {
        let WorkingGround { model, published, overlay, scratch } = ground;
        if !model.has_firm_soil() {
            return None;
        }
        let lattice = model.lattice();
        let [x0, y0, x1, y1] = bounds;
        let beyond = lattice.spacing;
        let around = [x0 - beyond, y0 - beyond, x1 + beyond, y1 + beyond];
        let [low, high] = nodes_within(lattice, around)?.map(Node::tile);
        scratch.slots.clear();
        let (mut ceiling, mut any) = (f64::NEG_INFINITY, false);
        for b in low.b..=high.b {
            for a in low.a..=high.a {
                let slot = overlay.fetch(model, published, TileKey { a, b });
                ceiling = ceiling.max(overlay.tile_at(slot).ceiling());
                any |= overlay.tile_at(slot).firm_nodes() > 0;
                scratch.slots.push(slot);
            }
        }
        any.then_some(FirmTiles { low, high, ceiling })
    }
}

/// Ground heights and friction in [`FirmTiles`].
pub(super) struct FirmNodes<'a> {
    pub model: &'a GroundModel,
    pub overlay: &'a Overlay,
    /// Slots of the tiles in the overlay.
    pub slots: &'a [usize],
    pub tiles: FirmTiles,
}

impl FirmNodes<'_> {
    /// Returns the height of a node, m, and its friction if it is firm; `None` outside the tiles.
    #[inline(always)]
    pub fn node(&self, node: Node) -> Option<(f64, Option<f64>)> {
        let FirmTiles { low, high, .. } = self.tiles;
        let key = node.tile();
        if key.a < low.a || key.a > high.a || key.b < low.b || key.b > high.b {
            return None;
        }
        let columns = (high.a - low.a + 1) as usize;
        let slot = self.slots[(key.b - low.b) as usize * columns + (key.a - low.a) as usize];
        let (tile, index) = (self.overlay.tile_at(slot), node.index());
        let friction = match self.model.soils()[tile.soil(index)].kind {
            SoilKind::Firm { friction } => Some(friction),
            _ => None,
        };
        Some((tile.surface(index), friction))
    }

    /// Returns the bilinear height of the surface between nodes, m.
    fn height(&self, [x, y]: [f64; 2]) -> Option<f64> {
        let spacing = self.model.lattice().spacing;
        let (x, y) = (x / spacing, y / spacing);
        let (i, j) = (x.floor(), y.floor());
        let (u, v) = (x - i, y - j);
        let (i, j) = (i as i32, j as i32);
        let at = |i, j| self.node(Node { i, j }).map(|(height, _)| height);
        let rear = at(i, j)? * (1.0 - u) + at(i + 1, j)? * u;
        let front = at(i, j + 1)? * (1.0 - u) + at(i + 1, j + 1)? * u;
        Some(rear * (1.0 - v) + front * v)
    }
}

/// A wheel as a disc, for contact with firm ground.
struct WheelDisc {
    center: Vec3,
    /// Horizontal unit vector to its left; `ahead` is the one forward.
    left: [f64; 2],
    ahead: [f64; 2],
    /// Cosine of its lean to the right; `leans` is the sine.
    upright: f64,
    leans: f64,
    radius: f64,
    half_width: f64,
}

/// Returns the firm part of a wheel's nominal footprint, weighted by a tent along and across it;
/// `None` where all of it is deformable or nothing is in contact.
pub(super) fn firm_ground_under(
    ground: &mut WorkingGround<'_>,
    wheel: &Underside,
    pose: &Pose,
) -> Option<FirmGround> {
    let axis = pose.direction(&Vec3::y());
    let level = (axis.x * axis.x + axis.y * axis.y).sqrt();
    if level < 1e-3 {
        return None;
    }
    let left = [axis.x / level, axis.y / level];
    let disc = WheelDisc {
        center: pose.position,
        left,
        ahead: [left[1], -left[0]],
        upright: level,
        leans: axis.z,
        radius: wheel.max_radius(),
        half_width: wheel.half_width(),
    };
    let tiles = FirmTiles::fetch(ground, disc.bounds())?;
    let WorkingGround { model, overlay, scratch, .. } = ground;
    let nodes = FirmNodes { model, overlay, slots: &scratch.slots, tiles };
    let (height, normal) = disc.equivalent_plane(&nodes)?;
    let (share, friction) = disc.firm_share(&nodes)?;
    Some(FirmGround { share, height, normal, friction })
}

impl WheelDisc {
    /// Returns the distance of its lowest point to the left of its center, m.
    fn lowest_point_offset(&self) -> f64 {
        self.radius * self.leans
    }

    /// Returns its bounding rectangle, m.
    fn bounds(&self) -> [f64; 4] {
        let WheelDisc { center, left, ahead, radius, half_width, .. } = self;
        let across = half_width + self.lowest_point_offset().abs();
        let [x, y] = [0, 1].map(|k| radius * ahead[k].abs() + across * left[k].abs());
        [center.x - x, center.y - y, center.x + x, center.y + y]
    }

    /// Returns the mean height of the ground across the tire's width, m, and its lateral slope to
    /// the left, at `way` m ahead of the lowest point.
    fn lateral_profile(&self, nodes: &FirmNodes<'_>, way: f64) -> Option<[f64; 2]> {
        // two rows represent the whole width between the tire's flanks (Gauss points)
        let half = self.half_width / 3.0_f64.sqrt();
        let height = |aside: f64| {
            let place = |k: usize| {
                way * self.ahead[k] + (self.lowest_point_offset() + aside) * self.left[k]
            };
            nodes.height([self.center.x + place(0), self.center.y + place(1)])
        };
        let (left, right) = (height(half)?, height(-half)?);
        Some([0.5 * (left + right), (left - right) / (2.0 * half)])
    }

    /// Returns the equivalent plane: its height under the center and its normal.
    fn equivalent_plane(&self, nodes: &FirmNodes<'_>) -> Option<(f64, Vec3)> {
        let WheelDisc { center, left, ahead: on, upright, leans, radius, .. } = *self;
        let [_, bank] = self.lateral_profile(nodes, 0.0)?;
        // vertical part of a distance along the disc's own plane, over ground with this lateral
        // slope
        let down = (upright + bank * leans).max(LEAST_DOWN);
        let over =
            |height: f64| (height - bank * self.lowest_point_offset() - center.z) / (radius * down);
        // no contact where the disc is above all ground
        let clear = -over(nodes.tiles.ceiling);
        if clear >= 1.0 {
            return None;
        }
        let clear = clear.max(0.0);
        let half = (1.0 - clear * clear).sqrt();
        let reach = ((half * REACH as f64) as usize + 1).min(REACH);
        let (from, to) = (REACH - reach, REACH + reach);
        let mut profile = Profile { height: [0.0; SAMPLES], tilt: [0.0; SAMPLES], from, to };
        for sample in from..=to {
            let [height, tilt] = self.lateral_profile(nodes, radius * sample_position(sample))?;
            profile.height[sample] = over(height).min(1.0);
            profile.tilt[sample] = tilt;
        }
        let found = profile.equivalent_plane()?;
        let [forward, up] = found.normal;
        let up = up.max(LEAST_UP);
        let (forward, across) = (forward * down, -found.tilt * up);
        let normal =
            Vec3::new(forward * on[0] + across * left[0], forward * on[1] + across * left[1], up);
        Some((center.z - radius * found.distance * down / up, normal.normalize()))
    }

    /// Returns the share of the nominal footprint that is firm, and its mean friction.
    fn firm_share(&self, nodes: &FirmNodes<'_>) -> Option<(f64, f64)> {
        let WheelDisc { center, left, ahead, radius, half_width, .. } = *self;
        let lattice = nodes.model.lattice();
        // the tents extend one spacing further, so that some node always has a weight
        let half_length = HALF_LENGTH * radius + lattice.spacing;
        let half_width = half_width + lattice.spacing;
        let reach = [0, 1].map(|k| half_length * ahead[k].abs() + half_width * left[k].abs());
        let first = lattice.nearest(center.x - reach[0], center.y - reach[1]);
        let last = lattice.nearest(center.x + reach[0], center.y + reach[1]);
        let (mut total, mut firm, mut friction) = (0.0, 0.0, 0.0);
        for j in first.j..=last.j {
            for i in first.i..=last.i {
                let node = Node { i, j };
                let [x, y] = lattice.position(node);
                let (u, v) = (x - center.x, y - center.y);
                let lateral = left[0] * u + left[1] * v;
                let forward = ahead[0] * u + ahead[1] * v;
                let weight = (1.0 - lateral.abs() / half_width).max(0.0)
                    * (1.0 - forward.abs() / half_length).max(0.0);
                let Some((_, own)) = nodes.node(node).filter(|_| weight > 0.0) else { continue };
                total += weight;
                if let Some(mu) = own {
                    firm += weight;
                    friction += weight * mu;
                }
            }
        }
        (firm > 0.0).then(|| (firm / total, friction / firm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SharedGround;
    use crate::scm::Scratch;
    use crate::soil::{Laws, Soil, SoilId};
    use crate::terrain::{SoilMap, Surface, Terrain};
    use bekker_math::grid::Lattice;
    use bekker_math::spatial::Quat;

    /// The equivalent plane of a plane is itself for all headings and leans of the wheel.
    #[test]
    fn a_plane_is_met_as_it_is() {
        let slope = [0.15, -0.3];
        let terrain =
            Terrain::builder(Surface::Plane { elevation: 1.0, slope }, SoilMap::uniform(SoilId(0)));
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        let lattice = Lattice { spacing: 0.05 };
        let terrain = terrain.build().unwrap();
        let model = GroundModel::new(lattice, terrain, vec![soil], Laws::default()).unwrap();
        let wheel = Underside::cylinder(0.47, 0.25).unwrap();
        let normal = Vec3::new(-slope[0], -slope[1], 1.0).normalize();
        let published = SharedGround::default();
        for heading in [0.0_f64, 0.7, 2.0, -1.3] {
            for lean in [-0.4, 0.0, 0.25] {
                let turn = Quat::from_axis_angle(&Vec3::z_axis(), heading)
                    * Quat::from_axis_angle(&Vec3::x_axis(), lean);
                let axis = turn * Vec3::y();
                let up = axis.cross(&normal).normalize().cross(&axis);
                let position = Vec3::new(3.0, -2.0, 1.0 + 0.15 * 3.0 + 0.3 * 2.0) + up * 0.45;
                let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
                overlay.begin_step();
                let mut ground = WorkingGround {
                    model: &model,
                    published: &published,
                    overlay: &mut overlay,
                    scratch: &mut scratch,
                };
                let pose = Pose { position, orientation: turn };
                let met = firm_ground_under(&mut ground, &wheel, &pose).unwrap();
                let height = 1.0 + slope[0] * position.x + slope[1] * position.y;
                // nodes store their heights in single precision or in steps of a micrometer
                assert!((met.height - height).abs() < 1e-5, "{heading} {lean} {met:?} {height}");
                assert!((met.normal - normal).norm() < 1e-4, "{heading} {lean} {met:?}");
                assert!(met.share == 1.0 && (met.friction - 0.8).abs() < 1e-12);
            }
        }
    }
}
