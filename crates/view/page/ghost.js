// Draws the vehicles of another run of the same folder, half transparent, at the simulated time of this run.
//
// Positions are those of the other run's table of states, so both runs are in step after any seek. Vehicles
// are drawn rigid, on the ground of this run, along their paths.

import * as three from 'three';
import { displayed } from 'view/palette';
import { SocketSource } from 'view/source';

const COLOR = '#3b6fd4';
const HEADING_BASE = 0.5; // m of a path from which its direction is taken

// Returns the index of the last entry at or before a time.
function last(times, time) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time + 1e-9) low = middle; else high = middle - 1;
  }
  return low;
}

export class Ghost {
  // `number` is that of the run in the list. `terrain` has the heights of this run, whose origin is `origin`.
  constructor(group, terrain, number, origin, changed) {
    this.terrain = terrain;
    this.group = new three.Group();
    group.add(this.group);
    this.material = new three.MeshBasicMaterial({ color: displayed(COLOR), transparent: true, opacity: 0.4, depthWrite: false });
    this.meshes = new Map();
    this.series = [];
    this.vehicles = []; // { group, height } of each vehicle
    this.offset = [0, 0, 0];
    const takers = {
      scene: (message) => {
        this.name = message.name;
        this.offset = message.origin.map((own, k) => own - origin[k]);
        this.source.ask({ kind: 'pause' });
      },
      mesh: ({ index, positions }) => {
        const geometry = new three.BufferGeometry();
        geometry.setAttribute('position', new three.BufferAttribute(positions, 3));
        this.meshes.set(index, geometry);
      },
      states: ({ series }) => {
        this.series = series;
        if (series.length === 0) changed('the other run has no table of states');
        changed('');
      },
      frame: (frame) => { if (this.vehicles.length === 0) { this.build(frame); changed(''); } },
    };
    this.source = new SocketSource((message) => takers[message.kind]?.(message), `../${number}/watch`);
  }

  // Copies the parts of each vehicle from a frame, relative to its chassis.
  build(frame) {
    this.vehicles = frame.vehicles.map(({ place, turn }) => {
      const group = new three.Group();
      group.visible = false;
      this.group.add(group);
      const chassis = new three.Matrix4().compose(new three.Vector3(...place), new three.Quaternion(...turn), new three.Vector3(1, 1, 1));
      return { group, chassis, place };
    });
    const matrix = new three.Matrix4(), one = new three.Vector3(1, 1, 1);
    for (let k = 0; k < frame.parts; k++) {
      const vehicle = this.vehicles[frame.agent[k]], geometry = this.meshes.get(frame.mesh[k]);
      if (!vehicle || !geometry) continue;
      const mesh = new three.Mesh(geometry, this.material);
      matrix.compose(new three.Vector3().fromArray(frame.places, 3 * k), new three.Quaternion().fromArray(frame.turns, 4 * k).normalize(), one);
      mesh.matrix.copy(vehicle.chassis).invert().multiply(matrix);
      mesh.matrixAutoUpdate = false;
      vehicle.group.add(mesh);
    }
    // height of the chassis above the ground where the vehicle stood
    this.vehicles.forEach((own) => {
      const [x, y, z] = own.place.map((value, k) => value + this.offset[k]);
      own.above = () => z - (this.terrain.at(x, y)?.height ?? z);
    });
  }

  // Places the vehicles as they were at a time.
  show(time) {
    for (const { vehicle, times, xs, ys, speeds, sinkages } of this.series) {
      const own = this.vehicles[vehicle];
      if (!own || times.length === 0) continue;
      const k = last(times, time), next = Math.min(k + 1, times.length - 1);
      const share = next > k ? Math.min(Math.max((time - times[k]) / (times[next] - times[k]), 0), 1) : 0;
      const between = (column) => column[k] + share * (column[next] - column[k]);
      const [x, y] = [between(xs) + this.offset[0], between(ys) + this.offset[1]];
      const ground = this.terrain.at(x, y);
      own.group.visible = Number.isFinite(x) && ground !== null && ground !== undefined;
      if (!own.group.visible) continue;
      const sunk = Number.isFinite(sinkages[k]) ? between(sinkages) - (sinkages[0] || 0) : 0;
      own.group.position.set(x, y, ground.height + own.above() - sunk);
      own.group.rotation.set(0, 0, this.heading({ times, xs, ys, speeds }, k), 'ZYX');
    }
  }

  // Returns the direction of the path around a state; backwards where the vehicle reverses.
  heading({ xs, ys, speeds }, k) {
    let [from, to] = [k, k];
    const far = () => Math.hypot(xs[to] - xs[from], ys[to] - ys[from]);
    while (far() < HEADING_BASE && (from > 0 || to < xs.length - 1)) {
      from = Math.max(from - 1, 0);
      to = Math.min(to + 1, xs.length - 1);
    }
    return Math.atan2(ys[to] - ys[from], xs[to] - xs[from]) + (speeds[k] < -0.05 ? Math.PI : 0);
  }
}
