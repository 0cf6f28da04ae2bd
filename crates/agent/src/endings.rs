//! When a drive ends: the caller's policy, one for all agents of a world.

use bekker_math::numeric::cos;

/// Which outcomes end a drive, and from where on. One that is no longer finite, or has
/// left the terrain or the part of it that has elevation data, always ends: there is nothing left to simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Endings {
    /// How long, s, and by how much, m, a vehicle must fail to get on to be immobilised;
    /// without, it is let try for ever.
    pub immobilised: Option<Immobility>,
    /// Tilt of the chassis' z axis from the vertical at which a vehicle has overturned,
    /// rad; without, it goes on lying.
    pub overturned: Option<f64>,
    /// Whether a vehicle has sunk where its wheels or tracks are, on average, wholly below
    /// the undisturbed ground.
    pub sunk: bool,
    /// Whether a drive ends where its vehicle arrives.
    pub arrived: bool,
    /// Whether a drive ends that runs into something, or into which something runs: with an
    /// impulse by which the vehicle's speed changes by 0.1 m/s at least.
    pub collided: bool,
}

/// When a vehicle that wants to move is immobilised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Immobility {
    /// Time for which it has not got on, s.
    pub after: f64,
    /// Way by which it would have got on, m.
    pub way: f64,
}

impl Default for Immobility {
    fn default() -> Immobility {
        Immobility { after: 4.0, way: 0.2 }
    }
}

/// Immobilised after 4 s without 0.2 m of way, overturned from 80 degrees, sunk.
impl Default for Endings {
    fn default() -> Endings {
        let overturned = Some(80_f64.to_radians());
        Endings {
            immobilised: Some(Immobility::default()),
            overturned,
            sunk: true,
            arrived: false,
            collided: false,
        }
    }
}

impl Endings {
    /// What ends no drive, but for what cannot be simulated.
    pub fn never() -> Endings {
        Endings {
            immobilised: None,
            overturned: None,
            sunk: false,
            arrived: false,
            collided: false,
        }
    }

    /// Whether a chassis whose z axis has this vertical component has overturned.
    pub(super) fn overturns(&self, upright: f64) -> bool {
        self.overturned.is_some_and(|tilt| upright < cos(tilt))
    }

    /// Way by which a vehicle must get on, m, lest it be taken to stand.
    pub(super) fn way(&self) -> f64 {
        self.immobilised.unwrap_or_default().way
    }
}
