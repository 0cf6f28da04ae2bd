// Colors of data, equal to those of pictures and reports (crates/report/src/color.rs, whose tests compare
// them), and colors of the page's theme.

import * as three from 'three';

// Colors of vehicles; they repeat after eight.
const LINES = ['#0068b2', '#dc7d00', '#007166', '#d1759a', '#56b4e9', '#775b0e', '#393020', '#600364'];
// Color of heaped soil.
const BERM = '#4096a8';
// Scale of rut depth: a and b of Oklab at evenly spaced depths, and lightness at both ends.
const DEPTH = [[-0.030, 0.150], [0.050, 0.145], [0.135, 0.105], [0.165, 0.020], [0.135, -0.070], [0.065, -0.085]];
const DEPTH_LIGHTNESS = [0.91, 0.26];

export const color = (index) => LINES[index % LINES.length];
export const berm = BERM;

// Returns a color of a style sheet for a material of three.js, whose shaders write displayed colors.
export const displayed = (style) => new three.Color().setStyle(style, three.LinearSRGBColorSpace);

// Returns red, green and blue, 0 to 255, of a depth as a fraction of the deepest.
export function depthColor(share) {
  const place = Math.min(Math.max(share, 0), 1) * (DEPTH.length - 1);
  const below = Math.min(Math.floor(place), DEPTH.length - 2), within = place - below;
  const [a, b] = [0, 1].map((k) => DEPTH[below][k] + within * (DEPTH[below + 1][k] - DEPTH[below][k]));
  const lightness = DEPTH_LIGHTNESS[0] + (place / (DEPTH.length - 1)) * (DEPTH_LIGHTNESS[1] - DEPTH_LIGHTNESS[0]);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
  ].map((x) => {
    const linear = Math.min(Math.max(x, 0), 1);
    const shown = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
    return Math.round(255 * shown);
  });
}

// Returns the smallest of 1, 2, 5, 10, 15, 20, 30, 40, 60 ... cm that reaches a depth, m.
export function depthScale(depth) {
  const centimeters = 100 * depth;
  const steps = [1, 2, 5, 10, 15, 20, 30, 40, 60, 80, 100];
  return (steps.find((step) => step >= centimeters - 1e-6) ?? 100 * Math.ceil(centimeters / 100)) / 100;
}

// Returns a color of the theme by the name of its style property.
export const themeColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Calls `update` whenever the theme changes between light and dark.
export const onTheme = (update) => matchMedia('(prefers-color-scheme: dark)').addEventListener('change', update);
