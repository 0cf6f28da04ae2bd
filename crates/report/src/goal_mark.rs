//! Marks of goals in rendered pictures: a ring on the ground with a post at its center.

use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::camera::{Camera, Image};
use bekker_sensor::class::SurfaceClass;

/// Color of a mark, linear.
const COLOR: [f32; 3] = [0.9, 0.1, 0.02];
/// Share of the color where a mark covers a pixel.
const OPACITY: f32 = 0.8;
/// Width of the ring, m, at least that of a pixel.
const RING_WIDTH: f64 = 0.3;
/// Radius, m, and height of the post, m.
const POST: [f64; 2] = [0.12, 4.0];

/// A goal to be marked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalMark {
    /// Center on the ground, m.
    pub center: Vec3,
    /// Radius of the ring, m.
    pub radius: f64,
}

impl GoalMark {
    /// Draws the mark into an exposed picture with depths and classes, taken from `pose`.
    ///
    /// The ring is on the ground that the picture shows. Nearer objects hide both parts.
    pub(super) fn draw(&self, image: &mut Image, camera: &Camera, pose: &Pose) {
        let pixel = 1.0 / camera.focal[0].min(camera.focal[1]);
        for row in 0..image.height {
            for column in 0..image.width {
                let (u, v) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
                let Some(direction) = camera.direction(u, v) else { continue };
                let index = (row * image.width + column) as usize;
                let depth = f64::from(image.depth[index]);
                // by depth along the optical axis
                let ray = pose.direction(&(direction / direction.x));
                let is_ground = image.class[index] == SurfaceClass::Ground as u8;
                let on_ring =
                    is_ground && self.is_on_ring(&(pose.position + ray * depth), pixel * depth);
                if on_ring || self.hits_post(&pose.position, &ray, depth, pixel) {
                    for (level, mark) in image.color[index].iter_mut().zip(COLOR) {
                        *level += OPACITY * (mark - *level);
                    }
                }
            }
        }
    }

    /// Whether a point on the ground, in a pixel of `pixel` m, is on the ring.
    fn is_on_ring(&self, point: &Vec3, pixel: f64) -> bool {
        let apart = (point - self.center).xy().norm();
        (apart - self.radius).abs() < 0.5 * RING_WIDTH.max(pixel)
    }

    /// Whether a ray from the camera meets the post before `depth` m; `pixel` is the width of a
    /// pixel at 1 m.
    fn hits_post(&self, from: &Vec3, ray: &Vec3, depth: f64, pixel: f64) -> bool {
        let [radius, height] = POST;
        let along = ray.xy().norm_squared();
        if along == 0.0 {
            return false;
        }
        let nearest = (self.center - from).xy().dot(&ray.xy()) / along;
        let point = from + ray * nearest;
        let above = point.z - self.center.z;
        nearest > 0.0
            && nearest < depth
            && (0.0..height).contains(&above)
            && (point - self.center).xy().norm() < radius.max(0.5 * pixel * nearest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_sensor::camera::{Lens, look_at};

    /// Seen from straight above, the marked pixels are the area of the ring and of the post, and
    /// none are marked where a vehicle is above the ground.
    #[test]
    fn a_ring_has_its_area_and_is_hidden_by_vehicles() {
        let camera = Camera::with_field(400, 400, Lens::Pinhole, 2.0 * 0.5_f64.atan()).unwrap();
        let pose = look_at(&Vec3::new(0.0, 0.0, 20.0), &Vec3::new(1e-6, 0.0, 0.0));
        let mark = GoalMark { center: Vec3::zeros(), radius: 3.0 };
        let count = |class: SurfaceClass| {
            let mut image = Image {
                width: 400,
                height: 400,
                color: vec![[0.0; 3]; 160_000],
                depth: vec![20.0; 160_000],
                class: vec![class as u8; 160_000],
                ..Image::default()
            };
            mark.draw(&mut image, &camera, &pose);
            image.color.iter().filter(|color| color[0] > 0.5).count()
        };
        // a pixel is 5 cm wide; the post is seen as a disk, larger by perspective
        let ring = std::f64::consts::PI * (3.15_f64.powi(2) - 2.85_f64.powi(2)) / 0.05_f64.powi(2);
        let (ground, vehicle) = (count(SurfaceClass::Ground), count(SurfaceClass::Vehicle));
        assert!(vehicle < 60, "{vehicle} pixels of the post");
        assert!(((ground - vehicle) as f64 / ring - 1.0).abs() < 0.02, "{ground}, not {ring}");
    }
}
