//! Semantic classes of visible objects.

/// Class of the surface that a ray hits: the label of semantic segmentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
pub enum SurfaceClass {
    /// Sky: no hit.
    #[default]
    Sky = 0,
    /// Ground.
    Ground = 1,
    /// Body of a vehicle.
    Vehicle = 2,
    /// Wheel, sprocket or idler.
    Wheel = 3,
    /// Shoe of a track.
    TrackShoe = 4,
    /// Tree.
    Tree = 5,
    /// Rock.
    Rock = 6,
    /// Post.
    Post = 7,
    /// Drops, flakes or dust in the air.
    Air = 8,
    /// Anything else.
    Other = 9,
    /// Pedestrian.
    Pedestrian = 10,
}

impl SurfaceClass {
    /// All classes, by number.
    pub const ALL: [SurfaceClass; 11] = [
        SurfaceClass::Sky,
        SurfaceClass::Ground,
        SurfaceClass::Vehicle,
        SurfaceClass::Wheel,
        SurfaceClass::TrackShoe,
        SurfaceClass::Tree,
        SurfaceClass::Rock,
        SurfaceClass::Post,
        SurfaceClass::Air,
        SurfaceClass::Other,
        SurfaceClass::Pedestrian,
    ];

    /// Returns the name of the class.
    pub fn name(self) -> &'static str {
        [
            "sky",
            "ground",
            "vehicle",
            "wheel",
            "track shoe",
            "tree",
            "rock",
            "post",
            "air",
            "other",
            "pedestrian",
        ][self as usize]
    }
}
