// Side panel: list of vehicles, table of the selected vehicle, plots and pictures.

import uPlot from 'uplot';

const COLORS = ['#0068b2', '#dc7d00', '#007166', '#d1759a', '#56b4e9', '#775b0e', '#393020', '#600364'];
const PLOTS = [
  ['Speed, m/s', (v) => v.speed],
  ['Mean slip', (v) => v.slip],
  ['Deepest sinkage, m', (v) => v.sinkage],
];
const LONGEST = 20000; // greatest number of samples of a plot

export const color = (index) => COLORS[index % COLORS.length];

const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

export class Panel {
  constructor(scene, choose) {
    this.scene = scene;
    this.chosen = 0;
    this.outcomes = new Map();
    this.times = [];
    this.values = PLOTS.map(() => scene.agents.map(() => []));
    this.rows = scene.agents.map((agent, index) => {
      const speed = element('span', { className: 'speed' });
      const dot = element('span', { className: 'dot' });
      dot.style.background = color(index);
      const row = element('div', { role: 'listitem', tabIndex: 0, title: agent.model }, dot, agent.name, speed);
      row.onclick = () => choose(index);
      row.onkeydown = (event) => { if (event.key === 'Enter') choose(index); };
      document.getElementById('vehicles').append(row);
      return { row, speed };
    });
    const holder = document.getElementById('plots');
    this.plots = PLOTS.map(([title]) => {
      const series = scene.agents.map((agent, index) => ({ label: agent.name, stroke: color(index), width: 1.5, points: { show: false } }));
      return new uPlot({
        title, width: 292, height: 120, series: [{ label: 's' }, ...series],
        legend: { show: false }, cursor: { drag: { x: true, y: false } },
        scales: { x: { time: false } },
        axes: [{ size: 22, font: '10px system-ui' }, { size: 42, font: '10px system-ui' }],
      }, [[], ...scene.agents.map(() => [])], holder);
    });
    this.drawn = 0;
    this.choose(0);
  }

  choose(index) {
    this.chosen = index;
    this.rows.forEach(({ row }, k) => row.classList.toggle('chosen', k === index));
    this.rows[index]?.row.scrollIntoView({ block: 'nearest' });
    document.getElementById('pictures').replaceChildren();
  }

  afresh(time) {
    this.outcomes.clear();
    this.rows.forEach(({ speed }) => speed.classList.remove('ended'));
    const keep = this.times.findIndex((t) => t > time);
    if (keep < 0) return;
    this.times.length = keep;
    this.values.flat().forEach((list) => { list.length = keep; });
  }

  outcome({ vehicle, text }) {
    this.outcomes.set(vehicle, text);
    this.rows[vehicle]?.speed.classList.add('ended');
  }

  show(frame) {
    const last = this.times.at(-1);
    if (last === undefined || frame.time > last + 1e-9) {
      this.times.push(frame.time);
      PLOTS.forEach(([, figure], p) => frame.vehicles.forEach((v, k) => this.values[p][k].push(figure(v))));
      if (this.times.length > LONGEST) {
        const halved = (list) => list.filter((_, k) => k % 2 === 0);
        this.times = halved(this.times);
        this.values = this.values.map((lists) => lists.map(halved));
      }
    }
    const now = performance.now();
    if (now - this.drawn < 200) return;
    this.drawn = now;
    this.plots.forEach((plot, p) => plot.setData([this.times, ...this.values[p]]));
    frame.vehicles.forEach((v, k) => {
      this.rows[k].speed.textContent = this.outcomes.has(k) ? 'ended' : `${v.speed.toFixed(1)} m/s`;
    });
    this.table(frame.vehicles[this.chosen]);
  }

  table(v) {
    const holder = document.getElementById('table');
    if (!v) return holder.replaceChildren();
    const agent = this.scene.agents[this.chosen];
    const line = (...cells) => element('tr', {}, ...cells.map((text) => element('td', { textContent: text })));
    const [x, y, z] = [0, 1, 2].map((k) => (v.place[k] + this.scene.origin[k]).toFixed(1));
    const gear = v.gear > 0 ? String(v.gear) : v.gear < 0 ? `R${-v.gear}` : 'N';
    const figures = element('table', {},
      element('caption', { textContent: `${agent.name} (${agent.model})` }),
      line('position, m', `${x}, ${y}, ${z}`),
      line('steering, throttle, brake', `${v.steering.toFixed(2)}, ${v.throttle.toFixed(2)}, ${v.brake.toFixed(2)}`),
      line('gear, engine', `${gear}, ${((v.engine * 30) / Math.PI).toFixed(0)} rpm`));
    const wheels = element('table', {}, element('tr', {}, ...['wheel', 'slip', 'sinkage', 'load'].map((text) => element('th', { textContent: text }))));
    v.wheels.slice(0, 16).forEach((w, k) => {
      wheels.append(line(String(k + 1), w.slip.toFixed(2), `${(100 * w.sinkage).toFixed(1)} cm`, `${(w.load / 1000).toFixed(1)} kN`));
    });
    const outcome = this.outcomes.get(this.chosen);
    holder.replaceChildren(figures, wheels, ...(outcome ? [element('p', { textContent: outcome })] : []));
  }

  picture({ vehicle, name, png }) {
    if (vehicle !== this.chosen) return;
    const holder = document.getElementById('pictures');
    let image = [...holder.querySelectorAll('img')].find((known) => known.alt === name);
    if (!image) {
      image = element('img', { alt: name });
      holder.append(image, element('span', { textContent: name }));
    }
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(new Blob([png], { type: 'image/png' }));
  }
}
