// The page: handles messages, draws the run, and sends the requests of the user.

import * as three from 'three';
import { open } from 'view/source';
import { Terrain } from 'view/terrain';
import { Ruts } from 'view/ruts';
import { Vehicles } from 'view/vehicles';
import { Traffic } from 'view/traffic';
import { Eye } from 'view/camera';
import { Panel, color } from 'view/panel';
import { Wheel } from 'view/drive';

const id = (name) => document.getElementById(name);
const canvas = id('canvas');
const renderer = new three.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: new URLSearchParams(location.search).has('keep') });
renderer.outputColorSpace = three.LinearSRGBColorSpace; // shaders write the displayed color
const stage = new three.Scene();
const camera = new three.PerspectiveCamera(55, 1, 0.1, 60000);
const eye = new Eye(canvas, camera);
const plans = new three.Group();
stage.add(plans);

let run = null; // content of the scene message
let terrain, ruts, vehicles, traffic, panel;
let frame = null, next = null, share = 0;
let status = { playing: true };
let dragged = false;
let frames = 0, counted = performance.now();

const source = open((message) => takers[message.kind]?.(message));

const takers = {
  scene(message) {
    run = message;
    document.title = `${message.name} - bekker`;
    id('name').textContent = message.name;
    id('source').textContent = { live: 'running', recorded: 'recorded', file: 'recording' }[message.source];
    id('slider').max = message.duration;
    id('slider').disabled = message.source === 'live';
    id('drive_it').hidden = message.source !== 'live';
    id('duration').textContent = `${message.duration.toFixed(1)} s`;
    const ask = (request) => source.ask(request);
    terrain = new Terrain(message, stage, ask);
    ruts = new Ruts(message, stage);
    vehicles = new Vehicles(message, stage);
    traffic = new Traffic(message, stage);
    panel = new Panel(message, choose);
    const [r, g, b] = message.sky.horizon.map((c) => Math.min(1, c) ** (1 / 2.2));
    renderer.setClearColor(new three.Color().setRGB(r, g, b), 1);
  },
  mesh: (message) => vehicles.takeMesh(message),
  props: (message) => vehicles.takeProps(message),
  chunk: (message) => terrain.take(message),
  absent: (message) => terrain.absent(message),
  tiles(message) {
    if (message.afresh) { ruts.clear(); terrain.clear(); vehicles.upright(); traffic.link({ links: [] }); panel.afresh(message.time); }
    ruts.take(message.tiles);
    terrain.cover(message.tiles);
  },
  frame(message) {
    frame = message;
    next = message.next || null;
    share = message.share || 0;
    if (!dragged) id('slider').value = frame.time;
    id('time').textContent = `${frame.time.toFixed(2)} s`;
    panel.show(frame);
  },
  picture: (message) => panel.picture(message),
  outcome: (message) => panel.outcome(message),
  links: (message) => traffic.link(message),
  lights: (message) => traffic.take(message),
  felled: (message) => vehicles.fell(message.props),
  plan: drawPlan,
  status(message) {
    status = { ...status, ...message };
    if (message.rate !== undefined) id('rate').value = message.rate === null ? '' : String(message.rate);
    id('play').textContent = status.playing ? '❚❚' : '▶';
    if (status.ended && run?.source === 'live') id('source').textContent = 'ended';
    note('');
  },
  seeking: (message) => note(`seeking to ${message.time.toFixed(1)} s`),
  moment(message) { note(''); document.body.dataset.hash = message.hash; document.body.dataset.tick = message.tick; },
  ground: showGround,
  fault: (message) => note(message.text),
  closed: () => note('connection to the simulation closed'),
};

const note = (text) => { id('note').textContent = text; };

function choose(index) {
  panel.choose(index);
  eye.heading = null;
  if (eye.mode === 'orbit') { eye.mode = 'follow'; id('camera').value = 'follow'; }
}

// Returns the state of the selected vehicle, interpolated between two frames.
function vehicle() {
  const own = frame?.vehicles[panel.chosen];
  if (!own) return null;
  const place = new three.Vector3(...own.place), turn = new three.Quaternion(...own.turn);
  const later = next?.vehicles[panel.chosen];
  if (later) {
    place.lerp(new three.Vector3(...later.place), share);
    turn.slerp(new three.Quaternion(...later.turn), share);
  }
  return { place, turn };
}

// Draws routes, paths, goals and grids of autonomous vehicles.
const planned = new Map();
function drawPlan(plan) {
  planned.get(plan.vehicle)?.forEach((part) => { plans.remove(part); part.geometry.dispose(); });
  const [ox, oy, oz] = run.origin;
  const on = ([x, y], up) => {
    const z = terrain.at(x - ox, y - oy)?.height ?? 0;
    return new three.Vector3(x - ox, y - oy, z + up);
  };
  const line = (points, tint, up) => {
    const geometry = new three.BufferGeometry().setFromPoints(points.map((p) => on(p, up)));
    return new three.Line(geometry, new three.LineBasicMaterial({ color: tint }));
  };
  const parts = [line(plan.route, '#ffffff', 0.4), line(plan.path, color(plan.vehicle), 0.5)];
  if (plan.goal) {
    const [x, y] = plan.goal;
    const post = new three.BufferGeometry().setFromPoints([on([x, y], 0), on([x, y], 6)]);
    parts.push(new three.Line(post, new three.LineBasicMaterial({ color: color(plan.vehicle) })));
  }
  parts.push(grid(plan, on));
  parts.forEach((part) => plans.add(part));
  planned.set(plan.vehicle, parts);
}
function grid({ corner, cell, columns, classes }, on) {
  const places = [], tints = [];
  for (let k = 0; k < classes.length; k++) {
    const kind = classes.charCodeAt(k) - 48;
    if (kind < 2) continue; // free and unknown cells are not drawn
    const p = on([corner[0] + ((k % columns) + 0.5) * cell, corner[1] + (Math.floor(k / columns) + 0.5) * cell], 0.15);
    places.push(p.x, p.y, p.z);
    tints.push(...(kind === 2 ? [0.9, 0.2, 0.1] : [0.6, 0.1, 0.8]));
  }
  const geometry = new three.BufferGeometry();
  geometry.setAttribute('position', new three.Float32BufferAttribute(places, 3));
  geometry.setAttribute('color', new three.Float32BufferAttribute(tints, 3));
  return new three.Points(geometry, new three.PointsMaterial({ size: 0.6 * cell, vertexColors: true }));
}

function showGround({ x, y, z, soil, depth, sinkage }) {
  id('ground').hidden = false;
  const rut = Math.abs(depth) < 5e-4 ? 'undisturbed' : depth > 0 ? `rut ${(100 * depth).toFixed(1)} cm deep` : `heaped ${(-100 * depth).toFixed(1)} cm`;
  const sunk = sinkage > 0 ? `, compacted ${(100 * sinkage).toFixed(1)} cm` : '';
  id('ground').textContent = `${soil}, ${rut}${sunk} at (${x.toFixed(1)}, ${y.toFixed(1)}, ${z.toFixed(2)}) m`;
}

eye.onorbit = () => { eye.mode = 'orbit'; id('camera').value = 'orbit'; };
eye.onclick = (event) => {
  if (!frame) return;
  const box = canvas.getBoundingClientRect();
  const [u, v] = [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
  let best = [0.06, -1];
  frame.vehicles.forEach((own, index) => {
    const seen = new three.Vector3(...own.place).add(new three.Vector3(0, 0, 0.7)).project(camera);
    const off = Math.hypot((seen.x - u) * camera.aspect, seen.y - v);
    if (seen.z < 1 && off < best[0]) best = [off, index];
  });
  if (best[1] >= 0) return choose(best[1]);
  const direction = new three.Vector3(u, v, 0.5).unproject(camera).sub(camera.position).normalize();
  const p = terrain.meet(camera.position, direction);
  if (!p) return;
  const [ox, oy, oz] = run.origin;
  if (run.source !== 'file') return source.ask({ kind: 'ground', x: p.x + ox, y: p.y + oy });
  const here = terrain.at(p.x, p.y);
  const soil = run.soils[here?.soil]?.name ?? '';
  const depth = ruts.depth(p.x, p.y) ?? 0;
  showGround({ x: p.x + ox, y: p.y + oy, z: p.z + oz - depth, soil, depth, sinkage: 0 });
};
id('play').onclick = () => {
  if (status.ended && run.source === 'recorded') source.ask({ kind: 'seek', time: 0 });
  source.ask({ kind: status.playing ? 'pause' : 'play' });
};
let wheel = null; // control of a vehicle by the user of this page
id('drive_it').onclick = () => {
  if (wheel && !wheel.stopped) {
    wheel.stop();
    id('drive').hidden = true;
  } else {
    id('drive').hidden = false;
    wheel = new Wheel(run.agents[panel.chosen].name, (text) => { id('drive').textContent = text; });
    id('drive_it').blur();
  }
  id('drive_it').textContent = wheel && !wheel.stopped ? 'Release' : 'Drive';
};
id('step').onclick = () => source.ask({ kind: 'step' });
id('rate').onchange = () => source.ask({ kind: 'rate', value: id('rate').value ? Number(id('rate').value) : null });
id('camera').onchange = () => { eye.mode = id('camera').value; eye.look = 0; };
id('depths').onchange = () => { ruts.depths.value = id('depths').checked ? 1 : 0; };
id('slider').oninput = () => { dragged = true; id('time').textContent = `${Number(id('slider').value).toFixed(2)} s`; };
id('slider').onchange = () => {
  dragged = false;
  source.ask({ kind: 'seek', time: Number(id('slider').value) });
};
addEventListener('keydown', (event) => {
  if (/^(INPUT|SELECT|BUTTON)$/.test(event.target.tagName) && event.key !== ' ') return;
  if (event.key === ' ') { event.preventDefault(); id('play').click(); }
  if (event.key === '.') id('step').click();
});

function resize() {
  const [width, height] = [innerWidth, innerHeight];
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.setSize(width, height, false);
  camera.aspect = width / height;
  camera.updateProjectionMatrix();
}
addEventListener('resize', resize);
resize();

let before = performance.now();
function draw(now) {
  requestAnimationFrame(draw);
  source.advance((now - before) / 1000);
  before = now;
  if (!frame) return;
  vehicles.show(frame, next, share);
  traffic.show(frame);
  eye.update(vehicle(), (x, y) => terrain.at(x, y)?.height ?? null);
  terrain.choose(camera);
  ruts.choose(camera);
  renderer.render(stage, camera);
  frames++;
  if (now - counted > 1000) {
    id('fps').textContent = `${Math.round((1000 * frames) / (now - counted))} fps`;
    document.body.dataset.fps = ((1000 * frames) / (now - counted)).toFixed(1);
    frames = 0;
    counted = now;
  }
}
requestAnimationFrame(draw);

// State of the page, for tests.
globalThis.bekker = {
  get frame() { return frame; },
  get tiles() { return ruts ? ruts.slots.size : 0; },
  get chunks() { return terrain ? [...terrain.chunks.values()].filter((c) => c.mesh).length : 0; },
  get links() { return traffic ? traffic.pairs : []; },
  get lights() { return traffic ? traffic.colors : []; },
  source, eye, camera,
  get wheel() { return wheel; },
};
