// Decodes binary messages; crates/view/src/message.rs encodes them.

const SIDE = 19; // nodes along a side of a tile in a message
const CHUNK = 65; // corners along a side of a chunk

class Reader {
  constructor(buffer) {
    this.bytes = new Uint8Array(buffer);
    this.data = new DataView(buffer);
    this.at = 0;
  }
  u8() { return this.data.getUint8(this.at++); }
  u16() { this.at += 2; return this.data.getUint16(this.at - 2, true); }
  u32() { this.at += 4; return this.data.getUint32(this.at - 4, true); }
  i16() { this.at += 2; return this.data.getInt16(this.at - 2, true); }
  i32() { this.at += 4; return this.data.getInt32(this.at - 4, true); }
  f32() { this.at += 4; return this.data.getFloat32(this.at - 4, true); }
  f64() { this.at += 8; return this.data.getFloat64(this.at - 8, true); }
  // copies, because typed arrays must be aligned
  take(Type, count) {
    const bytes = count * Type.BYTES_PER_ELEMENT;
    const copy = this.bytes.slice(this.at, this.at + bytes);
    this.at += bytes;
    return new Type(copy.buffer);
  }
  text(bytes) {
    this.at += bytes;
    return new TextDecoder().decode(this.bytes.subarray(this.at - bytes, this.at));
  }
}

const readers = [
  (r) => JSON.parse(r.text(r.bytes.length - 1)),
  (r) => {
    const index = r.u32(), corners = r.u32();
    return {
      kind: 'mesh', index,
      positions: r.take(Float32Array, 3 * corners),
      normals: r.take(Int8Array, 4 * corners),
      colors: r.take(Uint8Array, 4 * corners),
    };
  },
  (r) => {
    const props = [];
    for (let count = r.u32(); count > 0; count--) {
      props.push({ mesh: r.u32(), place: r.take(Float32Array, 3), turn: r.take(Float32Array, 4), scale: r.f32() });
    }
    return { kind: 'props', props };
  },
  (r) => {
    const level = r.u8(), i = r.i32(), j = r.i32(), datum = r.f32(), quantum = r.f32();
    const raw = r.take(Uint16Array, CHUNK * CHUNK);
    const heights = Float32Array.from(raw, (h) => datum + h * quantum);
    return { kind: 'chunk', level, i, j, heights, soils: r.take(Uint8Array, CHUNK * CHUNK) };
  },
  (r) => {
    const afresh = r.u8() === 1, time = r.f64(), tiles = [];
    for (let count = r.u32(); count > 0; count--) {
      const a = r.i32(), b = r.i32(), datum = r.f32(), soil = r.u32();
      const heights = r.take(Int16Array, SIDE * SIDE), depths = r.take(Int16Array, SIDE * SIDE);
      tiles.push({ a, b, datum, soil, heights, depths });
    }
    return { kind: 'tiles', afresh, time, tiles };
  },
  (r) => {
    const time = r.f64(), tick = r.f64(), count = r.u32(), parts = r.u32(), puffs = r.u32();
    const vehicles = [];
    for (let k = 0; k < count; k++) {
      const vehicle = { place: r.take(Float32Array, 3), turn: r.take(Float32Array, 4) };
      for (const name of ['speed', 'steering', 'throttle', 'brake', 'engine', 'gear', 'slip', 'sinkage']) {
        vehicle[name] = r.f32();
      }
      vehicle.ended = r.u32() === 1;
      vehicle.wheels = [];
      for (let wheels = r.u32(); wheels > 0; wheels--) {
        const wheel = { spin: r.f32(), slip: r.f32(), sinkage: r.f32(), load: r.f32() };
        vehicle.wheels.push({ ...wheel, center: r.take(Float32Array, 3), force: r.take(Float32Array, 3) });
      }
      vehicles.push(vehicle);
    }
    const mesh = new Uint16Array(parts), agent = new Uint16Array(parts);
    const places = new Float32Array(3 * parts), turns = new Float32Array(4 * parts);
    for (let k = 0; k < parts; k++) {
      mesh[k] = r.u16();
      agent[k] = r.u16();
      for (let n = 0; n < 3; n++) places[3 * k + n] = r.f32();
      for (let n = 0; n < 4; n++) turns[4 * k + n] = r.i16() / 32767;
    }
    const dust = r.take(Float32Array, 8 * puffs);
    return { kind: 'frame', time, tick, vehicles, parts, mesh, agent, places, turns, dust };
  },
  (r) => {
    const vehicle = r.u32(), time = r.f64(), name = r.text(r.u32());
    return { kind: 'picture', vehicle, time, name, png: r.bytes.slice(r.at) };
  },
  (r) => {
    const series = [];
    for (let count = r.u32(); count > 0; count--) {
      const vehicle = r.u32(), rows = r.u32();
      const [times, xs, ys, speeds, slips, sinkages] = [0, 1, 2, 3, 4, 5].map(() => r.take(Float64Array, rows));
      series.push({ vehicle, times, xs, ys, speeds, slips, sinkages });
    }
    return { kind: 'states', series };
  },
  (r) => {
    const vehicle = r.u32(), time = r.f64(), name = r.text(r.u32()), count = r.u32();
    return { kind: 'points', vehicle, time, name, positions: r.take(Float32Array, 3 * count) };
  },
];

export function read(buffer) {
  const reader = new Reader(buffer);
  const kind = readers[reader.u8()];
  return kind ? kind(reader) : { kind: 'unknown' };
}
