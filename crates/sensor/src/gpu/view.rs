//! Parameters of one image or scan for the programs: sensor pose, lens, light.

use crate::camera::{GRAINS, HORIZON, ImageChannel, ImageRequest, Lens};
use crate::scene::Scene;
use bekker_math::spatial::{Pose, Vec3};

/// Size of a view, bytes; a multiple of the offset alignment of uniform buffers.
pub(super) const STRIDE: u64 = 512;

/// Words of a view, in the order of `ViewWords` in scene.wgsl.
#[derive(Debug, Default)]
pub(super) struct ViewWords(Vec<u32>);

impl ViewWords {
    /// Creates the view of an image.
    pub fn picture(
        scene: &Scene<'_>,
        take: &ImageRequest<'_>,
        anchor: &Vec3,
        soils: usize,
    ) -> ViewWords {
        let camera = take.camera;
        let mut view = ViewWords::default();
        view.0.extend([camera.width, camera.height, camera.supersample, camera.sky_rays]);
        let [a, b] = take.rng.noise.key;
        view.0.extend([take.rng.frame, a, b, channel_mask(take.channels)]);
        let ([fx, fy], [cx, cy]) = (camera.focal, camera.middle);
        view.push_reals([fx, fy, cx, cy]);
        let (kind, k) = match camera.lens {
            Lens::Pinhole => (0.0, [0.0; 5]),
            Lens::FieldOfView(omega) => (1.0, [omega, 0.0, 0.0, 0.0, 0.0]),
            Lens::KannalaBrandt([a, b, c, d]) => (2.0, [a, b, c, d, 0.0]),
            Lens::BrownConrady(k) => (3.0, k),
        };
        view.push_reals([k[0], k[1], k[2], k[3]]);
        view.push_reals([k[4], 0.0, 0.0, kind]);
        view.push_reals([camera.exposure, camera.readout, take.interval, camera.gain]);
        view.push_reals([camera.vignetting, scene.air.extinction(550e-9), HORIZON, 0.0]);
        view.push_common(scene, &take.poses, anchor, soils);
        view
    }

    /// Creates the view of `count` rays relative to the position `imager`, with the maximum range
    /// `far`, m.
    pub fn rays(scene: &Scene<'_>, count: u32, far: f64, imager: &Vec3, soils: usize) -> ViewWords {
        let mut view = ViewWords::default();
        view.0.extend([count, 1, 1, 0]);
        view.0.extend([0; 4]);
        (0..4).for_each(|_| view.push_reals([0.0; 4]));
        view.push_reals([0.0, 0.0, far, 0.0]);
        view.push_common(scene, &[Pose { position: *imager, ..Pose::default() }; 2], imager, soils);
        view
    }

    fn push_common(&mut self, scene: &Scene<'_>, poses: &[Pose; 2], anchor: &Vec3, soils: usize) {
        let [before, now] = poses;
        let imager = now.position;
        self.push_vector(before.position - imager, if before == now { 0.0 } else { 1.0 });
        for pose in poses {
            self.push_reals(pose.orientation.coords.into());
        }
        self.push_vector(imager - anchor, 0.0);
        let windows = scene.relief.window_positions(&imager);
        self.0.extend(windows.iter().flat_map(|over| over.cell.map(|cell| cell as i32 as u32)));
        let [near, far] = windows;
        self.push_reals([near.part[0], near.part[1], far.part[0], far.part[1]]);
        self.push_reals([near.length, far.length, -near.clear, -far.clear]);
        let [spacing, datum] = scene.relief.spacing_and_datum();
        let height = imager.z - datum;
        let leading = f64::from(height as f32);
        self.push_reals([leading, height - leading, 0.0, 0.0]);
        let light = scene.sky.light();
        self.push_vector(light.to_sun, f64::from(light.glow));
        for color in [light.sun, light.ambient, light.zenith, light.horizon] {
            self.push_vector(Vec3::from(color.map(f64::from)), 0.0);
        }
        for (length, ..) in GRAINS {
            let place = [imager.x / length, imager.y / length];
            let whole = place.map(f64::floor);
            // the lattice's hash uses the low words of the cell indices
            self.0.extend(whole.map(|whole| whole as i64 as u32));
            self.0.extend([0, 1].map(|k| ((place[k] - whole[k]) as f32).to_bits()));
        }
        self.push_reals([spacing, soils as f64, imager.x, imager.y]);
    }

    fn push_reals(&mut self, numbers: [f64; 4]) {
        self.0.extend(numbers.map(|number| (number as f32).to_bits()));
    }

    fn push_vector(&mut self, v: Vec3, w: f64) {
        self.push_reals([v.x, v.y, v.z, w]);
    }

    /// Returns the words.
    pub fn words(&self) -> &[u32] {
        &self.0
    }
}

/// Returns the bits of the requested channels; class, instance and soil labels share one word.
pub(super) fn channel_mask(channels: &[ImageChannel]) -> u32 {
    let bit = |channel: &ImageChannel| match channel {
        ImageChannel::Color => 1,
        ImageChannel::Depth => 2,
        ImageChannel::Normal => 4,
        ImageChannel::Class | ImageChannel::Instance => 8,
        ImageChannel::Ground => 8 | 16,
    };
    channels.iter().map(bit).fold(0, |all, bit| all | bit)
}
