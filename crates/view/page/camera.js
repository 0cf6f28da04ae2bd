// Camera modes: orbit around a point, follow a vehicle, or view from its driver's eyes.

import * as three from 'three';

const EYES = new three.Vector3(-0.1, 0.45, 1.35); // m, relative to the chassis origin

export class Eye {
  constructor(canvas, camera) {
    this.camera = camera;
    this.mode = 'follow';
    this.target = new three.Vector3();
    this.azimuth = 3.7; // azimuth of the camera from its target, rad
    this.elevation = 0.42;
    this.range = 16;
    this.look = 0; // yaw of the driver's head, rad
    this.heading = null;
    camera.up.set(0, 0, 1);
    let held = null;
    canvas.addEventListener('pointerdown', (event) => {
      held = { x: event.clientX, y: event.clientY, button: event.button, moved: 0 };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return;
      const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
      Object.assign(held, { x: event.clientX, y: event.clientY, moved: held.moved + Math.abs(dx) + Math.abs(dy) });
      if (this.mode === 'driver') this.look = Math.max(-2.4, Math.min(2.4, this.look + 0.005 * dx));
      else if (held.button === 2 || event.shiftKey) this.pan(dx, dy);
      else this.turn(-0.006 * dx, 0.005 * dy);
    });
    canvas.addEventListener('pointerup', (event) => {
      if (held && held.moved < 5 && held.button === 0) this.onclick?.(event);
      else this.onmove?.();
      held = null;
    });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(Math.exp(0.0012 * event.deltaY));
      this.onmove?.();
    }, { passive: false });
  }
  zoom(factor) { this.range = Math.min(5000, Math.max(2, this.range * factor)); }
  turn(azimuth, elevation) {
    this.azimuth += azimuth;
    this.elevation = Math.min(1.56, Math.max(-0.1, this.elevation + elevation));
  }
  pan(dx, dy) {
    if (this.mode === 'follow') this.onorbit?.();
    const scale = (1.2 * this.range) / this.camera.userData.height;
    const [s, c] = [Math.sin(this.azimuth), Math.cos(this.azimuth)];
    this.target.x += scale * (s * dx + c * -dy);
    this.target.y += scale * (-c * dx + s * -dy);
  }

  // Moves the camera with the vehicle, if there is one.
  update(vehicle, lowest) {
    const { camera } = this;
    if (vehicle && this.mode === 'driver') {
      const turn = vehicle.turn;
      camera.position.copy(EYES).applyQuaternion(turn).add(vehicle.place);
      const ahead = new three.Vector3(Math.cos(this.look), -Math.sin(this.look), 0).applyQuaternion(turn);
      camera.up.set(0, 0, 1).applyQuaternion(turn);
      camera.lookAt(camera.position.clone().add(ahead));
      this.setNear(0.1);
      return;
    }
    camera.up.set(0, 0, 1);
    if (vehicle && this.mode === 'follow') {
      const x = new three.Vector3(1, 0, 0).applyQuaternion(vehicle.turn);
      const heading = Math.atan2(x.y, x.x);
      // the camera follows the heading of the vehicle slowly
      if (this.heading !== null) {
        const turned = Math.atan2(Math.sin(heading - this.heading), Math.cos(heading - this.heading));
        this.azimuth += 0.06 * turned;
        this.heading += 0.06 * turned;
      } else {
        this.heading = heading;
        this.azimuth = heading + Math.PI + 0.5;
      }
      this.target.copy(vehicle.place).add(new three.Vector3(0, 0, 0.6));
    } else this.heading = null;
    const [se, ce] = [Math.sin(this.elevation), Math.cos(this.elevation)];
    camera.position.set(
      this.target.x + this.range * ce * Math.cos(this.azimuth),
      this.target.y + this.range * ce * Math.sin(this.azimuth),
      this.target.z + this.range * se,
    );
    const floor = lowest(camera.position.x, camera.position.y);
    if (floor !== null && camera.position.z < floor + 0.5) camera.position.z = floor + 0.5;
    camera.lookAt(this.target);
    // the depth buffer resolves distant ground only if the near plane is not too close
    this.setNear(0.1 * Math.min(camera.position.z - (floor ?? this.target.z), this.range));
  }
  setNear(distance) {
    const near = Math.min(Math.max(distance, 0.1), 100);
    if (Math.abs(near / this.camera.near - 1) < 0.05) return;
    this.camera.near = near;
    this.camera.updateProjectionMatrix();
  }

  // Returns the mode and, in orbit, its position as a bookmark; `apply` reads it.
  bookmark(origin) {
    if (this.mode !== 'orbit') return this.mode;
    const target = this.target.toArray().map((value, k) => value + origin[k]);
    const turns = Math.atan2(Math.sin(this.azimuth), Math.cos(this.azimuth));
    return `orbit:${[turns, this.elevation].map((value) => value.toFixed(3)).concat([this.range, ...target].map((value) => value.toFixed(2)))}`;
  }
  apply(text, origin) {
    const [mode, rest] = text.split(':');
    if (!['orbit', 'follow', 'driver'].includes(mode)) return;
    this.mode = mode;
    const values = (rest ?? '').split(',').map(Number);
    if (mode !== 'orbit' || values.length !== 6 || !values.every(Number.isFinite)) return;
    [this.azimuth, this.elevation, this.range] = values;
    this.target.set(...values.slice(3).map((value, k) => value - origin[k]));
  }
}
