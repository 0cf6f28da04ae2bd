//! Merging of maps, encoding of tiles and registration of scans.

use super::*;
use crate::proving_ground::{ProvingGround, body, lidar, mount};
use bekker_math::spatial::Pose;
use bekker_sensor::lidar::{Cloud, Return};
use proptest::prelude::*;

fn cell() -> impl Strategy<Value = MapCell> {
    let seen = (-90_000i32..90_000, 0u8..super::cell::UNSEEN, 0i32..9_000, 1u8..=EXPLORED);
    let seen = (seen, any::<bool>()).prop_map(|((lowest, range, rise, returns), hole)| MapCell {
        lowest,
        range,
        rise,
        returns,
        hole,
    });
    let unseen = any::<bool>().prop_map(|hole| MapCell { hole, ..MapCell::EMPTY });
    prop_oneof![unseen, seen]
}

/// A tile with some cells filled.
fn tile() -> impl Strategy<Value = MapTile> {
    prop::collection::vec((0..TILE_CELLS, cell()), 0..60).prop_map(|filled| {
        let mut cells = Box::new([MapCell::EMPTY; TILE_CELLS]);
        filled.into_iter().for_each(|(at, cell)| cells[at] = cell);
        MapTile::new(cells)
    })
}

fn map() -> impl Strategy<Value = ElevationMap> {
    prop::collection::vec(((-2i32..2, -2i32..2), tile()), 0..4).prop_map(|tiles| {
        let mut map = ElevationMap::new(MapModel::default());
        for ((a, b), tile) in tiles {
            map.merge_tile(MapTileKey { a, b }, &Arc::new(tile));
        }
        map
    })
}

/// Tiles with data, without the ticks of their changes.
fn knowledge(map: &ElevationMap) -> Vec<(MapTileKey, Arc<MapTile>)> {
    let known = map.tiles().filter(|(_, tile)| ***tile != MapTile::default());
    known.map(|(key, tile)| (*key, tile.clone())).collect()
}

fn merged(a: &ElevationMap, b: &ElevationMap) -> ElevationMap {
    let mut both = a.clone();
    both.merge(b);
    both
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn maps_merge_in_any_order_and_any_number_of_times(a in map(), b in map(), c in map()) {
        let [ab, ba] = [merged(&a, &b), merged(&b, &a)];
        prop_assert_eq!(knowledge(&ab), knowledge(&ba));
        prop_assert_eq!(knowledge(&merged(&ab, &c)), knowledge(&merged(&a, &merged(&b, &c))));
        prop_assert_eq!(merged(&ab, &b).tick(), ab.tick(), "what is known is no news");
        let known = |map: &ElevationMap| knowledge(map).len();
        if known(&ab) == ab.tiles().count() && known(&ba) == ba.tiles().count() {
            prop_assert_eq!(ab.digest(), ba.digest());
        }
    }

    #[test]
    fn tiles_are_the_same_after_their_bytes(tile in tile()) {
        let bytes = tile.encode();
        let decoded = MapTile::decode(&bytes).unwrap();
        prop_assert_eq!(&decoded, &tile);
        prop_assert_eq!(decoded.digest(), tile.digest());
        prop_assert!(MapTile::decode(&bytes[..bytes.len() - 1]).is_err());
        prop_assert!(MapTile::decode(&[&bytes[..], &[0]].concat()).is_err());
    }

    /// Any bytes decode to a valid tile or to an error.
    #[test]
    fn any_bytes_are_a_tile_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(tile) = MapTile::decode(&bytes) {
            let sound = |cell: &MapCell| {
                let unseen = MapCell { hole: cell.hole, ..MapCell::EMPTY };
                cell.returns <= EXPLORED && cell.rise >= 0 && (cell.is_seen() || *cell == unseen)
            };
            prop_assert!(tile.cells().iter().all(sound));
        }
    }

    #[test]
    fn a_change_of_a_cell_changes_the_digest(tile in tile(), at in 0..TILE_CELLS, new in cell()) {
        let mut cells = Box::new(*tile.cells());
        let same = cells[at] == new;
        cells[at] = new;
        prop_assert_eq!(MapTile::new(cells).digest() == tile.digest(), same);
    }
}

#[test]
fn deltas_alone_bring_another_map_up_to_date() {
    let mut own = ElevationMap::new(MapModel::default());
    let mut other = own.clone();
    let mut told = 0;
    for step in 0..5 {
        look(&mut own, &ProvingGround::default(), 3.0 * f64::from(step));
        let delta: Vec<_> = own.changed_since(told).map(|(k, t)| (*k, t.encode())).collect();
        assert!(!delta.is_empty() && delta.len() <= own.tiles().count());
        told = own.tick();
        for (key, bytes) in delta {
            other.merge_tile(key, &Arc::new(MapTile::decode(&bytes).unwrap()));
        }
        assert_eq!(knowledge(&other), knowledge(&own));
    }
}

#[test]
fn a_map_is_the_same_after_storage() {
    let mut map = ElevationMap::new(MapModel::default());
    look(&mut map, &ProvingGround::default(), 0.0);
    let bytes = postcard::to_allocvec(&map).unwrap();
    let stored: ElevationMap = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(stored, map);
    assert_eq!(stored.changed_since(0).count(), map.changed_since(0).count());
}

/// Registers one scan of a vehicle at rest at x that looks along the x axis.
fn look(map: &mut ElevationMap, ground: &ProvingGround, x: f64) -> usize {
    let pose = Pose { position: Vec3::new(x, 0.0, 0.33), ..Pose::default() };
    let eye = Pose { position: pose.point(&mount().position), orientation: mount().orientation };
    let cloud = ground.scan(&lidar(512), &eye);
    register(map, &cloud, &|_| pose, &[])
}

fn register(
    map: &mut ElevationMap,
    cloud: &Cloud,
    pose_at: &dyn Fn(f64) -> Pose,
    others: &[[f64; 3]],
) -> usize {
    let scan = Scan { cloud, mount: &mount(), pose_at, body: &body(), others };
    map.register(&scan, &mut RegistrationWindow::default())
}

/// Ahead, cells are explored where beams hit the ground, and none beyond.
///
/// The beams hit the ground from 1.36 to 4.09 m in front of the lidar, which is at x = 1.5.
#[test]
fn ahead_it_sees_as_far_as_its_beams_look_down() {
    let mut map = ElevationMap::new(MapModel::default());
    look(&mut map, &ProvingGround::default(), 0.0);
    let explored = |x: f64| map.cell(map.cell_of(x, 0.1)).is_explored();
    for x in [3.1, 3.6, 4.1, 4.6, 5.1] {
        assert!(explored(x), "{x}");
    }
    // the cell from 5.5 to 6 begins within the farthest beam, at 5.59
    assert!(!explored(6.1) && !explored(7.0));
    // to the side the beams are level and reach far
    assert!(map.cell(map.cell_of(1.5, 10.1)).is_seen());
    // a cell counts if its center is inside: 4 x 4 of them in front of the vehicle
    let [seen, all] = map.explored([[3.0, -1.0], [5.0, 1.0]]);
    assert_eq!((seen, all), (16, 16));
}

/// Each return is placed where its beam was fired.
///
/// Otherwise a vehicle that passes at 10 m/s would smear a post of 0.1 m over a meter during a
/// scan.
#[test]
fn returns_are_put_where_their_beams_were_fired() {
    let post = Vec3::new(8.25, 6.25, 0.7);
    let pose_at = |before: f64| {
        let position = Vec3::new(10.0 * before, 0.0, 0.33);
        Pose { position, ..Pose::default() }
    };
    let mut cloud = Cloud::default();
    for column in 0..10u16 {
        let time = -0.01 * f64::from(column);
        let chassis = pose_at(time);
        let eye = Pose {
            position: chassis.point(&mount().position),
            orientation: chassis.orientation * mount().orientation,
        };
        let point = eye.local_point(&post).map(|x| x as f32).into();
        // a single beam would count as an echo of haze
        cloud.returns.extend([0, 1].map(|ring| {
            let time = time as f32;
            Return { point, time, column, ring, ..Return::default() }
        }));
    }
    let seen = |pose_at: &dyn Fn(f64) -> Pose| {
        let mut map = ElevationMap::new(MapModel::default());
        register(&mut map, &cloud, pose_at, &[]);
        let high = |x: f64| {
            let cell = map.cell(map.cell_of(x, 6.25));
            cell.is_seen() && cell.lowest > 500
        };
        (0..40).filter(|k| high(0.25 + 0.5 * f64::from(*k))).count()
    };
    assert_eq!(seen(&pose_at), 1);
    assert!(seen(&|_| pose_at(0.0)) >= 2);
}

#[test]
fn overhead_returns_and_other_vehicles_are_ignored() {
    let above = |height: f64| {
        let eye = Pose { position: Vec3::new(1.5, 0.0, 1.0), orientation: mount().orientation };
        let place = |ring: u16, z: f64| {
            let point = eye.local_point(&Vec3::new(1.75, 5.25, z)).map(|x| x as f32).into();
            Return { point, ring, ..Return::default() }
        };
        // one or two alone would count as echoes of haze
        Cloud {
            returns: [0.0, 0.0, height, height, height]
                .into_iter()
                .zip(0..)
                .map(|(z, ring)| place(ring, z))
                .collect(),
        }
    };
    let pose = Pose { position: Vec3::new(0.0, 0.0, 0.33), ..Pose::default() };
    let seen = |height: f64, others: &[[f64; 3]]| {
        let mut map = ElevationMap::new(MapModel::default());
        register(&mut map, &above(height), &|_| pose, others);
        map.cell(map.cell_of(1.75, 5.25))
    };
    assert_eq!(seen(1.5, &[]).rise, 1500);
    let mut haze = above(1.5);
    haze.returns.truncate(4);
    let mut map = ElevationMap::new(MapModel::default());
    register(&mut map, &haze, &|_| pose, &[]);
    assert_eq!(map.cell(map.cell_of(1.75, 5.25)).rise, 0);
    // the vehicle needs 2 m, so a crown above does not count
    assert_eq!(seen(2.5, &[]).rise, 0);
    assert_eq!(seen(8.0, &[]).rise, 0);
    // nothing of another vehicle is left in the map
    assert_eq!(seen(1.5, &[[2.0, 5.0, 2.0]]), MapCell::EMPTY);
}

#[test]
fn tiles_beyond_the_extent_are_forgotten() {
    let mut map = ElevationMap::new(MapModel { extent: Some(20.0), ..MapModel::default() });
    look(&mut map, &ProvingGround::default(), 0.0);
    assert!(map.cell([8, 0]).is_seen());
    look(&mut map, &ProvingGround::default(), 100.0);
    assert_eq!(map.cell([8, 0]), MapCell::EMPTY);
    assert!(map.tiles().count() <= 16);
}
