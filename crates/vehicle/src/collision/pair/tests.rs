use super::*;

const STEP: f64 = 2e-3;

fn hulls() -> Vec<Hull> {
    vec![Hull::new(Vec3::new(0.0, 0.0, 0.3), [4.5, 2.1, 0.9], 0.25)]
}

fn body(hulls: &[Hull], x: f64, y: f64, yaw: f64, speed: f64) -> FreeBody<'_> {
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), yaw);
    FreeBody {
        hulls,
        pose: Pose { position: Vec3::new(x, y, 0.6), orientation },
        twist: Twist { linear: Vec3::new(speed, 0.0, 0.0), angular: Vec3::zeros() },
        mass: 2573.0,
        com: Vec3::new(0.05, 0.0, 0.2),
        inertia: Mat3::from_diagonal(&Vec3::new(1100.0, 3300.0, 4000.0)),
        external_acceleration: Acceleration::default(),
        is_free: true,
    }
}

fn momenta(bodies: &[FreeBody<'_>]) -> (Vec3, Vec3, f64) {
    let (mut linear, mut angular, mut energy) = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for body in bodies {
        let moving = PairBody::new(body);
        let turn = moving.orientation.to_rotation_matrix();
        let spin = turn.matrix() * body.inertia * turn.matrix().transpose() * moving.rate;
        linear += moving.velocity * body.mass;
        angular += moving.center.cross(&(moving.velocity * body.mass)) + spin;
        energy += 0.5 * (body.mass * moving.velocity.norm_squared() + spin.dot(&moving.rate));
    }
    (linear, angular, energy)
}

/// Advances a body under the pair's forces, as its owner does.
fn step_owned(body: &mut FreeBody<'_>, wrench: &Wrench, origin: &Vec3) {
    let mut moving = PairBody::new(body);
    let inertia = |orientation: &Quat| {
        let turn = orientation.to_rotation_matrix();
        turn.matrix() * body.inertia * turn.matrix().transpose()
    };
    let torque = wrench.torque + (origin - moving.center).cross(&wrench.force);
    moving.velocity += wrench.force * (STEP / body.mass) + body.external_acceleration.linear * STEP;
    // its angular momentum is constant while it turns
    let spin = inertia(&moving.orientation) * moving.rate + torque * STEP;
    moving.rate = inertia(&moving.orientation).try_inverse().unwrap() * spin;
    moving.center += moving.velocity * STEP;
    moving.orientation = turned(&moving.orientation, &(moving.rate * STEP));
    moving.rate = inertia(&moving.orientation).try_inverse().unwrap() * spin;
    body.pose = moving.pose(&body.com);
    body.twist.angular = moving.rate;
    body.twist.linear = moving.velocity_at(&-(body.pose.orientation * body.com));
}

/// The body with its velocities rounded as they are sent.
fn as_sent(body: &FreeBody<'_>) -> FreeBody<'static> {
    let hulls: &'static [Hull] = Box::leak(body.hulls.to_vec().into_boxed_slice());
    let rounded = |v: Vec3, unit: f64| v.map(|x| (x / unit).round() * unit);
    let twist = Twist {
        linear: rounded(body.twist.linear, 1.0 / 256.0),
        angular: rounded(body.twist.angular, 1.0 / 1024.0),
    };
    FreeBody { hulls, twist, ..*body }
}

/// Advances bodies in heartbeats of `heartbeat` steps, each by its own owner.
///
/// After each heartbeat `each` receives the bodies and, for each pair in contact, the force
/// along x in each step.
fn drive(
    bodies: &mut [FreeBody<'_>],
    heartbeat: u64,
    time: f64,
    mut each: impl FnMut(&[FreeBody<'_>], &[Vec<f64>]),
) {
    let mut pair = CollisionPair::default();
    let beats = (time / (heartbeat as f64 * STEP)).round() as u64;
    for _ in 0..beats {
        let views: Vec<FreeBody<'_>> = bodies.iter().map(as_sent).collect();
        let count = views.len();
        let mut touching = Vec::new();
        for a in 0..count {
            for b in a + 1..count {
                if pair.approach([&views[a], &views[b]], heartbeat as f64 * STEP) {
                    touching.push([a, b]);
                }
            }
        }
        let share =
            |k: usize| 1.0 / touching.iter().filter(|pair| pair.contains(&k)).count() as f64;
        let mut by_all = vec![Wrench::default(); count];
        for both in &touching {
            pair.approach(both.map(|k| &views[k]), heartbeat as f64 * STEP);
            for side in 0..2 {
                by_all[both[side]] += pair.initial_wrench_on(side, &views[both[side]]);
            }
        }
        let mut wrenches = vec![Vec::<(Wrench, Vec3)>::new(); count];
        let mut pushes = Vec::new();
        for &[a, b] in &touching {
            let both = [&views[a], &views[b]];
            pair.approach(both, heartbeat as f64 * STEP);
            let [first, second] = [(0, a), (1, b)].map(|(side, k)| {
                let by_one = pair.initial_wrench_on(side, &views[k]);
                views[k].with_share(share(k), &by_all[k], &by_one, heartbeat as f64 * STEP)
            });
            pair.collide([&first, &second], [share(a), share(b)], None, heartbeat, STEP);
            pushes.push(pair.steps.iter().map(|step| -step.wrench.force.x).collect());
            for step in &pair.steps {
                let Wrench { force, torque } = step.wrench;
                wrenches[a].push((step.wrench, pair.origin));
                wrenches[b].push((Wrench { force: -force, torque: -torque }, pair.origin));
            }
        }
        for (body, wrenches) in bodies.iter_mut().zip(&wrenches) {
            let partners = wrenches.len() / heartbeat as usize;
            for step in 0..heartbeat as usize {
                let mut total = (Wrench::default(), Vec3::zeros());
                for partner in 0..partners {
                    let (wrench, origin) = &wrenches[partner * heartbeat as usize + step];
                    // referred to the world's origin
                    total.0.force += wrench.force;
                    total.0.torque += wrench.torque + origin.cross(&wrench.force);
                }
                step_owned(body, &total.0, &total.1);
            }
        }
        each(bodies, &pushes);
    }
}

fn restitution(speed: f64, heartbeat: u64) -> f64 {
    let hulls = hulls();
    let mut bodies = [body(&hulls, -2.3, 0.0, 0.0, speed), body(&hulls, 2.3, 0.0, 0.0, 0.0)];
    drive(&mut bodies, heartbeat, 0.8, |_, _| {});
    (bodies[1].twist.linear.x - bodies[0].twist.linear.x) / speed
}

#[test]
fn restitution_does_not_depend_on_the_heartbeat() {
    let found = [1, 2, 5, 10].map(|heartbeat| restitution(5.0, heartbeat));
    println!("restitution at 5 m/s, heartbeats of 2, 4, 10 and 20 ms: {found:.4?}");
    for e in found {
        assert!((0.40..0.55).contains(&e), "{found:?}");
        assert!((e / found[0] - 1.0).abs() < 0.05, "{found:?}");
    }
}

#[test]
fn momentum_stays_and_energy_never_grows() {
    let hulls = hulls();
    for (x, y, yaw, other, speed) in [
        (-2.6, 0.0, 0.0, 0.0, 5.0),   // head on
        (-3.4, 0.7, 0.4, 1.2, 10.0),  // corner into side
        (-3.2, -1.0, 0.7, 2.4, 15.0), // corner to corner
        (-2.6, 1.6, 0.0, 3.1, 3.0),   // half offset
    ] {
        let mut bodies =
            [body(&hulls, x, y, yaw, speed), body(&hulls, 2.3, 0.0, other, -0.5 * speed)];
        let (linear, angular, mut energy) = momenta(&bodies);
        let begun = energy;
        drive(&mut bodies, 5, 1.0, |bodies, _| {
            let (now, spin, left) = momenta(bodies);
            // forces of up to 1e6 N are added and subtracted some hundred times
            assert!((now - linear).norm() < 1e-12 * linear.norm() * 10.0, "{now} {linear}");
            // Positions move at the velocities of the step's end. So the moment of momentum of
            // each owner about the world differs from the step's beginning by h v x F h.
            assert!((spin - angular).norm() < 1e-3 * angular.norm(), "{spin} {angular}");
            energy = left;
            // temporarily stored energy returns, so the sum may rise, but never above its
            // initial value
            assert!(left <= begun * (1.0 + 1e-6), "{left} {begun}");
        });
        assert!(energy < 0.999 * begun, "they have not met");
    }
}

/// Several bodies in a row; all but the first have gaps of `gap` m.
fn row(hulls: &[Hull], count: usize, gap: f64, speed: f64) -> Vec<FreeBody<'_>> {
    let first = body(hulls, -0.1, 0.0, 0.0, speed);
    let place = |k: usize| (4.5 + gap) * k as f64;
    let others = (1..count).map(|k| body(hulls, place(k), 0.0, 0.0, 0.0));
    std::iter::once(first).chain(others).collect()
}

#[test]
fn a_row_passes_on_the_push() {
    let hulls = hulls();
    for (count, heartbeat, speed) in
        [(3, 5, 0.3), (3, 5, 5.0), (3, 10, 15.0), (8, 5, 15.0), (8, 10, 5.0), (8, 20, 15.0)]
    {
        let mut bodies = row(&hulls, count, 0.05, speed);
        let (linear, _, begun) = momenta(&bodies);
        let mut most = 0.0_f64;
        drive(&mut bodies, heartbeat, 1.5, |bodies, _| {
            let (now, _, energy) = momenta(bodies);
            assert!((now - linear).norm() < 1e-9 * linear.norm(), "{now} {linear}");
            most = most.max(energy / begun);
        });
        let speeds: Vec<f64> = bodies.iter().map(|body| body.twist.linear.x / speed).collect();
        let left = momenta(&bodies).2 / begun;
        println!("{count} at {speed} m/s, {heartbeat} steps: {speeds:.3?}, energy {left:.3}");
        assert!(most <= 1.0 + 1e-6, "{most}");
        // one impact of two bodies leaves (1 + e²)/2 = 0.63 of the energy
        assert!(left < 0.65, "{left}");
        assert!(speeds[0] < speeds[count - 1], "{speeds:?}");
    }
}

/// The first and the last body push the others together with 4 kN: no pair force varies within
/// a heartbeat.
#[test]
fn a_row_that_pushes_slowly_does_not_chatter() {
    let (hulls, traction) = (hulls(), 4000.0);
    for count in [3, 5] {
        let mut bodies = row(&hulls, count, 0.04, 0.0);
        bodies[0].external_acceleration.linear.x = traction / bodies[0].mass;
        bodies[count - 1].external_acceleration.linear.x = -traction / bodies[0].mass;
        let (mut beat, mut worst, mut sum, mut terms) = (0, 0.0_f64, 0.0, 0.0);
        drive(&mut bodies, 5, 6.0, |_, pushes| {
            beat += 1;
            for forces in pushes.iter().filter(|_| beat > 300) {
                let mean = forces.iter().sum::<f64>() / forces.len() as f64;
                (sum, terms) = (sum + mean, terms + 1.0);
                let off = forces.iter().map(|force| (force - mean).abs());
                worst = off.fold(worst, f64::max);
            }
        });
        let mean = sum / terms;
        println!("{count} in a row pressed by {traction} N: {mean:.0} N, saw {worst:.0} N");
        assert!((mean / traction - 1.0).abs() < 0.05, "{mean}");
        // same limit as for two bodies alone, due to rounding of the sent velocities; 23 % if
        // the pairs neglect the other bodies
        assert!(worst < 0.05 * traction, "{worst}");
    }
}

#[test]
fn nothing_tunnels_at_thirty_meters_a_second() {
    let hulls = hulls();
    for (y, yaw, other) in [
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 1.571),
        (0.5, 0.785, 0.785),
        (0.9, 0.0, 0.3),
        (0.0, 1.571, 1.571),
    ] {
        for heartbeat in [1, 5, 10] {
            let mut bodies =
                [body(&hulls, -5.5, y, yaw, 15.0), body(&hulls, 5.5, 0.0, other, -15.0)];
            let mut deepest = 0.0_f64;
            drive(&mut bodies, heartbeat, 0.6, |bodies, _| {
                let middle = bodies[1].pose.local_point(&bodies[0].pose.point(&hulls[0].center));
                let inside = hulls[0].field(&middle, ExitRule::Any).distance;
                deepest = deepest.max(-inside);
            });
            let parting = bodies[1].twist.linear.x - bodies[0].twist.linear.x;
            assert!(deepest <= 0.0, "the middle of one is {deepest} m in the other");
            assert!(parting > -12.0, "y {y}, yaws {yaw} {other}: {parting} m/s");
        }
    }
}

/// Mean contact force, N, and greatest departure from it in a step, N, in steady state.
///
/// One body is driven and the other is held back by an equal force. `is_reported` is whether
/// the pair includes these accelerations.
fn slowly_pushed(traction: f64, is_reported: bool) -> [f64; 2] {
    let hulls = hulls();
    let mut bodies = [body(&hulls, -2.27, 0.0, 0.0, 0.1), body(&hulls, 2.27, 0.0, 0.0, 0.0)];
    let mut pair = CollisionPair::default();
    let (mut sum, mut worst, mut count) = (0.0, 0.0_f64, 0.0);
    for beat in 0..600 {
        let mut views = [as_sent(&bodies[0]), as_sent(&bodies[1])];
        if is_reported {
            views[0].external_acceleration.linear.x = traction / bodies[0].mass;
            views[1].external_acceleration.linear.x = -traction / bodies[1].mass;
        }
        let both = [&views[0], &views[1]];
        pair.approach(both, 5.0 * STEP);
        pair.collide(both, [1.0, 1.0], None, 5, STEP);
        if beat > 300 {
            let forces = || pair.steps.iter().map(|step| -step.wrench.force.x);
            let mean = forces().sum::<f64>() / 5.0;
            (sum, count) = (sum + mean, count + 1.0);
            worst = forces().map(|force| (force - mean).abs()).fold(worst, f64::max);
        }
        for step in pair.steps.clone() {
            let on = |sign: f64| Wrench {
                force: step.wrench.force * sign + Vec3::x() * (sign * traction),
                torque: Vec3::zeros(),
            };
            step_owned(&mut bodies[0], &on(1.0), &pair.origin);
            step_owned(&mut bodies[1], &on(-1.0), &pair.origin);
            for body in &mut bodies {
                body.pose.orientation = Quat::identity();
                body.twist.angular = Vec3::zeros();
            }
        }
    }
    [sum / count, worst]
}

#[test]
fn a_slow_push_does_not_chatter() {
    let traction = 4000.0;
    let [found, without] = [true, false].map(|is_reported| slowly_pushed(traction, is_reported));
    println!("pushed with {traction} N: mean and saw {found:.0?} N; not reported {without:.0?} N");
    assert!((found[0] / traction - 1.0).abs() < 0.05, "{found:?}");
    // the sent velocity is rounded to 4 mm/s, which changes the damping force by up to 5 %
    assert!(found[1] < 0.05 * traction, "{found:?}");
    // without the accelerations the bodies separate within a heartbeat
    assert!(without[1] > 2.0 * found[1], "{without:?}");
}

#[test]
fn an_immovable_body_absorbs_any_impulse() {
    let hulls = hulls();
    let mut bodies = [body(&hulls, -2.3, 0.0, 0.0, 5.0), body(&hulls, 2.3, 0.0, 0.0, 0.0)];
    bodies[1].is_free = false;
    let mut pair = CollisionPair::default();
    for _ in 0..80 {
        let views = [as_sent(&bodies[0]), as_sent(&bodies[1])];
        pair.approach([&views[0], &views[1]], 5.0 * STEP);
        pair.collide([&views[0], &views[1]], [1.0, 1.0], None, 5, STEP);
        for step in pair.steps.clone() {
            step_owned(&mut bodies[0], &step.wrench, &pair.origin);
        }
    }
    let e = -bodies[0].twist.linear.x / 5.0;
    assert!((0.35..0.55).contains(&e), "{e}");
}

#[test]
fn a_rope_pulls_when_it_is_taut_and_breaks_beyond_its_load() {
    let hulls = hulls();
    let tow = Tow {
        anchors: [Vec3::new(-2.3, 0.0, 0.0), Vec3::new(2.3, 0.0, 0.0)],
        slack: 1.0,
        stiffness: 2e5,
        damping: 2e3,
        pushes: false,
        breaking: 60_000.0,
    };
    let pulled = |speed: f64| {
        let mut bodies = [body(&hulls, 8.6, 0.0, 0.0, speed), body(&hulls, 0.0, 0.0, 0.0, 0.0)];
        let (mut pair, mut state) = (CollisionPair::default(), TowState::default());
        for _ in 0..150 {
            let views = [as_sent(&bodies[0]), as_sent(&bodies[1])];
            let both = [&views[0], &views[1]];
            pair.approach(both, 5.0 * STEP);
            pair.collide(both, [1.0, 1.0], Some((&tow, &mut state)), 5, STEP);
            for step in pair.steps.clone() {
                let Wrench { force, torque } = step.wrench;
                step_owned(&mut bodies[0], &step.wrench, &pair.origin);
                step_owned(
                    &mut bodies[1],
                    &Wrench { force: -force, torque: -torque },
                    &pair.origin,
                );
            }
        }
        (state, bodies[1].twist.linear.x, bodies[0].twist.linear.x + bodies[1].twist.linear.x)
    };
    let (state, towed, sum) = pulled(2.0);
    // v sqrt(k m / 2): 2 m/s, 200 kN/m, half of 2573 kg, reduced a little by damping
    assert!(!state.broken && (0.85..1.02).contains(&(state.peak / 32_080.0)), "{state:?}");
    assert!(towed > 1.0 && (sum - 2.0).abs() < 0.02, "{towed} {sum}");
    let (state, towed, _) = pulled(6.0);
    assert!(state.broken && towed < 3.0, "{state:?} {towed}");
}
