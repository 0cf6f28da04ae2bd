// Draws the forces of the ground on wheels and road wheels as arrows from their centers.

import * as three from 'three';
import { displayed } from 'view/palette';

const SHAFT = 0.025, HEAD = 0.07, POINT = 0.2; // m: radii of shaft and head, length of the head
const COLOR = '#d55e00';

// Returns an arrow of length 1 along z, as positions and indices.
function arrow() {
  const shaft = new three.CylinderGeometry(SHAFT, SHAFT, 1 - POINT, 8).translate(0, (1 - POINT) / 2, 0);
  const head = new three.ConeGeometry(HEAD, POINT, 12).translate(0, 1 - POINT / 2, 0);
  const geometry = new three.BufferGeometry();
  const positions = [shaft, head].flatMap((own) => [...own.attributes.position.array]);
  const offset = shaft.attributes.position.count;
  geometry.setAttribute('position', new three.Float32BufferAttribute(positions, 3));
  geometry.setIndex([...shaft.index.array, ...[...head.index.array].map((k) => k + offset)]);
  return geometry.rotateX(Math.PI / 2);
}

export class Forces {
  constructor(group) {
    this.group = group;
    this.geometry = arrow();
    this.material = new three.MeshBasicMaterial({ color: displayed(COLOR), depthTest: false, transparent: true, opacity: 0.85 });
    this.shown = false;
    this.arrows = null;
    this.unit = 0; // N that an arrow of 1 m stands for
  }

  // Draws the arrows of a frame; an arrow of 1 m is the mean load of all wheels at the first frame, rounded.
  show(frame, next, share) {
    if (this.arrows) this.arrows.visible = this.shown;
    if (!this.shown) return;
    const wheels = frame.vehicles.flatMap((vehicle) => vehicle.wheels);
    if (!this.unit) {
      const mean = wheels.reduce((sum, wheel) => sum + wheel.load, 0) / Math.max(wheels.length, 1);
      this.unit = mean > 0 ? Number(mean.toPrecision(1)) : 0;
      if (!this.unit) return;
    }
    if (!this.arrows || this.arrows.instanceMatrix.count < wheels.length) {
      if (this.arrows) this.group.remove(this.arrows);
      this.arrows = new three.InstancedMesh(this.geometry, this.material, Math.max(wheels.length, 1));
      this.arrows.frustumCulled = false;
      this.arrows.renderOrder = 2;
      this.group.add(this.arrows);
    }
    const later = next?.vehicles.flatMap((vehicle) => vehicle.wheels);
    const [center, force, end] = [new three.Vector3(), new three.Vector3(), new three.Vector3()];
    const [turn, size, matrix, up] = [new three.Quaternion(), new three.Vector3(), new three.Matrix4(), new three.Vector3(0, 0, 1)];
    wheels.forEach((wheel, k) => {
      center.fromArray(wheel.center);
      force.fromArray(wheel.force);
      if (later?.[k]) {
        center.lerp(end.fromArray(later[k].center), share);
        force.lerp(end.fromArray(later[k].force), share);
      }
      const length = force.length() / this.unit;
      turn.setFromUnitVectors(up, force.normalize());
      size.setScalar(length > 0.02 ? length : 0);
      this.arrows.setMatrixAt(k, matrix.compose(center, turn, size));
    });
    this.arrows.count = wheels.length;
    this.arrows.instanceMatrix.needsUpdate = true;
  }
}
