// Draws the paths that vehicles have driven as ribbons, colored by speed, slip or sinkage from the run's table.

import * as three from 'three';
import { depthColor } from 'view/palette';

// Column, title, unit, factor from the column to the unit, least end of the scale
export const QUANTITIES = {
  speed: ['speeds', 'speed', 'm/s', 1, 1], slip: ['slips', 'slip', '%', 100, 10], sinkage: ['sinkages', 'sinkage', 'cm', 100, 1],
};
const SPACING = 0.3; // m between points
const WIDTH = 0.5; // m
const LIFT = 0.3; // m above the undisturbed ground

const VERTEX = `
  attribute vec2 side; // to the left of the path
  attribute vec3 tint;
  uniform float pixels; // pixels at 1 m
  varying vec3 vTint;
  void main() {
    vTint = tint;
    float far = length((viewMatrix * vec4(position, 1.0)).xyz);
    // at least three pixels wide
    vec3 place = position + vec3(side * max(${(WIDTH / 2).toFixed(3)}, 1.5 * far / pixels), 0.0);
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
  }`;
const FRAGMENT = `
  varying vec3 vTint;
  void main() { gl_FragColor = vec4(vTint, 0.85); }`;

// Returns the smallest of 1, 2, 5, 10, 20, 50 ... that reaches a value.
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= value - 1e-9);
}

export class Paths {
  constructor(group, terrain) {
    this.group = group;
    this.terrain = terrain;
    this.series = [];
    this.quantity = '';
    this.ribbons = [];
    this.end = 0; // of the scale, in the unit of the quantity
    this.uniforms = { pixels: { value: 1 } };
    this.material = new three.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: this.uniforms, side: three.DoubleSide, transparent: true,
    });
  }

  take({ series }) {
    this.series = series;
    this.choose(this.quantity);
  }

  // Selects the quantity that colors the ribbons; an empty name hides them.
  choose(quantity) {
    this.quantity = QUANTITIES[quantity] ? quantity : '';
    this.ribbons.forEach(({ mesh }) => { this.group.remove(mesh); mesh.geometry.dispose(); });
    this.ribbons = [];
    this.shown = undefined;
    if (!this.quantity) return;
    const [column, , , factor, least] = QUANTITIES[this.quantity];
    const values = this.series.flatMap((own) => [...own[column]].filter(Number.isFinite).map(Math.abs)).sort((a, b) => a - b);
    // a short peak, such as slip at the start, does not determine the scale
    this.end = ceiling(Math.max(least, factor * (values[Math.floor(0.97 * values.length)] ?? 0)));
    this.ribbons = this.series.map((own) => this.ribbon(own, own[column], factor)).filter(Boolean);
  }

  ribbon({ times, xs, ys }, values, factor) {
    const kept = [];
    for (let k = 0; k < times.length; k++) {
      const last = kept.at(-1);
      if (last === undefined || Math.hypot(xs[k] - xs[last], ys[k] - ys[last]) >= SPACING) kept.push(k);
    }
    if (kept.length < 2) return null;
    const positions = new Float32Array(6 * kept.length), sides = new Float32Array(4 * kept.length), tints = new Float32Array(6 * kept.length);
    const index = [];
    kept.forEach((k, n) => {
      const [from, to] = [kept[Math.max(n - 1, 0)], kept[Math.min(n + 1, kept.length - 1)]];
      const [dx, dy] = [xs[to] - xs[from], ys[to] - ys[from]], length = Math.hypot(dx, dy) || 1;
      const value = Number.isFinite(values[k]) ? Math.abs(values[k]) * factor : 0;
      const tint = depthColor(value / this.end).map((c) => c / 255);
      for (const half of [0, 1]) {
        const sense = half === 0 ? 1 : -1, at = 2 * n + half;
        positions.set([xs[k], ys[k], 0], 3 * at);
        sides.set([(-sense * dy) / length, (sense * dx) / length], 2 * at);
        tints.set(tint, 3 * at);
      }
      if (n > 0) index.push(2 * n - 2, 2 * n - 1, 2 * n, 2 * n, 2 * n - 1, 2 * n + 1);
    });
    const geometry = new three.BufferGeometry();
    for (const [name, data, size] of [['position', positions, 3], ['side', sides, 2], ['tint', tints, 3]]) {
      geometry.setAttribute(name, new three.BufferAttribute(data, size));
    }
    geometry.setIndex(index);
    const mesh = new three.Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return { mesh, times: kept.map((k) => times[k]) };
  }

  // Lays the ribbons on the terrain as far as it is known, and shows them up to a time.
  show(time, pixels) {
    this.uniforms.pixels.value = pixels;
    if (this.ribbons.length === 0) return;
    if (this.shown !== this.terrain.shown) {
      this.shown = this.terrain.shown;
      for (const { mesh: { geometry } } of this.ribbons) {
        const place = geometry.attributes.position;
        for (let k = 0; k < place.count; k += 2) {
          const z = (this.terrain.at(place.getX(k), place.getY(k))?.height ?? 0) + LIFT;
          place.setZ(k, z);
          place.setZ(k + 1, z);
        }
        place.needsUpdate = true;
      }
    }
    for (const { mesh, times } of this.ribbons) {
      const after = times.findIndex((own) => own > time + 1e-9);
      mesh.geometry.setDrawRange(0, 6 * Math.max((after < 0 ? times.length : after) - 1, 0));
    }
  }
}
