// Names of vehicles above them, if there are several. A click follows the vehicle.

import * as three from 'three';
import { color } from 'view/palette';

const ABOVE = 2.8; // m above the origin of the chassis
const FAR = 600; // m beyond which no name is shown
const MOST = 40; // vehicles with names; more would cover the scene

export class Labels {
  constructor(holder, agents, choose) {
    this.holder = holder;
    this.point = new three.Vector3();
    const named = agents.length > 1 && agents.length <= MOST ? agents : [];
    this.labels = named.map((agent, index) => {
      const label = Object.assign(document.createElement('div'), { className: 'label', textContent: agent.name, hidden: true });
      label.style.setProperty('--own', color(index));
      // the list of vehicles has the same names for readers of the screen
      label.setAttribute('aria-hidden', 'true');
      label.onclick = () => choose(index);
      holder.append(label);
      return label;
    });
  }

  // Places the names in a picture from a camera; `driver` is the vehicle that carries it, or -1.
  show(frame, camera, driver) {
    const { clientWidth: width, clientHeight: height } = this.holder;
    this.labels.forEach((label, index) => {
      const place = this.point.fromArray(frame.vehicles[index].place);
      const far = place.distanceTo(camera.position);
      place.z += ABOVE;
      place.project(camera);
      label.hidden = index === driver || far > FAR || place.z > 1 || Math.abs(place.x) > 1 || Math.abs(place.y) > 1;
      if (label.hidden) return;
      const [x, y] = [((place.x + 1) * width) / 2, ((1 - place.y) * height) / 2];
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
      label.style.zIndex = String(Math.round(1000 - far));
    });
  }
}
