// Draws connected radio links, and traffic lights in their present color.

import * as three from 'three';
import { displayed } from 'view/palette';

const COLORS = { red: '#ff2a1a', amber: '#ffb000', green: '#22dd44' };
const LINK = '#7fd4ff';
const LAMP = 3.65; // m above the ground, on top of the signal head

export class Traffic {
  constructor(scene, stage) {
    this.group = new three.Group();
    stage.add(this.group);
    this.pairs = [];
    this.lines = null;
    this.colors = []; // colors by light and approach
    const [ox, oy, oz] = scene.origin;
    this.lights = scene.lights.map(({ approaches }) => approaches.map(({ stop, heading, width, lamp: at }) => {
      const material = new three.MeshBasicMaterial({ color: '#000000' });
      const aside = [-Math.sin(heading), Math.cos(heading)];
      if (at) {
        const lamp = new three.Mesh(new three.SphereGeometry(0.2, 12, 8), material);
        lamp.position.set(at[0] - ox, at[1] - oy, at[2] - oz + LAMP);
        this.group.add(lamp);
      }
      const end = (side) => new three.Vector3(
        stop[0] - ox + 0.5 * side * width * aside[0], stop[1] - oy + 0.5 * side * width * aside[1], stop[2] - oz + 0.1);
      const line = new three.Line(new three.BufferGeometry().setFromPoints([end(-1), end(1)]), material.clone());
      this.group.add(line);
      return [material, line.material];
    }));
  }
  take({ lights }) {
    this.colors = lights;
    lights.forEach((own, light) => own.forEach((shown, approach) => {
      this.lights[light]?.[approach]?.forEach((material) => material.color.copy(displayed(COLORS[shown])));
    }));
  }
  link({ links }) {
    if (this.lines) { this.group.remove(this.lines); this.lines.geometry.dispose(); this.lines = null; }
    this.pairs = links;
    if (links.length === 0) return;
    const geometry = new three.BufferGeometry();
    geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(6 * links.length), 3));
    this.lines = new three.LineSegments(geometry, new three.LineBasicMaterial({ color: displayed(LINK), transparent: true, opacity: 0.7 }));
    this.lines.frustumCulled = false;
    this.group.add(this.lines);
  }
  // Moves the links with the vehicles, above their roofs.
  show(frame) {
    if (!this.lines) return;
    const places = this.lines.geometry.attributes.position;
    this.pairs.forEach((pair, k) => pair.forEach((agent, end) => {
      const [x, y, z] = frame.vehicles[agent]?.place ?? [0, 0, 0];
      places.setXYZ(2 * k + end, x, y, z + 1.8);
    }));
    places.needsUpdate = true;
  }
}
