// Draws the last scan of each lidar as points in the color of its vehicle.

import * as three from 'three';
import { color, displayed } from 'view/palette';

const SIZE = 3; // pixels
const KEPT = 1; // s

export class Lidar {
  constructor(group) {
    this.group = new three.Group();
    this.group.visible = false;
    group.add(this.group);
    this.scans = new Map(); // vehicle and name -> points
  }
  get shown() { return this.group.visible; }
  set shown(on) { this.group.visible = on; }

  take({ vehicle, name, time, positions }) {
    const key = `${vehicle} ${name}`;
    let scan = this.scans.get(key);
    if (!scan) {
      const material = new three.PointsMaterial({ color: displayed(color(vehicle)), size: SIZE, sizeAttenuation: false });
      scan = new three.Points(new three.BufferGeometry(), material);
      scan.frustumCulled = false;
      this.scans.set(key, scan);
      this.group.add(scan);
    }
    scan.userData.time = time;
    scan.geometry.dispose();
    scan.geometry = new three.BufferGeometry();
    scan.geometry.setAttribute('position', new three.BufferAttribute(positions, 3));
  }

  // Removes scans of another time, as after a seek; those of the last second remain.
  afresh(time) {
    for (const [key, scan] of this.scans) {
      if (scan.userData.time <= time && scan.userData.time > time - KEPT) continue;
      this.group.remove(scan);
      scan.geometry.dispose();
      scan.material.dispose();
      this.scans.delete(key);
    }
  }
}
