// Set of the deformed tiles, as textures that a shader reads. The terrain is not drawn there, at any level of
// detail, since ruts.js draws these tiles.
//
// A page holds 64 x 64 tiles, one texel each. A table holds the number of the page of each square of 64 x 64
// tiles, or 0.

import * as three from 'three';

const SIDE = 64; // tiles along the side of a page
const ROW = 16; // pages along the width of their texture
const WIDEST = 8192; // greatest width and height of the table; squares beyond it are not masked

// `deformed(tile)` tells whether a tile is in the set.
export const RUT_MASK = `
  uniform highp usampler2D maskTable;
  uniform sampler2D maskPages;
  uniform ivec2 maskCorner;
  bool deformed(ivec2 tile) {
    ivec2 square = (tile >> 6) - maskCorner;
    if (any(lessThan(square, ivec2(0))) || any(greaterThanEqual(square, textureSize(maskTable, 0)))) return false;
    int page = int(texelFetch(maskTable, square, 0).r) - 1;
    if (page < 0) return false;
    ivec2 texel = (tile & 63) + ${SIDE} * ivec2(page % ${ROW}, page / ${ROW});
    return texelFetch(maskPages, texel, 0).r > 0.5;
  }`;

export class RutMask {
  constructor() {
    this.uniforms = { maskTable: { value: null }, maskPages: { value: null }, maskCorner: { value: new three.Vector2() } };
    this.clear();
  }

  clear() {
    this.pages = new Map(); // square -> number of its page
    this.low = [0, 0];
    this.size = [1, 1];
    this.makeTable();
    this.makePages(1);
  }

  makeTable() {
    this.uniforms.maskTable.value?.dispose();
    const [width, height] = this.size;
    this.table = new Uint16Array(width * height);
    for (const [square, page] of this.pages) {
      const [i, j] = square.split(',').map(Number);
      const [column, row] = [i - this.low[0], j - this.low[1]];
      if (column < width && row < height) this.table[row * width + column] = page + 1;
    }
    const texture = new three.DataTexture(this.table, width, height, three.RedIntegerFormat, three.UnsignedShortType);
    texture.internalFormat = 'R16UI';
    texture.unpackAlignment = 2;
    texture.needsUpdate = true;
    this.uniforms.maskTable.value = texture;
    this.uniforms.maskCorner.value.set(...this.low);
  }

  makePages(rows) {
    this.uniforms.maskPages.value?.dispose();
    const data = new Uint8Array(ROW * rows * SIDE * SIDE);
    if (this.data && this.pages.size > 0) data.set(this.data);
    this.data = data;
    const texture = new three.DataTexture(data, ROW * SIDE, rows * SIDE, three.RedFormat, three.UnsignedByteType);
    texture.needsUpdate = true;
    this.rows = rows;
    this.uniforms.maskPages.value = texture;
  }

  // Adds tiles.
  add(tiles) {
    let grown = false;
    for (const [a, b] of tiles) {
      const square = `${a >> 6},${b >> 6}`;
      if (this.pages.has(square)) continue;
      this.pages.set(square, this.pages.size);
      grown = true;
      if (this.pages.size > ROW * this.rows) this.makePages(2 * this.rows);
    }
    if (grown) {
      const corners = [...this.pages.keys()].map((square) => square.split(',').map(Number));
      const range = (k) => corners.reduce(([low, high], own) => [Math.min(low, own[k]), Math.max(high, own[k])], [Infinity, -Infinity]);
      const ranges = [range(0), range(1)];
      this.low = ranges.map(([low]) => low);
      this.size = ranges.map(([low, high]) => Math.min(high - low + 1, WIDEST));
      this.makeTable();
    }
    for (const [a, b] of tiles) {
      const page = this.pages.get(`${a >> 6},${b >> 6}`);
      const [column, row] = [SIDE * (page % ROW) + (a & 63), SIDE * Math.floor(page / ROW) + (b & 63)];
      this.data[row * ROW * SIDE + column] = 255;
    }
    if (tiles.length > 0) this.uniforms.maskPages.value.needsUpdate = true;
  }
}
