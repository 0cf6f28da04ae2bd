// Side panel: list of vehicles, table of the selected vehicle, plots and camera pictures.

import { Plots, fixed } from 'view/plots';
import { color } from 'view/palette';

const INTERVAL = 200; // ms between updates of tables and plots
const MOST_WHEELS = 20;

const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const id = (name) => document.getElementById(name);

// Returns the name of a wheel: front and rear left and right, or the number of the axle and the side.
export function wheelName(wheel, wheels) {
  if (wheels % 2 === 1) return String(wheel + 1);
  const axle = Math.floor(wheel / 2), side = wheel % 2 === 0 ? 'L' : 'R';
  return wheels <= 4 ? `${wheels === 2 ? '' : 'FR'[axle]}${side}` : `${axle + 1}${side}`;
}

export class Panel {
  constructor(scene, choose, seek) {
    this.scene = scene;
    this.chosen = 0;
    this.frame = null;
    this.outcomes = new Map();
    this.pictures = new Map(); // vehicle -> name -> figure
    this.rows = scene.agents.map((agent, index) => {
      const speed = element('span', { className: 'speed' });
      const dot = element('span', { className: 'dot' });
      dot.style.background = color(index);
      const row = element('button', { type: 'button', title: agent.model }, dot, element('span', { className: 'name', textContent: agent.name }), speed);
      row.onclick = () => choose(index);
      id('vehicles').append(element('li', {}, row));
      return { row, speed };
    });
    this.plots = new Plots(scene, id('plots'), seek);
    this.drawn = 0;
    this.choose(0);
  }

  choose(index) {
    this.chosen = index;
    this.rows.forEach(({ row }, k) => row.setAttribute('aria-pressed', String(k === index)));
    const row = this.rows[index]?.row;
    if (row && id('vehicles').offsetParent) {
      const [list, own] = [id('vehicles').getBoundingClientRect(), row.getBoundingClientRect()];
      if (own.top < list.top || own.bottom > list.bottom) id('vehicles').scrollTop += own.top - list.top;
    }
    this.plots.choose(index);
    const figures = this.pictures.get(index) || new Map();
    id('pictures').replaceChildren(...figures.values());
    id('cameras').hidden = figures.size === 0;
    this.update();
  }

  afresh(time) {
    this.outcomes.clear();
    this.plots.seeked(time);
  }

  outcome({ vehicle, text }) {
    this.outcomes.set(vehicle, text);
    this.update();
  }

  show(frame) {
    this.frame = frame;
    this.plots.append(frame);
    this.plots.cursor(frame.time);
    clearTimeout(this.later);
    const left = INTERVAL - (performance.now() - this.drawn);
    // the last frame before a pause is shown, too
    if (left <= 0) this.update(); else this.later = setTimeout(() => this.update(), left);
  }

  update() {
    if (!this.frame) return;
    this.drawn = performance.now();
    this.plots.refresh();
    this.frame.vehicles.forEach((v, k) => {
      const { speed } = this.rows[k];
      speed.textContent = this.outcomes.has(k) ? 'ended' : `${fixed(v.speed, 1)} m/s`;
      speed.classList.toggle('ended', this.outcomes.has(k));
    });
    this.table(this.frame.vehicles[this.chosen]);
  }

  table(v) {
    const holder = id('table');
    if (!v) return holder.replaceChildren();
    const agent = this.scene.agents[this.chosen];
    const line = (title, ...cells) => element('tr', {},
      element('th', { scope: 'row', textContent: title }), ...cells.map((text) => element('td', { textContent: text })));
    const [x, y, z] = [0, 1, 2].map((k) => fixed(v.place[k] + this.scene.origin[k], 1));
    const gear = v.gear > 0 ? String(v.gear) : v.gear < 0 ? `R${-v.gear}` : 'N';
    const figures = element('table', {},
      element('caption', { textContent: `${agent.name} (${agent.model})` }),
      line('position, m', `${x}, ${y}, ${z}`),
      line('steering, throttle, brake', [v.steering, v.throttle, v.brake].map((value) => fixed(value, 2)).join(', ')),
      line('gear, engine', `${gear}, ${((v.engine * 30) / Math.PI).toFixed(0)} rpm`));
    const heads = ['wheel', 'slip, %', 'sinkage, cm', 'load, kN'];
    const wheels = element('table', {}, element('tr', {}, ...heads.map((text) => element('th', { scope: 'col', textContent: text }))));
    v.wheels.slice(0, MOST_WHEELS).forEach((w, k) => {
      wheels.append(line(wheelName(k, v.wheels.length), fixed(100 * w.slip, 0), fixed(100 * w.sinkage, 1), fixed(w.load / 1000, 1)));
    });
    const outcome = this.outcomes.get(this.chosen);
    holder.replaceChildren(...(outcome ? [element('p', { textContent: outcome })] : []), figures, wheels);
  }

  // Keeps the last picture of each camera, with the time when it was taken.
  picture({ vehicle, time, name, png }) {
    if (!this.pictures.has(vehicle)) this.pictures.set(vehicle, new Map());
    const figures = this.pictures.get(vehicle);
    if (!figures.has(name)) {
      const figure = element('figure', {}, element('img', { alt: `Picture of ${name}` }), element('figcaption', {}));
      figures.set(name, figure);
      if (vehicle === this.chosen) { id('pictures').append(figure); id('cameras').hidden = false; }
    }
    const [image, caption] = figures.get(name).children;
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(new Blob([png], { type: 'image/png' }));
    caption.textContent = `${name}, ${time.toFixed(2)} s`;
  }
}
