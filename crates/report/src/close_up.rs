//! The deepest rut to scale, at the resolution of the soil, with a cross section.

use super::canvas::{Anchor, Canvas, CanvasPoint, Frame, TextStyle};
use super::chart::{Axes, AxisScale, SeriesMark};
use super::color::{self, INK, Oklab, SECONDARY};
use super::depth_scale::{DepthScale, VISIBLE};
use super::picture::rut_depth;
use super::relief::{self, HeightField, MapView};
use super::scene::RunScene;
use super::{drawn_ground, map};

/// Draws the deepest rut to scale and its cross section, and returns the view of the map.
pub(super) fn close_up(
    canvas: &mut Canvas,
    scene: &RunScene<'_>,
    section: &map::CrossSection,
    colors: &DepthScale,
    side: Frame,
) -> MapView {
    let title = TextStyle::new(16.0, INK).bold();
    let text = format!("Deepest rut, to scale: {}", rut_depth(scene.nodes));
    canvas.text(&text, [side.x, side.y + 14.0], title);
    let top = side.y + 28.0;
    // Space below the map: the section with its axis, and the color bar.
    let height = side.height - 28.0 - 250.0;
    let frame = Frame { x: side.x, y: top, width: side.width, height };
    const METERS_ACROSS: f64 = 8.0;
    let view =
        MapView { frame, center: section.center, meters: METERS_ACROSS / f64::from(frame.width) };
    let (height_of, rut_of) = (scene.land.height, scene.rut);
    let ruts = HeightField::sample(&view, scene.spacing, &|x, y| rut_of(x, y));
    let surface = HeightField::sample(&view, scene.spacing, &|x, y| height_of(x, y) - rut_of(x, y));
    let deepest = section.depth.max(VISIBLE);
    let (tints, berm) = (scene.land.oklab_tints(), Oklab::from_rgb(color::BERM));
    relief::paint(canvas, &view, &|point| {
        let depth = ruts.surface_at(point).height;
        let ground = scene.land.oklab_tint_at(&tints, point);
        let tinted = if depth >= 0.0 {
            // The color fades in over the first twentieth of the scale.
            ground.mix(colors.color(depth), (20.0 * depth / deepest).min(1.0))
        } else {
            ground.mix(berm, (-4.0 * depth / deepest).min(0.85))
        };
        relief::lit(tinted, 0.8 * relief::shade(surface.surface_at(point).slope, 0.7)).rgb()
    });
    canvas.clip(frame);
    let [ax, ay] = section.across(-map::REACH);
    let [bx, by] = section.across(map::REACH);
    let (a, b) = (view.point([ax, ay]), view.point([bx, by]));
    canvas.dashes(&[a, b], 1.6, INK, [6.0, 4.0]);
    let letter = TextStyle::new(16.0, INK).bold().anchor(Anchor::Middle).halo();
    for (name, at, from) in [("A", a, b), ("B", b, a)] {
        let length = (at[0] - from[0]).hypot(at[1] - from[1]).max(1.0);
        let out = [(at[0] - from[0]) / length * 14.0, (at[1] - from[1]) / length * 14.0];
        canvas.text(name, [at[0] + out[0], at[1] + out[1] + 6.0], letter);
    }
    canvas.unclip();
    drawn_ground::scale_bar(canvas, &view);
    canvas.outline(frame, 1.2, SECONDARY);

    let axes_frame = Frame {
        x: side.x + 44.0,
        y: frame.bottom() + 36.0,
        width: side.width - 44.0,
        height: 96.0,
    };
    cross_section(canvas, scene, section, axes_frame);
    view
}

fn cross_section(
    canvas: &mut Canvas,
    scene: &RunScene<'_>,
    section: &map::CrossSection,
    frame: Frame,
) {
    let steps = 400;
    let lateral = |n: i32| map::REACH * (2.0 * f64::from(n) / f64::from(steps) - 1.0);
    let profile: Vec<[f64; 2]> = (0..=steps)
        .map(|n| {
            let [x, y] = section.across(lateral(n));
            [lateral(n), -100.0 * map::interpolated(scene, [x, y])]
        })
        .collect();
    let y = AxisScale::covering(profile.iter().map(|point| point[1]), true, 3);
    let axes = Axes {
        frame,
        x: AxisScale::spanning([-map::REACH, map::REACH].into_iter(), false, 6),
        y,
        size: 13.0,
    };
    axes.draw(canvas, true);
    let mut soil: Vec<CanvasPoint> = profile.iter().map(|point| axes.point(*point)).collect();
    soil.push([frame.right(), frame.bottom()]);
    soil.push([frame.x, frame.bottom()]);
    canvas.polygon(&soil, scene.land.tint_at(section.center), 0.75);
    let level = [axes.point([-map::REACH, 0.0]), axes.point([map::REACH, 0.0])];
    canvas.dashes(&level, 1.2, SECONDARY, [5.0, 4.0]);
    axes.series(canvas, &profile, INK, 2.0, SeriesMark::Line);
    let style = TextStyle::new(13.0, SECONDARY);
    canvas.text("A", [frame.x, frame.y - 10.0], style.bold());
    canvas.text("B", [frame.right(), frame.y - 10.0], style.bold().anchor(Anchor::Right));
    let middle = [frame.x + 0.5 * frame.width, frame.y - 10.0];
    canvas.text("section, cm over m", middle, style.anchor(Anchor::Middle));
}
