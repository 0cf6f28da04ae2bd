// Draws the undisturbed terrain in squares, which are finer near the camera. A square is drawn until all
// four squares of the next level are available.

import * as three from 'three';
import { GRAIN, LIGHT } from 'view/light';
import { RutMask, RUT_MASK } from 'view/rut_mask';

const CELLS = 64;
const SPLIT = 1.2; // distance at which a square is split, in sides of the square
const ASKED = 16; // greatest number of pending requests for squares

const VERTEX = `
  attribute vec3 tint;
  varying vec3 vTint, vNormal, vPlace;
  varying vec2 vCell;
  varying float vDistance;
  void main() {
    vTint = tint; vNormal = normal; vCell = uv;
    vPlace = (modelMatrix * vec4(position, 1.0)).xyz;
    vec4 seen = viewMatrix * vec4(vPlace, 1.0);
    vDistance = length(seen.xyz);
    gl_Position = projectionMatrix * seen;
  }`;

const FRAGMENT = `${LIGHT}${GRAIN}${RUT_MASK}
  uniform ivec2 first; // first tile of the square
  uniform int tiles; // along its side
  varying vec3 vTint, vNormal, vPlace;
  varying vec2 vCell;
  varying float vDistance;
  void main() {
    ivec2 tile = clamp(ivec2(floor(vCell * float(tiles))), ivec2(0), ivec2(tiles - 1));
    if (deformed(first + tile)) discard;
    gl_FragColor = vec4(lit(grained(vTint, vPlace.xy, vDistance), normalize(vNormal), vDistance, vPlace), 1.0);
  }`;

const name = (level, i, j) => `${level},${i},${j}`;

// Returns whether a square is a plane of one soil, so that two triangles draw it.
function isPlane(heights, soils) {
  const n = CELLS + 1;
  const [first, east, north] = [heights[0], heights[CELLS], heights[CELLS * n]];
  const [dx, dy] = [(east - first) / CELLS, (north - first) / CELLS];
  return soils.every((soil) => soil === soils[0])
    && heights.every((height, k) => Math.abs(height - first - (k % n) * dx - Math.floor(k / n) * dy) < 1e-4);
}

export class Terrain {
  constructor(scene, group, light, ask) {
    this.tile = 16 * scene.spacing;
    this.origin = scene.origin;
    this.soils = scene.soils;
    this.roots = scene.roots;
    this.ask = ask;
    this.group = group;
    this.chunks = new Map(); // name -> { mesh, heights, ... } or 'asked' or 'absent'
    this.mask = new RutMask();
    this.shown = 0; // number of changes of the drawn squares
    this.drawn = '';
    this.waiting = 0;
    this.light = light.uniforms;
    const [x, y, z] = scene.origin;
    this.low = -z;
    this.place = (level, i, j) => [i * this.side(level) - x, j * this.side(level) - y];
  }
  side(level) { return CELLS * this.tile * 2 ** level; }

  take({ level, i, j, heights, soils }) {
    this.waiting = Math.max(0, this.waiting - 1);
    const cell = this.side(level) / CELLS, n = CELLS + 1, count = n * n;
    const z = this.origin[2], skirt = 0.4 * cell + 0.2;
    const at = (c, r) => heights[Math.min(Math.max(r, 0), CELLS) * n + Math.min(Math.max(c, 0), CELLS)];
    const positions = new Float32Array(3 * (count + 4 * n)), normals = new Float32Array(positions.length);
    const tints = new Float32Array(positions.length), uvs = new Float32Array((2 * positions.length) / 3);
    const put = (k, c, r, drop) => {
      const h = at(c, r), soil = this.soils[soils[r * n + c]] || this.soils[0];
      positions.set([c * cell, r * cell, h - z - drop], 3 * k);
      // differences over two cells, or over one at the rim
      const [across, along] = [c, r].map((k) => (k > 0 && k < CELLS ? cell : cell / 2));
      const dx = (at(c - 1, r) - at(c + 1, r)) / across, dy = (at(c, r - 1) - at(c, r + 1)) / along;
      const length = Math.hypot(dx, dy, 2);
      normals.set([dx / length, dy / length, 2 / length], 3 * k);
      tints.set(soil.fresh, 3 * k);
      uvs.set([c / CELLS, r / CELLS], 2 * k);
    };
    for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) put(r * n + c, c, r, 0);
    const index = [], stride = isPlane(heights, soils) ? CELLS : 1;
    for (let r = 0; r < CELLS; r += stride) {
      for (let c = 0; c < CELLS; c += stride) {
        const k = r * n + c, above = k + stride * n;
        index.push(k, k + stride, above + stride, k, above + stride, above);
      }
    }
    // a skirt hides gaps next to coarser squares
    const rim = [
      [(t) => [t, 0], 1], [(t) => [CELLS, t], 1], [(t) => [t, CELLS], -1], [(t) => [0, t], -1],
    ];
    rim.forEach(([edge, sense], side) => {
      for (let t = 0; t < n; t++) {
        const [c, r] = edge(t);
        put(count + side * n + t, c, r, skirt);
      }
      for (let t = 0; t < CELLS; t += stride) {
        const [a, b] = [edge(t), edge(t + stride)].map(([c, r]) => r * n + c);
        const [d, e] = [count + side * n + t, count + side * n + t + stride];
        if (sense > 0) index.push(a, d, b, b, d, e); else index.push(a, b, d, b, e, d);
      }
    });
    const geometry = new three.BufferGeometry();
    geometry.setAttribute('position', new three.BufferAttribute(positions, 3));
    geometry.setAttribute('normal', new three.BufferAttribute(normals, 3));
    geometry.setAttribute('tint', new three.BufferAttribute(tints, 3));
    geometry.setAttribute('uv', new three.BufferAttribute(uvs, 2));
    geometry.setIndex(index);
    const tiles = CELLS * 2 ** level;
    const uniforms = {
      ...this.light, ...this.mask.uniforms, first: { value: new three.Vector2(tiles * i, tiles * j) }, tiles: { value: tiles },
    };
    const material = new three.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, side: three.DoubleSide });
    const mesh = new three.Mesh(geometry, material);
    mesh.position.set(...this.place(level, i, j), 0);
    mesh.matrixAutoUpdate = false;
    mesh.updateMatrix();
    mesh.visible = false;
    this.group.add(mesh);
    this.chunks.set(name(level, i, j), { mesh, heights, soils, level, i, j });
  }
  absent({ level, i, j }) {
    this.waiting = Math.max(0, this.waiting - 1);
    this.chunks.set(name(level, i, j), 'absent');
  }

  // Selects the squares to draw around the camera.
  choose(camera) {
    for (const chunk of this.chunks.values()) if (chunk.mesh) chunk.mesh.visible = false;
    const eye = camera.position;
    const wanted = [];
    const far = (level, i, j) => {
      const [x, y] = this.place(level, i, j), side = this.side(level);
      const out = (p, low) => Math.max(low - p, 0, p - low - side);
      return Math.hypot(out(eye.x, x), out(eye.y, y));
    };
    const has = (level, i, j) => {
      const chunk = this.chunks.get(name(level, i, j));
      if (chunk === undefined) wanted.push([far(level, i, j), level, i, j]);
      return chunk && chunk.mesh ? chunk : null;
    };
    const draw = (level, i, j) => {
      const chunk = has(level, i, j);
      if (!chunk) return false;
      const side = this.side(level);
      const height = Math.abs(eye.z - (chunk.heights[(CELLS / 2) * (CELLS + 2)] - this.origin[2]));
      if (level > 0 && Math.max(far(level, i, j), height) < SPLIT * side) {
        const finer = [0, 1, 2, 3].map((k) => [level - 1, 2 * i + (k & 1), 2 * j + (k >> 1)]);
        if (finer.map((f) => has(...f)).every(Boolean)) {
          finer.forEach((f) => draw(...f));
          return true;
        }
      }
      chunk.mesh.visible = true;
      return true;
    };
    this.roots.forEach((root) => draw(...root));
    const drawn = [...this.chunks].filter(([, chunk]) => chunk.mesh?.visible).map(([key]) => key).join(';');
    if (drawn !== this.drawn) { this.drawn = drawn; this.shown++; }
    wanted.sort((p, q) => q[1] - p[1] || p[0] - q[0]);
    for (const [, level, i, j] of wanted) {
      if (this.waiting >= ASKED) break;
      this.chunks.set(name(level, i, j), 'asked');
      this.waiting++;
      this.ask({ kind: 'chunk', level, i, j });
    }
  }

  // Returns the drawn square that holds a square of level 0, if there is one.
  drawnAt(i, j) {
    for (let level = 0; level <= this.roots[0]?.[0]; level++) {
      const chunk = this.chunks.get(name(level, i >> level, j >> level));
      if (chunk?.mesh?.visible) return chunk;
    }
    return null;
  }

  // Returns the height of a drawn square at a corner of a tile, relative to the origin.
  cornerHeight({ level, i, j, heights }, a, b) {
    const span = 2 ** level;
    const [u, v] = [a / span - CELLS * i, b / span - CELLS * j];
    const [c, r] = [Math.min(Math.floor(u), CELLS - 1), Math.min(Math.floor(v), CELLS - 1)];
    const h = (dc, dr) => heights[(r + dr) * (CELLS + 1) + c + dc];
    const [s, t] = [u - c, v - r];
    // a cell is two triangles, which meet in the diagonal from its first corner
    const height = s > t
      ? h(0, 0) + s * (h(1, 0) - h(0, 0)) + t * (h(1, 1) - h(1, 0))
      : h(0, 0) + t * (h(0, 1) - h(0, 0)) + s * (h(1, 1) - h(0, 1));
    return height - this.origin[2];
  }

  // Returns height (bilinear) and soil at a point relative to the origin, if a square there is available.
  at(x, y) {
    for (let level = 0; level <= 12; level++) {
      const side = this.side(level);
      const [u, v] = [(x + this.origin[0]) / side, (y + this.origin[1]) / side];
      const chunk = this.chunks.get(name(level, Math.floor(u), Math.floor(v)));
      if (!chunk || !chunk.mesh) continue;
      const [c, r] = [(u - Math.floor(u)) * CELLS, (v - Math.floor(v)) * CELLS];
      const [c0, r0] = [Math.min(Math.floor(c), CELLS - 1), Math.min(Math.floor(r), CELLS - 1)];
      const h = (dc, dr) => chunk.heights[(r0 + dr) * (CELLS + 1) + c0 + dc];
      const [s, t] = [c - c0, r - r0];
      const height = (1 - t) * ((1 - s) * h(0, 0) + s * h(1, 0)) + t * ((1 - s) * h(0, 1) + s * h(1, 1));
      return { height: height - this.origin[2], soil: chunk.soils[Math.round(r) * (CELLS + 1) + Math.round(c)] };
    }
    return null;
  }

  // Intersects a ray with the terrain, by steps that grow with distance.
  meet(origin, direction) {
    let before = 0;
    for (let range = 0.5; range < 5000; range *= 1.02) {
      const p = origin.clone().addScaledVector(direction, range);
      const ground = this.at(p.x, p.y);
      if (ground && p.z < ground.height) {
        let [low, high] = [before, range];
        for (let k = 0; k < 30; k++) {
          const middle = 0.5 * (low + high), q = origin.clone().addScaledVector(direction, middle);
          if (q.z < (this.at(q.x, q.y)?.height ?? -Infinity)) high = middle; else low = middle;
        }
        return origin.clone().addScaledVector(direction, high);
      }
      before = range;
    }
    return null;
  }
}
