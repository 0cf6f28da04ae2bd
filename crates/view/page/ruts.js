// Draws deformed tiles of the ground, node by node. One texture holds the heights of up to 256 tiles; a
// tile is an instance of one grid that reads its part of the texture.

import * as three from 'three';
import { LIGHT, lightUniforms } from 'view/terrain';

// Nodes along a side, including one node beyond the tile on each side. Tiles thus overlap without gaps.
const SIDE = 19;
const ROW = 16, SLOTS = ROW * ROW; // the tiles of a sheet are close together, so a sheet is culled as a whole
const QUANTUM = 1 / 4000; // m
const STRIDES = [1, 2, 6]; // nodes between corners, from near to far
const FAR = [30, 90]; // m

const VERTEX = `
  precision highp isampler2D;
  attribute vec3 node; // column, row, and 1 for the lower edge of the skirt
  attribute vec4 tile; // corner, datum, slot
  attribute vec3 fresh, pressed;
  uniform isampler2D heights;
  uniform float spacing;
  varying vec3 vFresh, vPressed, vNormal;
  varying float vDepth, vDistance;
  void main() {
    int slot = int(tile.w);
    ivec2 corner = ivec2(slot % ${ROW}, slot / ${ROW}) * ${SIDE};
    ivec2 own = ivec2(node.xy), last = ivec2(${SIDE - 1});
    ivec2 here = texelFetch(heights, corner + own, 0).rg;
    ivec2 low = max(own - 1, ivec2(0)), high = min(own + 1, last);
    float east = float(texelFetch(heights, corner + ivec2(high.x, own.y), 0).r), west = float(texelFetch(heights, corner + ivec2(low.x, own.y), 0).r);
    float north = float(texelFetch(heights, corner + ivec2(own.x, high.y), 0).r), south = float(texelFetch(heights, corner + ivec2(own.x, low.y), 0).r);
    vec2 span = vec2(high - low) * spacing;
    vNormal = normalize(vec3((west - east) * ${QUANTUM} / span.x, (south - north) * ${QUANTUM} / span.y, 1.0));
    vDepth = float(here.g) * ${QUANTUM};
    vFresh = fresh; vPressed = pressed;
    vec3 place = vec3(tile.xy + (node.xy - 1.0) * spacing, tile.z + float(here.r) * ${QUANTUM} - 0.12 * node.z);
    vec4 seen = modelViewMatrix * vec4(place, 1.0);
    vDistance = length(seen.xyz);
    gl_Position = projectionMatrix * seen;
  }`;

const FRAGMENT = `${LIGHT}
  uniform float depths;
  varying vec3 vFresh, vPressed, vNormal;
  varying float vDepth, vDistance;
  // color from pale to dark with depth; heaped soil is blue
  vec3 scale(float depth) {
    float t = clamp(depth / 0.25, 0.0, 1.0);
    vec3 deep = mix(vec3(0.98, 0.85, 0.35), vec3(0.55, 0.05, 0.10), t);
    return depth < -0.002 ? mix(vec3(0.85), vec3(0.15, 0.4, 0.75), clamp(-depth / 0.1, 0.0, 1.0)) : mix(vec3(0.85), deep, smoothstep(0.001, 0.01, depth));
  }
  void main() {
    float sunk = max(vDepth, 0.0);
    vec3 soil = mix(vFresh, vPressed, sunk / (sunk + 0.015));
    vec3 albedo = mix(soil, pow(scale(vDepth), vec3(2.2)), depths);
    gl_FragColor = vec4(lit(albedo, normalize(vNormal), vDistance), 1.0);
  }`;

class Sheet {
  constructor(ruts) {
    this.used = 0;
    this.data = new Int16Array(2 * SLOTS * SIDE * SIDE);
    this.texture = new three.DataTexture(this.data, ROW * SIDE, ROW * SIDE, three.RGIntegerFormat, three.ShortType);
    this.texture.internalFormat = 'RG16I';
    this.texture.minFilter = this.texture.magFilter = three.NearestFilter;
    this.texture.unpackAlignment = 4;
    const geometry = new three.InstancedBufferGeometry();
    geometry.setAttribute('node', ruts.nodes);
    geometry.setAttribute('position', ruts.nodes);
    geometry.setIndex(ruts.index);
    const instanced = (size) => new three.InstancedBufferAttribute(new Float32Array(size * SLOTS), size);
    [this.tile, this.fresh, this.pressed] = [instanced(4), instanced(3), instanced(3)];
    geometry.setAttribute('tile', this.tile);
    geometry.setAttribute('fresh', this.fresh);
    geometry.setAttribute('pressed', this.pressed);
    geometry.instanceCount = 0;
    this.box = new three.Box3();
    geometry.boundingSphere = new three.Sphere();
    const uniforms = { ...ruts.light, heights: { value: this.texture }, spacing: { value: ruts.spacing }, depths: ruts.depths };
    const material = new three.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, side: three.DoubleSide });
    this.mesh = new three.Mesh(geometry, material);
    ruts.group.add(this.mesh);
  }
}

export class Ruts {
  constructor(scene, group) {
    this.scene = scene;
    this.spacing = scene.spacing;
    this.group = group;
    this.light = lightUniforms(scene);
    this.depths = { value: 0 };
    this.sheets = [];
    this.slots = new Map(); // tile -> [sheet, slot]
    this.grid();
  }

  // Creates the grid of all tiles: its corners, a skirt around it, and an index for each stride.
  grid() {
    const nodes = [], index = [];
    for (let r = 0; r < SIDE; r++) for (let c = 0; c < SIDE; c++) nodes.push(c, r, 0);
    const last = SIDE - 1;
    const rim = [];
    for (let t = 0; t < last; t++) rim.push([t, 0]);
    for (let t = 0; t < last; t++) rim.push([last, t]);
    for (let t = last; t > 0; t--) rim.push([t, last]);
    for (let t = last; t > 0; t--) rim.push([0, t]);
    const apron = nodes.length / 3;
    rim.forEach(([c, r]) => nodes.push(c, r, 1));
    this.ranges = STRIDES.map((stride) => {
      const start = index.length;
      const at = (c, r) => r * SIDE + c;
      for (let r = 0; r < last; r += stride) {
        for (let c = 0; c < last; c += stride) {
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
    for (const sheet of this.sheets) {
      this.group.remove(sheet.mesh);
      sheet.texture.dispose();
      sheet.mesh.geometry.dispose();
      sheet.mesh.material.dispose();
    }
    this.sheets = [];
    this.slots.clear();
  }

  take(tiles) {
    for (const tile of tiles) {
      const key = `${tile.a},${tile.b}`;
      let [sheet, slot] = this.slots.get(key) || [];
      if (!sheet) {
        sheet = this.sheets.at(-1);
        if (!sheet || sheet.used === SLOTS) this.sheets.push((sheet = new Sheet(this)));
        slot = sheet.used++;
        this.slots.set(key, [sheet, slot]);
      }
      this.write(sheet, slot, tile);
    }
  }
  write(sheet, slot, { a, b, datum, soil, heights, depths }) {
    const [x, y, z] = this.scene.origin, size = 16 * this.spacing;
    const corner = [a * size - x, b * size - y, datum - z];
    const [column, row] = [(slot % ROW) * SIDE, Math.floor(slot / ROW) * SIDE];
    for (let r = 0; r < SIDE; r++) {
      for (let c = 0; c < SIDE; c++) {
        const at = 2 * ((row + r) * ROW * SIDE + column + c);
        sheet.data[at] = heights[r * SIDE + c];
        sheet.data[at + 1] = depths[r * SIDE + c];
      }
    }
    const look = this.scene.soils[soil] || this.scene.soils[0];
    sheet.tile.setXYZW(slot, ...corner, slot);
    sheet.fresh.setXYZ(slot, ...look.fresh);
    sheet.pressed.setXYZ(slot, ...look.pressed);
    for (const attribute of [sheet.tile, sheet.fresh, sheet.pressed]) attribute.needsUpdate = true;
    sheet.texture.needsUpdate = true;
    const geometry = sheet.mesh.geometry;
    geometry.instanceCount = sheet.used;
    sheet.box.expandByPoint(new three.Vector3(corner[0], corner[1], corner[2] - 2));
    sheet.box.expandByPoint(new three.Vector3(corner[0] + size, corner[1] + size, corner[2] + 2));
    sheet.box.getBoundingSphere(geometry.boundingSphere);
  }

  // Selects coarser grids for distant sheets.
  choose(camera) {
    for (const { mesh, box } of this.sheets) {
      const far = box.distanceToPoint(camera.position);
      const level = far < FAR[0] ? 0 : far < FAR[1] ? 1 : 2;
      mesh.geometry.setDrawRange(...this.ranges[level]);
    }
  }

  // Returns the rut depth at a point relative to the origin, m; null on undeformed ground.
  depth(x, y) {
    const size = 16 * this.spacing, [ox, oy] = this.scene.origin;
    const [u, v] = [(x + ox) / size, (y + oy) / size];
    const [sheet, slot] = this.slots.get(`${Math.floor(u)},${Math.floor(v)}`) || [];
    if (!sheet) return null;
    const [c, r] = [Math.round((u - Math.floor(u)) * 16) + 1, Math.round((v - Math.floor(v)) * 16) + 1];
    const at = 2 * ((Math.floor(slot / ROW) * SIDE + r) * ROW * SIDE + (slot % ROW) * SIDE + c);
    return sheet.data[at + 1] * QUANTUM;
  }
}
