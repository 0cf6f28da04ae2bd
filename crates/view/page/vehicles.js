// Draws the parts of vehicles, and static obstacles.

import * as three from 'three';
import { LIGHT } from 'view/light';

const VERTEX = `
  attribute vec3 tint;
  varying vec3 vTint, vNormal, vPlace;
  varying float vDistance;
  void main() {
    mat4 own = modelMatrix * instanceMatrix;
    vTint = tint * tint; // sent as square roots
    vNormal = normalize(mat3(own) * normal);
    vPlace = (own * vec4(position, 1.0)).xyz;
    vec4 seen = viewMatrix * vec4(vPlace, 1.0);
    vDistance = length(seen.xyz);
    gl_Position = projectionMatrix * seen;
  }`;
const FRAGMENT = `${LIGHT}
  varying vec3 vTint, vNormal, vPlace;
  varying float vDistance;
  void main() {
    vec3 normal = normalize(gl_FrontFacing ? vNormal : -vNormal);
    gl_FragColor = vec4(lit(vTint, normal, vDistance, vPlace), 1.0);
  }`;

export class Vehicles {
  constructor(group, light) {
    this.group = group;
    this.meshes = new Map();
    this.moving = new Map(); // mesh -> instanced
    this.standing = [];
    this.light = light;
    this.material = new three.ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: light.uniforms, side: three.DoubleSide });
    this.matrix = new three.Matrix4();
    this.p = new three.Vector3();
    this.q = new three.Quaternion();
    this.q2 = new three.Quaternion();
    this.one = new three.Vector3(1, 1, 1);
  }

  takeMesh({ index, positions, normals, colors }) {
    const geometry = new three.BufferGeometry();
    const three_of = (data) => {
      const packed = new data.constructor((3 * data.length) / 4);
      for (let k = 0; k < packed.length; k++) packed[k] = data[4 * Math.floor(k / 3) + (k % 3)];
      return packed;
    };
    geometry.setAttribute('position', new three.BufferAttribute(positions, 3));
    geometry.setAttribute('normal', new three.BufferAttribute(three_of(normals), 3, true));
    geometry.setAttribute('tint', new three.BufferAttribute(three_of(colors), 3, true));
    this.meshes.set(index, geometry);
  }

  takeProps({ props }) {
    const kinds = new Map();
    props.forEach((prop, index) => kinds.set(prop.mesh, [...(kinds.get(prop.mesh) || []), index]));
    this.standing = new Array(props.length);
    for (const [mesh, members] of kinds) {
      const geometry = this.meshes.get(mesh);
      if (!geometry) continue;
      const instanced = new three.InstancedMesh(geometry, this.material, members.length);
      members.forEach((index, k) => {
        const { place, turn, scale } = props[index];
        this.matrix.compose(this.p.fromArray(place), this.q.fromArray(turn), new three.Vector3(scale, scale, scale));
        instanced.setMatrixAt(k, this.matrix);
        this.standing[index] = { instanced, k, upright: this.matrix.clone(), place, scale };
      });
      instanced.computeBoundingSphere();
      this.light.casts(instanced);
      this.group.add(instanced);
    }
  }
  upright() {
    for (const prop of this.standing) {
      if (!prop?.lies) continue;
      prop.instanced.setMatrixAt(prop.k, prop.upright);
      prop.instanced.instanceMatrix.needsUpdate = true;
      prop.lies = false;
    }
  }
  fell(lying) {
    for (const [index, turn] of lying) {
      const prop = this.standing[index];
      if (!prop) continue;
      this.matrix.compose(this.p.fromArray(prop.place), this.q.fromArray(turn), new three.Vector3(prop.scale, prop.scale, prop.scale));
      prop.instanced.setMatrixAt(prop.k, this.matrix);
      prop.instanced.instanceMatrix.needsUpdate = true;
      prop.lies = true;
    }
  }

  // Draws a frame, or an interpolation to the next one.
  show(frame, next, share) {
    const paired = next && next.parts === frame.parts;
    const counts = new Map();
    for (let k = 0; k < frame.parts; k++) counts.set(frame.mesh[k], (counts.get(frame.mesh[k]) || 0) + 1);
    for (const [mesh, instanced] of this.moving) if (!counts.has(mesh)) instanced.count = 0;
    for (const [mesh, count] of counts) {
      const known = this.moving.get(mesh);
      if (known && known.instanceMatrix.count >= count) { known.count = 0; continue; }
      if (known) this.group.remove(known);
      const geometry = this.meshes.get(mesh);
      if (!geometry) continue;
      const instanced = new three.InstancedMesh(geometry, this.material, Math.ceil(1.3 * count));
      instanced.frustumCulled = false;
      this.light.casts(instanced);
      instanced.count = 0;
      this.moving.set(mesh, instanced);
      this.group.add(instanced);
    }
    for (let k = 0; k < frame.parts; k++) {
      const instanced = this.moving.get(frame.mesh[k]);
      if (!instanced) continue;
      this.p.fromArray(frame.places, 3 * k);
      this.q.fromArray(frame.turns, 4 * k);
      if (paired && next.mesh[k] === frame.mesh[k]) {
        const [dx, dy, dz] = [0, 1, 2].map((n) => next.places[3 * k + n] - frame.places[3 * k + n]);
        // a greater distance means that a shoe has passed the end of the track: no interpolation
        if (Math.hypot(dx, dy, dz) < 3) {
          this.p.set(this.p.x + share * dx, this.p.y + share * dy, this.p.z + share * dz);
          this.q.slerp(this.q2.fromArray(next.turns, 4 * k), share);
        }
      }
      this.matrix.compose(this.p, this.q.normalize(), this.one);
      instanced.setMatrixAt(instanced.count++, this.matrix);
    }
    for (const instanced of this.moving.values()) instanced.instanceMatrix.needsUpdate = true;
  }
}
