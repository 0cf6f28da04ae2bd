// Draws deformed tiles of the ground, node by node. One texture holds the heights of up to 256 tiles; a
// tile is an instance of one grid that reads its part of the texture. The terrain is not drawn there.
//
// The border of a tile next to undeformed ground lies on the terrain as it is drawn. Where the drawn terrain
// is coarse, the whole tile is displaced from it. Hence there are no gaps at any level of detail. A tile of
// few pixels is drawn as a point, so that a rut never disappears in the distance.

import * as three from 'three';
import { GRAIN, LIGHT } from 'view/light';
import { berm, depthColor, depthScale } from 'view/palette';

const SIDE = 19; // nodes along a side of a message, one of them before and two after the tile
const CELLS = 16; // cells of the grid of a tile
const ROW = 16, SLOTS = ROW * ROW; // the tiles of a sheet are close together, so a sheet is culled as a whole
const QUANTUM = 1 / 4000; // m
const STRIDES = [1, 2, 4]; // nodes between corners, from near to far
const FAR = [30, 90]; // m
const SMALLEST = 2.5; // pixels along the side of a tile below which it is a point
const RAMP = 256; // colors of the scale of depth

// Data of a tile: [first corner, datum], [slot, edges on the terrain (1 west, 2 east, 4 south, 8 north),
// whether the terrain is coarse, height of the skirt].
const TILE = `
  attribute vec3 corner;
  attribute vec4 trait;
  attribute vec4 base; // heights of the drawn terrain at the corners above the datum
  attribute vec3 fresh, pressed;
  uniform float tileSide, pixels; // pixels at 1 m
  float across(vec4 seen) { return tileSide * pixels / max(length(seen.xyz), 1e-3); }
  float drawnBase(vec2 at) {
    return at.x > at.y ? base.x + at.x * (base.y - base.x) + at.y * (base.w - base.y)
                       : base.x + at.y * (base.z - base.x) + at.x * (base.w - base.z);
  }`;

const VERTEX = `
  precision highp isampler2D;
  attribute vec3 node; // column, row, and 1 for the lower edge of the skirt
  ${TILE}
  uniform isampler2D heights;
  uniform float spacing, relief;
  flat varying ivec2 vCorner;
  varying vec2 vNode;
  varying vec3 vFresh, vPressed, vNormal, vPlace;
  varying float vDepth, vDistance;
  void main() {
    vec2 at = node.xy / ${CELLS}.0;
    vec4 center = modelViewMatrix * vec4(corner + vec3(vec2(0.5 * tileSide), drawnBase(vec2(0.5))), 1.0);
    if (across(center) < ${SMALLEST}) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    int slot = int(trait.x + 0.5), edges = int(trait.y + 0.5);
    vCorner = ivec2(slot % ${ROW}, slot / ${ROW}) * ${SIDE};
    ivec2 own = ivec2(node.xy) + 1;
    vec2 texel = vec2(texelFetch(heights, vCorner + own, 0).rg) * ${QUANTUM};
    bool pinned = ((edges & 1) != 0 && node.x < 0.5) || ((edges & 2) != 0 && node.x > ${CELLS}.0 - 0.5)
      || ((edges & 4) != 0 && node.y < 0.5) || ((edges & 8) != 0 && node.y > ${CELLS}.0 - 0.5);
    float z = pinned ? drawnBase(at) : (trait.z > 0.5 ? drawnBase(at) : texel.x + texel.y) - relief * texel.y;
    ivec2[4] around = ivec2[4](own + ivec2(1, 0), own - ivec2(1, 0), own + ivec2(0, 1), own - ivec2(0, 1));
    float[4] level;
    for (int k = 0; k < 4; k++) {
      vec2 near = vec2(texelFetch(heights, vCorner + around[k], 0).rg) * ${QUANTUM};
      level[k] = near.x + near.y - relief * near.y;
    }
    vNormal = normalize(vec3(level[1] - level[0], level[3] - level[2], 2.0 * spacing));
    vDepth = pinned ? 0.0 : texel.y;
    vNode = node.xy + 1.0;
    vFresh = fresh; vPressed = pressed;
    vec3 place = vec3(corner.xy + node.xy * spacing, corner.z + z - trait.w * node.z);
    // a border on the terrain overlaps it by most of a pixel, so that no part of a pixel is empty
    vec3 toEye = cameraPosition - place;
    float far = length(toEye), ahead = length(toEye.xy);
    vec2 stretch = mix(vec2(1.0), vec2(far / max(abs(toEye.z), 0.08 * far)), abs(toEye.xy) / max(ahead, 1e-3));
    vec2 over = (0.002 + (pinned ? 0.75 * far / pixels * stretch : vec2(0.0)))
      * (step(float(${CELLS}) - 0.5, node.xy) - step(node.xy, vec2(0.5)));
    place.xy += over;
    vPlace = place;
    vec4 seen = modelViewMatrix * vec4(place, 1.0);
    vDistance = length(seen.xyz);
    gl_Position = projectionMatrix * seen;
  }`;

const DEPTHS = `
  uniform float depths, deepest; // whether depths are colored, and the depth at the end of the scale, m
  uniform sampler2D ramp;
  uniform vec3 heaped;
  // weight of a depth in the colored view: 0 on undisturbed ground
  float weight(float depth) { return smoothstep(0.002, 0.005, abs(depth)); }
  vec3 tinted(vec3 color, float depth, float share) {
    vec3 data = depth > 0.0 ? texture2D(ramp, vec2(clamp(depth / deepest, 0.002, 0.998), 0.5)).rgb : heaped;
    return mix(color, data, depths * share);
  }
  float pressing(float depth) { return max(depth, 0.0) / (max(depth, 0.0) + 0.015); }`;

const FRAGMENT = `${LIGHT}${GRAIN}${DEPTHS}
  precision highp isampler2D;
  uniform isampler2D heights;
  uniform float spacing, relief;
  flat varying ivec2 vCorner;
  varying vec2 vNode;
  varying vec3 vFresh, vPressed, vNormal, vPlace;
  varying float vDepth, vDistance;
  vec2 level(ivec2 node) { return vec2(texelFetch(heights, vCorner + clamp(node, ivec2(0), ivec2(${SIDE - 1})), 0).rg) * ${QUANTUM}; }
  void main() {
    vec2 right = dFdx(vNode), up = dFdy(vNode);
    float footprint = max(length(right), length(up)); // nodes per pixel
    float press = pressing(vDepth), share = weight(vDepth), depth = vDepth;
    vec3 normal = vNormal;
    if (footprint > 0.7) {
      // the mean over the pixel, so that a rut narrower than a pixel is continuous
      int taps = int(clamp(ceil(footprint), 2.0, 4.0));
      float count = float(taps * taps), sum = 0.0;
      press = 0.0; share = 0.0;
      for (int u = 0; u < taps; u++) for (int v = 0; v < taps; v++) {
        vec2 part = (vec2(u, v) + 0.5) / float(taps) - 0.5;
        float own = level(ivec2(floor(vNode + part.x * right + part.y * up + 0.5))).y;
        press += pressing(own) / count;
        share += weight(own) / count;
        sum += weight(own) * own / count;
      }
      depth = share > 0.0 ? sum / share : 0.0;
      // the upper half of a wall is nearest to undeformed nodes, but part of the rut
      press = max(press, pressing(vDepth));
      if (weight(vDepth) > share) { share = weight(vDepth); depth = vDepth; }
      ivec2 own = ivec2(floor(vNode + 0.5));
      vec2 e = level(own + ivec2(1, 0)), w = level(own - ivec2(1, 0)), n = level(own + ivec2(0, 1)), s = level(own - ivec2(0, 1));
      vec4 all = vec4(w.x + w.y, e.x + e.y, s.x + s.y, n.x + n.y) - relief * vec4(w.y, e.y, s.y, n.y);
      normal = vec3(all.x - all.y, all.z - all.w, 2.0 * spacing);
      normal = mix(normalize(normal), vNormal, smoothstep(1.0, 4.0, footprint));
      // a colored rut keeps at least half of its color
      share = share > 0.0 ? max(share, min(0.5, 8.0 * share)) : 0.0;
    }
    // less of the sky is seen from the bottom of a rut
    vec3 soil = mix(grained(vFresh, vPlace.xy, vDistance), grained(vPressed, vPlace.xy, vDistance), press) * (1.0 - 0.3 * press);
    gl_FragColor = vec4(tinted(lit(soil, normalize(normal), vDistance, vPlace), depth, share), 1.0);
  }`;

const POINT_VERTEX = `
  ${TILE}
  attribute vec2 mean; // mean depth of the deformed nodes, m, and their share
  uniform float pixelRatio;
  varying vec3 vFresh, vPressed, vPlace;
  varying vec2 vMean;
  varying float vDistance;
  void main() {
    vPlace = corner + vec3(vec2(0.5 * tileSide), drawnBase(vec2(0.5)));
    vec4 seen = modelViewMatrix * vec4(vPlace, 1.0);
    float side = across(seen);
    vFresh = fresh; vPressed = pressed; vMean = mean;
    vDistance = length(seen.xyz);
    // slightly nearer than the terrain around it
    seen.xyz *= 0.996;
    gl_Position = side < ${SMALLEST} ? projectionMatrix * seen : vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = max(1.5 * side, 2.0 * pixelRatio);
  }`;

const POINT_FRAGMENT = `${LIGHT}${DEPTHS}
  varying vec3 vFresh, vPressed, vPlace;
  varying vec2 vMean;
  varying float vDistance;
  void main() {
    float press = pressing(vMean.x) * min(1.0, 2.0 * vMean.y);
    vec3 soil = mix(vFresh, vPressed, press) * (1.0 - 0.3 * press);
    gl_FragColor = vec4(tinted(lit(soil, vec3(0.0, 0.0, 1.0), vDistance, vPlace), vMean.x, weight(vMean.x)), 1.0);
  }`;

class Sheet {
  constructor(ruts) {
    this.used = 0;
    this.data = new Int16Array(2 * SLOTS * SIDE * SIDE);
    this.texture = new three.DataTexture(this.data, ROW * SIDE, ROW * SIDE, three.RGIntegerFormat, three.ShortType);
    this.texture.internalFormat = 'RG16I';
    this.texture.minFilter = this.texture.magFilter = three.NearestFilter;
    this.texture.unpackAlignment = 4;
    const sizes = { corner: 3, trait: 4, base: 4, fresh: 3, pressed: 3, mean: 2 };
    this.tiles = Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, new Float32Array(size * SLOTS)]));
    this.attributes = Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, [
      new three.InstancedBufferAttribute(this.tiles[name], size), new three.BufferAttribute(this.tiles[name], size),
    ]]));
    const grid = new three.InstancedBufferGeometry(), points = new three.BufferGeometry();
    grid.setAttribute('node', ruts.nodes);
    grid.setAttribute('position', ruts.nodes);
    grid.setIndex(ruts.index);
    for (const [name, [instanced, own]] of Object.entries(this.attributes)) {
      if (name !== 'mean') grid.setAttribute(name, instanced);
      points.setAttribute(name, own);
    }
    points.setAttribute('position', this.attributes.corner[1]);
    grid.instanceCount = 0;
    points.setDrawRange(0, 0);
    this.box = new three.Box3();
    grid.boundingSphere = points.boundingSphere = new three.Sphere();
    const uniforms = { ...ruts.uniforms, heights: { value: this.texture } };
    this.grid = new three.Mesh(grid, new three.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, side: three.DoubleSide }));
    this.points = new three.Points(points, new three.ShaderMaterial({ vertexShader: POINT_VERTEX, fragmentShader: POINT_FRAGMENT, uniforms }));
    ruts.group.add(this.grid, this.points);
  }
  changed(...names) {
    for (const name of names) this.attributes[name].forEach((attribute) => { attribute.needsUpdate = true; });
  }
  dispose(group) {
    group.remove(this.grid, this.points);
    this.texture.dispose();
    for (const part of [this.grid, this.points]) { part.geometry.dispose(); part.material.dispose(); }
  }
}

export class Ruts {
  constructor(scene, group, light, terrain) {
    this.scene = scene;
    this.spacing = scene.spacing;
    this.group = group;
    this.terrain = terrain;
    const ramp = new Uint8Array(4 * RAMP);
    for (let k = 0; k < RAMP; k++) ramp.set([...depthColor((k + 0.5) / RAMP), 255], 4 * k);
    const texture = new three.DataTexture(ramp, RAMP, 1);
    texture.needsUpdate = true;
    this.uniforms = {
      ...light.uniforms, spacing: { value: this.spacing }, tileSide: { value: CELLS * this.spacing },
      pixels: { value: 1 }, pixelRatio: { value: 1 }, relief: { value: 1 }, depths: { value: 0 }, deepest: { value: 0.01 },
      ramp: { value: texture }, heaped: { value: new three.Color().setStyle(berm, three.LinearSRGBColorSpace) },
    };
    this.onscale = null; // called with the end of the scale of depth, m
    this.makeGrid();
    this.clear();
  }

  // Creates the grid of all tiles: its corners, a skirt around it, and an index for each stride.
  makeGrid() {
    const nodes = [], index = [], side = CELLS + 1;
    for (let r = 0; r < side; r++) for (let c = 0; c < side; c++) nodes.push(c, r, 0);
    const rim = [];
    for (let t = 0; t < CELLS; t++) rim.push([t, 0]);
    for (let t = 0; t < CELLS; t++) rim.push([CELLS, t]);
    for (let t = CELLS; t > 0; t--) rim.push([t, CELLS]);
    for (let t = CELLS; t > 0; t--) rim.push([0, t]);
    const apron = nodes.length / 3;
    rim.forEach(([c, r]) => nodes.push(c, r, 1));
    const at = (c, r) => r * side + c;
    this.ranges = STRIDES.map((stride) => {
      const start = index.length;
      for (let r = 0; r < CELLS; r += stride) {
        for (let c = 0; c < CELLS; c += stride) {
          index.push(at(c, r), at(c + stride, r), at(c + stride, r + stride));
          index.push(at(c, r), at(c + stride, r + stride), at(c, r + stride));
        }
      }
      for (let t = 0; t < rim.length; t += stride) {
        const next = (t + stride) % rim.length;
        index.push(at(...rim[t]), apron + t, at(...rim[next]), at(...rim[next]), apron + t, apron + next);
      }
      return [start, index.length - start];
    });
    this.nodes = new three.BufferAttribute(new Float32Array(nodes), 3);
    this.index = new three.BufferAttribute(new Uint16Array(index), 1);
  }

  clear() {
    this.sheets?.forEach((sheet) => sheet.dispose(this.group));
    this.sheets = [];
    this.slots = new Map(); // tile -> [sheet, slot]
    this.squares = new Map(); // square of level 0 -> { tiles, drawn }
    this.terrain.mask.clear();
  }

  take(tiles) {
    const added = [];
    for (const tile of tiles) {
      const key = `${tile.a},${tile.b}`;
      let [sheet, slot] = this.slots.get(key) || [];
      if (!sheet) {
        sheet = this.sheets.at(-1);
        if (!sheet || sheet.used === SLOTS) this.sheets.push((sheet = new Sheet(this)));
        slot = sheet.used++;
        this.slots.set(key, [sheet, slot]);
        added.push([tile.a, tile.b]);
      }
      this.write(sheet, slot, tile);
    }
    this.terrain.mask.add(added);
    // border of the new tiles and of their neighbors, and their drawn terrain
    const near = new Set();
    for (const [a, b] of added) {
      const square = `${a >> 6},${b >> 6}`;
      if (!this.squares.has(square)) this.squares.set(square, { tiles: [], drawn: undefined });
      const own = this.squares.get(square);
      own.tiles.push([a, b]);
      own.drawn = undefined;
      for (const [da, db] of [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]]) near.add(`${a + da},${b + db}`);
    }
    for (const key of near) if (this.slots.has(key)) this.markEdges(key);
    this.shown = undefined;
  }
  markEdges(key) {
    const [sheet, slot] = this.slots.get(key), [a, b] = key.split(',').map(Number);
    const free = (da, db) => Number(!this.slots.has(`${a + da},${b + db}`));
    sheet.tiles.trait[4 * slot + 1] = free(-1, 0) + 2 * free(1, 0) + 4 * free(0, -1) + 8 * free(0, 1);
    sheet.changed('trait');
  }
  write(sheet, slot, { a, b, datum, soil, heights, depths }) {
    const [x, y, z] = this.scene.origin, size = CELLS * this.spacing;
    const corner = [a * size - x, b * size - y, datum - z];
    const [column, row] = [(slot % ROW) * SIDE, Math.floor(slot / ROW) * SIDE];
    let [deformed, sum, deepest] = [0, 0, 0];
    for (let r = 0; r < SIDE; r++) {
      for (let c = 0; c < SIDE; c++) {
        const at = 2 * ((row + r) * ROW * SIDE + column + c), depth = depths[r * SIDE + c];
        sheet.data[at] = heights[r * SIDE + c];
        sheet.data[at + 1] = depth;
        if (depth > 0.002 / QUANTUM) { deformed++; sum += depth; deepest = Math.max(deepest, depth); }
      }
    }
    const look = this.scene.soils[soil] || this.scene.soils[0], { tiles } = sheet;
    tiles.corner.set(corner, 3 * slot);
    tiles.trait[4 * slot] = slot;
    tiles.fresh.set(look.fresh, 3 * slot);
    tiles.pressed.set(look.pressed, 3 * slot);
    tiles.mean.set([deformed > 0 ? (QUANTUM * sum) / deformed : 0, deformed / (SIDE * SIDE)], 2 * slot);
    // own terrain, until its height as drawn is known
    const base = (c, r) => QUANTUM * (heights[r * SIDE + c] + depths[r * SIDE + c]);
    tiles.base.set([base(1, 1), base(SIDE - 2, 1), base(1, SIDE - 2), base(SIDE - 2, SIDE - 2)], 4 * slot);
    sheet.changed('corner', 'trait', 'base', 'fresh', 'pressed', 'mean');
    sheet.texture.needsUpdate = true;
    sheet.grid.geometry.instanceCount = sheet.used;
    sheet.points.geometry.setDrawRange(0, sheet.used);
    sheet.box.expandByPoint(new three.Vector3(corner[0], corner[1], corner[2] - 2));
    sheet.box.expandByPoint(new three.Vector3(corner[0] + size, corner[1] + size, corner[2] + 2));
    sheet.box.getBoundingSphere(sheet.grid.geometry.boundingSphere);
    const square = this.squares.get(`${a >> 6},${b >> 6}`);
    if (square) square.drawn = undefined;
    const scale = depthScale(QUANTUM * deepest);
    if (scale > this.uniforms.deepest.value) {
      this.uniforms.deepest.value = scale;
      this.onscale?.(scale);
    }
  }

  // Joins the tiles to the terrain as it is drawn.
  join() {
    if (this.shown === this.terrain.shown) return;
    this.shown = this.terrain.shown;
    for (const [square, own] of this.squares) {
      const [i, j] = square.split(',').map(Number);
      const drawn = this.terrain.drawnAt(i, j);
      if (drawn === own.drawn) continue;
      own.drawn = drawn;
      if (!drawn) continue;
      const coarse = drawn.level > 0 ? 1 : 0;
      for (const [a, b] of own.tiles) {
        const [sheet, slot] = this.slots.get(`${a},${b}`);
        const datum = sheet.tiles.corner[3 * slot + 2];
        const height = (da, db) => this.terrain.cornerHeight(drawn, a + da, b + db) - datum;
        sheet.tiles.base.set([height(0, 0), height(1, 0), height(0, 1), height(1, 1)], 4 * slot);
        sheet.tiles.trait[4 * slot + 2] = coarse;
        sheet.tiles.trait[4 * slot + 3] = 0.15 * 2 ** drawn.level;
        sheet.changed('base', 'trait');
      }
    }
  }

  // Selects coarser grids for distant sheets, and points beyond.
  choose(camera, height, pixelRatio) {
    this.join();
    const { uniforms } = this;
    uniforms.pixels.value = (0.5 * height) / Math.tan((camera.fov * Math.PI) / 360);
    uniforms.pixelRatio.value = pixelRatio;
    const limit = (uniforms.tileSide.value * uniforms.pixels.value) / SMALLEST;
    for (const { grid, points, box } of this.sheets) {
      const near = box.distanceToPoint(camera.position);
      const far = Math.hypot(...['x', 'y', 'z'].map((k) => Math.max(Math.abs(box.min[k] - camera.position[k]), Math.abs(box.max[k] - camera.position[k]))));
      grid.visible = near < 1.05 * limit + 3;
      points.visible = far > 0.95 * limit - 3;
      grid.geometry.setDrawRange(...this.ranges[near < FAR[0] ? 0 : near < FAR[1] ? 1 : 2]);
    }
  }

  // Returns the rut depth at a point relative to the origin, m; null on undeformed ground.
  depth(x, y) {
    const size = CELLS * this.spacing, [ox, oy] = this.scene.origin;
    const [u, v] = [(x + ox) / size, (y + oy) / size];
    const [sheet, slot] = this.slots.get(`${Math.floor(u)},${Math.floor(v)}`) || [];
    if (!sheet) return null;
    const [c, r] = [Math.round((u - Math.floor(u)) * CELLS) + 1, Math.round((v - Math.floor(v)) * CELLS) + 1];
    const at = 2 * ((Math.floor(slot / ROW) * SIDE + r) * ROW * SIDE + (slot % ROW) * SIDE + c);
    return sheet.data[at + 1] * QUANTUM;
  }
}
