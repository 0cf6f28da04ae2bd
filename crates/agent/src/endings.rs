//! Criteria that end a drive; one policy for all agents of a world.

use bekker_math::numeric::cos;

/// Outcomes that end a drive.
///
/// A drive always ends if the state is no longer finite, or if the vehicle leaves the terrain or
/// its elevation data: there is nothing left to simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Endings {
    /// Criterion of immobilization; if absent, a vehicle that does not advance keeps trying.
    pub immobilized: Option<Immobility>,
    /// Tilt of the chassis' z axis from the vertical at which a vehicle has overturned, rad.
    ///
    /// If absent, an overturned vehicle is simulated further.
    pub overturned: Option<f64>,
    /// Whether a drive ends when the vehicle has sunk: on average, its wheels or tracks are wholly
    /// below the undisturbed ground.
    pub sunk: bool,
    /// Whether a drive ends at arrival.
    pub arrived: bool,
    /// Whether a drive ends with a collision whose impulse changes the vehicle's speed by at least
    /// 0.1 m/s.
    pub collided: bool,
}

/// Criterion for immobilization: distance and time of a vehicle that requests motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Immobility {
    /// Time without sufficient travel, s.
    pub after: f64,
    /// Travel that the vehicle must cover in that time, m.
    pub travel: f64,
}

impl Default for Immobility {
    fn default() -> Immobility {
        Immobility { after: 4.0, travel: 0.2 }
    }
}

/// Immobilized after 4 s with less than 0.2 m of travel, overturned at 80 degrees, sunk.
impl Default for Endings {
    fn default() -> Endings {
        let overturned = Some(80_f64.to_radians());
        Endings {
            immobilized: Some(Immobility::default()),
            overturned,
            sunk: true,
            arrived: false,
            collided: false,
        }
    }
}

impl Endings {
    /// Returns criteria that end no drive, except for states that cannot be simulated.
    pub fn never() -> Endings {
        Endings {
            immobilized: None,
            overturned: None,
            sunk: false,
            arrived: false,
            collided: false,
        }
    }

    /// Returns whether a chassis with this vertical component of its z axis has overturned.
    pub(super) fn overturns(&self, upright: f64) -> bool {
        self.overturned.is_some_and(|tilt| upright < cos(tilt))
    }

    /// Returns the travel below which a vehicle counts as stalled, m.
    pub(super) fn stall_travel(&self) -> f64 {
        self.immobilized.unwrap_or_default().travel
    }
}
