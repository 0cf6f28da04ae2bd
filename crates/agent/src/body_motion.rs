//! Motion of a rigid body.

use bekker_math::spatial::{Pose, Twist};

/// Pose and twist of a rigid body about its frame's origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyMotion {
    /// Pose of the body's frame.
    pub pose: Pose,
    /// Twist about the origin of the frame.
    pub twist: Twist,
}
