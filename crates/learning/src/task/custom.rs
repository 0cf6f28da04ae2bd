//! Task whose levels, rewards and endings are defined by a program.

use super::{Action, EpisodeEnding, LearningTask, LevelRng, LevelSpec, TaskContext};

/// A task without built-in rewards and endings.
#[derive(Debug)]
pub struct Custom {
    /// Whether actions have a direction, so that the vehicle can reverse.
    pub reverses: bool,
}

/// The task without and with reverse gear.
pub const CUSTOM_TASKS: [&Custom; 2] = [&Custom { reverses: false }, &Custom { reverses: true }];

impl LearningTask for Custom {
    fn id(&self) -> &'static str {
        "Custom"
    }

    fn max_steps(&self) -> u32 {
        600
    }

    fn terms(&self) -> &'static [&'static str] {
        &["none"]
    }

    fn actions(&self) -> usize {
        if self.reverses { 3 } else { 2 }
    }

    fn requires_tracks(&self) -> bool {
        false
    }

    fn observes_map(&self) -> bool {
        false
    }

    /// Not called: the program gives the levels.
    fn spec(&self, _: &mut LevelRng, _: f64) -> LevelSpec {
        LevelSpec::default()
    }

    fn target_speed(&self, context: &TaskContext<'_>) -> Option<f64> {
        context.course_speed()
    }

    fn goal(&self, context: &TaskContext<'_>) -> Option<[f64; 2]> {
        let goal = context.level.spec.goal;
        goal[0].is_finite().then_some(goal)
    }

    fn judge(&self, _: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding> {
        terms.fill(0.0);
        None
    }

    /// Holds the target speed toward the goal, or straight ahead without a goal.
    fn expert(&self, context: &TaskContext<'_>) -> Action {
        let bearing = match self.goal(context) {
            Some(goal) => crate::observation::bearing(context.sample, goal).1,
            None => 0.0,
        };
        let speed = self.target_speed(context).unwrap_or(2.0);
        [context.steering_action(bearing), context.speed_action(speed), 0.0]
    }
}
