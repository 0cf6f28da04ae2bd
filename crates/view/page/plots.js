// Plots over time from the run's table of states. A live run, or a run without a table, is plotted from the
// frames that were shown, with gaps where none were. A click seeks.

import uPlot from 'uplot';
import { color, onTheme, themeColor } from 'view/palette';

// Title, unit, column, factor from the column to the unit, least span of the axis
const PLOTS = [
  ['Speed', 'm/s', 'speeds', 1, 1],
  ['Mean slip', '%', 'slips', 100, 10],
  ['Deepest sinkage', 'cm', 'sinkages', 100, 1],
];
const LONGEST = 20000; // greatest number of plotted frames
const GAP = 1.5; // s between frames that are not connected

const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
// Formats a number without a negative zero.
export const fixed = (value, decimals) => (Number(value.toFixed(decimals)) + 0).toFixed(decimals);
const number = (value, unit) => (Number.isFinite(value) ? `${fixed(value, unit === '%' ? 0 : 1)} ${unit}` : '-');

export class Plots {
  constructor(scene, holder, seek) {
    this.scene = scene;
    this.seek = seek;
    this.chosen = 0;
    this.time = 0;
    this.recorded = false; // whether the data are those of the table
    this.times = [];
    this.columns = PLOTS.map(() => scene.agents.map(() => []));
    this.parts = PLOTS.map(([title, unit]) => {
      const value = element('span', { className: 'value' });
      const box = element('div', { className: 'plot' });
      box.setAttribute('role', 'img');
      box.setAttribute('aria-label', `${title} of each vehicle over time, ${unit}`);
      const cursor = element('div', { className: 'cursor' });
      holder.append(element('h3', {}, `${title}, ${unit}`, value), box);
      return { box, value, cursor, plot: null };
    });
    this.make();
    onTheme(() => this.make());
    new ResizeObserver(() => this.fit()).observe(holder);
  }

  make() {
    const [ink, grid] = [themeColor('--chart-ink'), themeColor('--chart-grid')];
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, size: 4, width: 1 }, font: '11px system-ui' };
    PLOTS.forEach(([, unit, , , span], p) => {
      const part = this.parts[p];
      part.plot?.destroy();
      const series = this.scene.agents.map((agent, index) => ({
        label: agent.name, stroke: color(index), points: { show: false }, spanGaps: false, ...this.weight(index),
      }));
      const range = (_, low, high) => {
        const [from, to] = [Math.min(low ?? 0, 0), Math.max(high ?? 0, span)];
        return [from < 0 ? 1.05 * from : 0, 1.05 * to];
      };
      const values = (_, ticks) => ticks.map((tick) => String(Math.round(1000 * tick) / 1000));
      part.plot = new uPlot({
        width: Math.max(part.box.clientWidth, 120), height: 110, padding: [6, 14, 0, 0],
        series: [{ label: 's' }, ...series], legend: { show: false },
        cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
        scales: { x: { time: false }, y: { range } },
        axes: [
          { ...axis, size: 24, space: 50, values: (_, ticks) => ticks.map((tick) => `${Math.round(1000 * tick) / 1000} s`) },
          { ...axis, size: 40, space: 24, values },
        ],
        hooks: { setCursor: [() => this.tell(p)], setScale: [() => this.cursor(this.time)] },
      }, this.data(p), part.box);
      part.plot.over.append(part.cursor);
      let pressed = null;
      part.plot.over.addEventListener('pointerdown', (event) => { pressed = event.clientX; });
      part.plot.over.addEventListener('pointerup', (event) => {
        // a longer move is a selection, which zooms
        if (pressed === null || Math.abs(event.clientX - pressed) > 4) return;
        const time = part.plot.posToVal(event.clientX - part.plot.over.getBoundingClientRect().left, 'x');
        this.seek(Math.min(Math.max(time, 0), this.scene.duration));
      });
      this.cursor(this.time);
      this.tell(p);
    });
  }
  fit() {
    for (const { plot, box } of this.parts) {
      const width = box.clientWidth;
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: 110 });
    }
    this.cursor(this.time);
  }
  weight(index) {
    const single = this.scene.agents.length === 1;
    return index === this.chosen ? { width: 2, alpha: 1 } : { width: 1, alpha: single ? 1 : 0.45 };
  }
  data(p) { return [this.times, ...this.columns[p]]; }
  draw() {
    this.parts.forEach(({ plot }, p) => { plot.setData(this.data(p)); this.tell(p); });
    this.cursor(this.time);
  }

  choose(index) {
    this.chosen = index;
    this.parts.forEach(({ plot }, p) => {
      plot.series.forEach((series, k) => { if (k > 0) Object.assign(series, this.weight(k - 1)); });
      plot.redraw(false);
      this.tell(p);
    });
  }

  // Plots the table: histories of vehicles, on one axis of all their times.
  table({ series }) {
    this.recorded = true;
    const times = [...new Set(series.flatMap((own) => [...own.times]))].sort((a, b) => a - b);
    this.times = times;
    PLOTS.forEach(([, , column, factor], p) => {
      this.columns[p] = this.scene.agents.map(() => new Array(times.length));
      for (const own of series) {
        const target = this.columns[p][own.vehicle];
        let next = 0;
        for (let k = 0; k < times.length; k++) {
          // undefined does not interrupt a line, as null does
          if (own.times[next] !== times[k]) continue;
          const value = own[column][next++];
          target[k] = Number.isFinite(value) ? factor * value : null;
        }
      }
    });
    this.draw();
  }

  // Forgets later frames, after a seek back.
  seeked(time) {
    if (this.recorded) return;
    const keep = this.times.findIndex((t) => t > time);
    if (keep < 0) return;
    this.times.length = keep;
    this.columns.flat().forEach((list) => { list.length = keep; });
    this.draw();
  }

  // Appends a frame, unless the table is known.
  append(frame) {
    if (this.recorded) return;
    const last = this.times.at(-1);
    if (last !== undefined && frame.time <= last + 1e-9) return;
    if (last !== undefined && frame.time - last > GAP) {
      this.times.push(last + 1e-6);
      this.columns.flat().forEach((list) => list.push(null));
    }
    this.times.push(frame.time);
    PLOTS.forEach(([, , column, factor], p) => frame.vehicles.forEach((vehicle, k) => {
      this.columns[p][k].push(factor * { speeds: vehicle.speed, slips: vehicle.slip, sinkages: vehicle.sinkage }[column]);
    }));
    if (this.times.length > LONGEST) {
      const halved = (list) => list.filter((_, k) => k % 2 === 0);
      this.times = halved(this.times);
      this.columns = this.columns.map((lists) => lists.map(halved));
    }
    this.stale = true;
  }
  refresh() {
    if (!this.stale) return;
    this.stale = false;
    this.draw();
  }

  // Moves the line of the present time.
  cursor(time) {
    this.time = time;
    for (const { plot, cursor } of this.parts) {
      if (!plot?.over) continue;
      const [left, width] = [plot.valToPos(time, 'x'), plot.over.clientWidth];
      cursor.hidden = !(left >= -1 && left <= width + 1);
      cursor.style.transform = `translateX(${left}px)`;
    }
    this.parts.forEach((_, p) => this.tell(p));
  }

  // Shows the value of the selected vehicle below the pointer, or at the present time.
  tell(p) {
    const { plot, value } = this.parts[p], unit = PLOTS[p][1];
    if (!plot) return;
    const column = this.columns[p][this.chosen] || [];
    const pointed = plot.cursor.idx;
    let at = pointed ?? this.before(this.time);
    while (at > 0 && column[at] === undefined) at--;
    const shown = number(column[at] ?? NaN, unit);
    value.textContent = pointed == null || this.times.length === 0 ? shown : `${this.times[at].toFixed(2)} s: ${shown}`;
  }
  before(time) {
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-9) low = middle; else high = middle - 1;
    }
    return low;
  }
}
