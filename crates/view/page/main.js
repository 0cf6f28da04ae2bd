// The page: handles messages, draws the run, and sends the requests of the user.

import * as three from 'three';
import { open } from 'view/source';
import { Light } from 'view/light';
import { Terrain } from 'view/terrain';
import { Ruts } from 'view/ruts';
import { Paths, QUANTITIES } from 'view/paths';
import { Labels } from 'view/labels';
import { Vehicles } from 'view/vehicles';
import { Dust } from 'view/dust';
import { Forces } from 'view/forces';
import { Ghost } from 'view/ghost';
import { Lidar } from 'view/lidar';
import { Film, download } from 'view/film';
import { Traffic } from 'view/traffic';
import { Eye } from 'view/camera';
import { Panel } from 'view/panel';
import { Bookmark } from 'view/bookmark';
import { Keys } from 'view/keys';
import { Wheel } from 'view/drive';
import { berm, color, depthColor, displayed } from 'view/palette';

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
let light, terrain, ruts, paths, labels, vehicles, dust, forces, lidar, traffic, panel;
let ghost = null; // another run, drawn at the same simulated time
let frame = null, next = null, share = 0;
let status = { playing: true };
let dragged = false;
let frames = 0, counted = performance.now();

let stale = true; // whether the scene differs from the last picture
const source = open((message) => { stale = true; takers[message.kind]?.(message); });

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
    light = new Light(message);
    terrain = new Terrain(message, stage, light, ask);
    ruts = new Ruts(message, stage, light, terrain);
    ruts.onscale = showScale;
    showScale(ruts.uniforms.deepest.value);
    paths = new Paths(stage, terrain);
    vehicles = new Vehicles(stage, light);
    dust = new Dust(stage, light);
    id('with_dust').hidden = !message.dust;
    forces = new Forces(stage);
    lidar = new Lidar(stage);
    id('with_lidar').hidden = !message.lidars;
    const other = new URLSearchParams(location.search).get('ghost');
    if (other) {
      id('source').textContent = 'recorded, another run half transparent';
      ghost = new Ghost(stage, terrain, other, message.origin, (text) => { stale = true; note(text); });
    }
    labels = new Labels(id('names'), message.agents, choose);
    traffic = new Traffic(message, stage);
    panel = new Panel(message, choose, seek);
    const [r, g, b] = message.sky.horizon.map((c) => Math.min(1, c) ** (1 / 2.2));
    renderer.setClearColor(new three.Color().setRGB(r, g, b), 1);
    restore(bookmark.read());
  },
  mesh: (message) => vehicles.takeMesh(message),
  props: (message) => vehicles.takeProps(message),
  chunk: (message) => terrain.take(message),
  absent: (message) => terrain.absent(message),
  tiles(message) {
    if (message.afresh) { ruts.clear(); vehicles.upright(); traffic.link({ links: [] }); panel.afresh(message.time); lidar.afresh(message.time); }
    ruts.take(message.tiles);
  },
  frame(message) {
    frame = message;
    next = message.next || null;
    share = message.share || 0;
    if (!dragged) id('slider').value = frame.time;
    id('time').textContent = `${frame.time.toFixed(2)} s`;
    panel.show(frame);
    if (wanted !== null) { const time = wanted; wanted = null; pauseAt(time); }
  },
  states(message) { panel.plots.table(message); paths.take(message); showPathScale(); },
  picture: (message) => panel.picture(message),
  points: (message) => lidar.take(message),
  outcome: (message) => panel.outcome(message),
  links: (message) => traffic.link(message),
  lights: (message) => traffic.take(message),
  felled: (message) => vehicles.fell(message.props),
  plan: drawPlan,
  status(message) {
    status = { ...status, ...message };
    if (message.rate !== undefined) id('rate').value = message.rate === null ? '' : String(message.rate);
    id('play').textContent = status.playing ? '❚❚' : '▶';
    id('play').setAttribute('aria-label', status.playing ? 'Pause' : 'Play');
    bookmark.change();
    if (status.ended && run?.source === 'live') id('source').textContent = 'ended';
    note('');
  },
  seeking: (message) => note(`seeking to ${message.time.toFixed(1)} s`),
  moment(message) { note(''); bookmark.change(); document.body.dataset.hash = message.hash; document.body.dataset.tick = message.tick; },
  ground: showGround,
  fault: (message) => note(message.text),
  closed: () => note('connection to the simulation closed'),
};

const note = (text) => { id('note').textContent = text; };

function choose(index) {
  panel.choose(index);
  eye.heading = null;
  if (eye.mode === 'orbit') setCamera('follow');
  bookmark.change();
}

function setCamera(mode) {
  eye.mode = mode;
  eye.look = 0;
  id('camera').value = mode;
  bookmark.change();
}

function seek(time) {
  if (run.source === 'live') return;
  source.ask({ kind: 'seek', time: Math.min(Math.max(time, 0), run.duration) });
  bookmark.change();
}
function pauseAt(time) {
  source.ask({ kind: 'pause' });
  seek(time);
}

// Applies a bookmark. The time waits until the first frame.
let wanted = null;
const SECTIONS = ['vehicles', 'table', 'plots', 'pictures'];
const section = (name) => id(name).closest('details');
function restore({ t, vehicle, camera: view, show, relief, path }) {
  const index = run.agents.findIndex((agent) => agent.name === vehicle);
  if (index >= 0) panel.choose(index);
  if (view) { eye.apply(view, run.origin); id('camera').value = eye.mode; }
  if (show !== undefined) {
    const shown = show.split(',');
    showPanel(shown.includes('panel'));
    setDepths(shown.includes('depths'));
    setForces(shown.includes('forces'));
    setLidar(shown.includes('lidar'));
    setDust(shown.includes('dust'));
    SECTIONS.forEach((name) => { section(name).open = shown.includes(name); });
  }
  if (relief) setRelief(Number(relief));
  if (path !== undefined) setPath(path);
  if (t !== undefined && Number.isFinite(Number(t)) && run.source !== 'live') {
    if (frame) pauseAt(Number(t)); else wanted = Number(t);
  }
}
const bookmark = new Bookmark(() => {
  if (!run || !panel) return {};
  const shown = [
    ...(hasPanel() ? ['panel'] : []), ...(id('depths').checked ? ['depths'] : []),
    ...(id('forces').checked ? ['forces'] : []), ...(id('lidar').checked ? ['lidar'] : []),
    ...(id('dust').checked && run.dust ? ['dust'] : []),
    ...SECTIONS.filter((name) => section(name).open),
  ];
  const relief = id('relief').value;
  return {
    t: !status.playing && frame && run.source !== 'live' ? String(Math.round(1000 * frame.time) / 1000) : null,
    vehicle: run.agents[panel.chosen]?.name,
    camera: eye.bookmark(run.origin),
    show: shown.join(','),
    relief: relief === '1' ? null : relief,
    path: id('path').value || null,
  };
});
addEventListener('hashchange', () => { if (run) restore(bookmark.read()); });
SECTIONS.forEach((name) => section(name).addEventListener('toggle', () => bookmark.change()));

function setDepths(on) {
  id('depths').checked = on;
  ruts.uniforms.depths.value = on ? 1 : 0;
  stale = true;
  id('scale').hidden = !on;
  bookmark.change();
}
function setForces(on) {
  id('forces').checked = on;
  if (forces) forces.shown = on;
  stale = true;
  bookmark.change();
}
function setLidar(on) {
  id('lidar').checked = on;
  if (lidar) lidar.shown = on;
  stale = true;
  bookmark.change();
}
function setDust(on) {
  id('dust').checked = on;
  if (dust) dust.shown = on;
  stale = true;
  bookmark.change();
}
// Names the force that an arrow of 1 m stands for.
function showForceScale() {
  id('force_scale').hidden = !forces.shown || !forces.unit;
  id('force_scale').textContent = `force of the ground: 1 m is ${forces.unit / 1000} kN`;
}
function setRelief(factor) {
  const values = [...id('relief').options].map((option) => Number(option.value));
  if (!values.includes(factor)) return;
  id('relief').value = String(factor);
  ruts.uniforms.relief.value = factor;
  stale = true;
  bookmark.change();
}
// Colors the driven paths by a quantity; an empty name hides them.
function setPath(quantity) {
  paths.choose(quantity);
  id('path').value = paths.quantity;
  showPathScale();
  stale = true;
  bookmark.change();
}
function showPathScale() {
  const scale = id('path_scale');
  scale.hidden = paths.quantity === '';
  if (scale.hidden) return;
  const [, title, unit] = QUANTITIES[paths.quantity];
  scale.querySelector('b').textContent = `${title} along the path, ${unit}`;
  showTicks(scale, paths.end);
  scale.setAttribute('aria-label', `Colors of ${title} from 0 to ${paths.end} ${unit}`);
}
const hasPanel = () => !document.body.classList.contains('alone');
function showPanel(on) {
  document.body.classList.toggle('alone', !on);
  id('panel').setAttribute('aria-pressed', String(on));
  bookmark.change();
}

// Draws the color bar of rut depth, which ends at `deepest`, m.
const stops = [...Array(13).keys()].map((k) => `rgb(${depthColor(k / 12)})`);
document.querySelectorAll('.scale .ramp').forEach((ramp) => { ramp.style.background = `linear-gradient(to right, ${stops})`; });
id('scale').querySelector('.heap').style.setProperty('--heap', berm);
function showScale(deepest) {
  showTicks(id('scale'), 100 * deepest);
  id('scale').setAttribute('aria-label', `Colors of rut depth from 0 to ${Math.round(1000 * deepest) / 10} cm`);
}

function showTicks(scale, end) {
  const ticks = [0, 0.5, 1].map((share) => Object.assign(document.createElement('span'), {
    textContent: String(Math.round(10 * share * end) / 10),
  }));
  scale.querySelector('.ticks').replaceChildren(...ticks);
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
    return new three.Line(geometry, new three.LineBasicMaterial({ color: displayed(tint) }));
  };
  const parts = [line(plan.route, '#ffffff', 0.4), line(plan.path, color(plan.vehicle), 0.5)];
  if (plan.goal) {
    const [x, y] = plan.goal;
    const post = new three.BufferGeometry().setFromPoints([on([x, y], 0), on([x, y], 6)]);
    parts.push(new three.Line(post, new three.LineBasicMaterial({ color: displayed(color(plan.vehicle)) })));
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

eye.onorbit = () => setCamera('orbit');
eye.onmove = () => bookmark.change();
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
id('camera').onchange = () => setCamera(id('camera').value);
id('depths').onchange = () => setDepths(id('depths').checked);
id('forces').onchange = () => setForces(id('forces').checked);
id('lidar').onchange = () => setLidar(id('lidar').checked);
id('dust').onchange = () => setDust(id('dust').checked);
id('path').onchange = () => setPath(id('path').value);
id('relief').onchange = () => setRelief(Number(id('relief').value));
id('slider').oninput = () => { dragged = true; id('time').textContent = `${Number(id('slider').value).toFixed(2)} s`; };
id('slider').onchange = () => {
  dragged = false;
  seek(Number(id('slider').value));
};
// The panel is resized by its edge or by the arrow keys there; the width is kept in this browser.
function setSide(width) {
  const kept = Math.round(Math.min(Math.max(width, 260), 0.6 * innerWidth));
  document.body.style.setProperty('--side', `${kept}px`);
  id('grip').setAttribute('aria-valuenow', String(kept));
  try { localStorage.setItem('side', String(kept)); } catch { /* a page without storage */ }
}
try { const kept = Number(localStorage.getItem('side')); if (kept > 0) setSide(kept); } catch { /* a page without storage */ }
const grip = id('grip');
grip.addEventListener('pointerdown', (event) => grip.setPointerCapture(event.pointerId));
grip.addEventListener('pointermove', (event) => { if (grip.hasPointerCapture(event.pointerId)) setSide(innerWidth - event.clientX - 4); });
grip.addEventListener('keydown', (event) => {
  const step = { ArrowLeft: 20, ArrowRight: -20 }[event.key];
  if (!step) return;
  event.stopPropagation();
  setSide(id('side').clientWidth + step);
});
id('panel').onclick = () => showPanel(!hasPanel());
id('more').onclick = () => {
  const open = document.body.classList.toggle('more');
  id('more').setAttribute('aria-expanded', String(open));
};
id('back').hidden = !/\/run\/\d+\/$/.test(location.pathname);

// Saves the view with its caption, and the color bar if depths are colored.
id('save').onclick = () => {
  renderer.render(stage, camera);
  const picture = document.createElement('canvas');
  [picture.width, picture.height] = [canvas.width, canvas.height];
  const brush = picture.getContext('2d'), unit = renderer.getPixelRatio();
  brush.drawImage(canvas, 0, 0);
  brush.font = `${13 * unit}px system-ui, sans-serif`;
  const left = 12 * unit, bottom = picture.height - 14 * unit;
  const write = (text, x, y) => {
    brush.lineWidth = 3 * unit;
    brush.strokeStyle = '#fffc';
    brush.strokeText(text, x, y);
    brush.fillStyle = '#1f2933';
    brush.fillText(text, x, y);
  };
  write(`${run.name}, ${frame.time.toFixed(2)} s`, left, bottom);
  if (id('depths').checked) {
    const [x, y, width, height] = [left, bottom - 52 * unit, 200 * unit, 10 * unit];
    for (let k = 0; k < width; k++) { brush.fillStyle = `rgb(${depthColor(k / width)})`; brush.fillRect(x + k, y, 1, height); }
    write('rut depth, cm', x, y - 6 * unit);
    const deepest = String(Math.round(1000 * ruts.uniforms.deepest.value) / 10);
    write('0', x, y + height + 14 * unit);
    write(deepest, x + width - brush.measureText(deepest).width, y + height + 14 * unit);
  }
  picture.toBlob((blob) => download(blob, `${run.name}-${frame.time.toFixed(2)}s.png`), 'image/png');
};

const film = new Film(canvas, (recording) => {
  id('film').textContent = recording ? 'Stop' : 'Video';
  id('film').setAttribute('aria-pressed', String(recording));
});
id('film').onclick = () => { if (run) note(film.toggle(run.name)); };

const RELIEFS = [1, 2, 5, 10];
const step = (seconds) => (shift) => { if (frame) seek(frame.time + seconds * (shift ? 10 : 1)); };
const turnTo = (offset) => () => choose((panel.chosen + offset + run.agents.length) % run.agents.length);
const keys = new Keys(id('keys'), {
  ' ': () => id('play').click(), '.': () => id('step').click(),
  ArrowLeft: step(-1), ArrowRight: step(1), Home: () => seek(0), End: () => seek(run.duration),
  1: () => setCamera('orbit'), 2: () => setCamera('follow'), 3: () => setCamera('driver'),
  n: turnTo(1), p: turnTo(-1), d: () => setDepths(!id('depths').checked),
  e: () => setRelief(RELIEFS[(RELIEFS.findIndex((factor) => factor >= Number(id('relief').value)) + 1) % RELIEFS.length]),
  t() { const names = ['', ...Object.keys(QUANTITIES)]; setPath(names[(names.indexOf(paths.quantity) + 1) % names.length]); },
  h: () => showPanel(!hasPanel()), s: () => id('save').click(), v: () => id('film').click(),
  f: () => setForces(!id('forces').checked), l: () => { if (!id('with_lidar').hidden) setLidar(!id('lidar').checked); },
  u() { if (!id('with_dust').hidden) setDust(!id('dust').checked); },
}, () => wheel && !wheel.stopped);
id('help').onclick = () => keys.help();

function resize() {
  const { clientWidth: width, clientHeight: height } = id('scene');
  if (width === 0 || height === 0) return;
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.setSize(width, height, false);
  camera.aspect = width / height;
  camera.userData.height = height;
  camera.updateProjectionMatrix();
  if (frame) renderer.render(stage, camera);
  stale = true; // names move, too
}
new ResizeObserver(resize).observe(id('scene'));
resize();

// Whether the last picture is still being drawn. Without a graphics card, pictures would otherwise queue for seconds.
let fence = null;
function isDrawing() {
  const gl = renderer.getContext();
  if (!fence) return false;
  // a lost context signals nothing
  if (!gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return true;
  gl.deleteSync(fence);
  fence = null;
  return false;
}

let before = performance.now(), drawn = '';
const isCurrent = () => !stale && !film.recording && String(camera.matrixWorld.elements) === drawn;
function draw(now) {
  requestAnimationFrame(draw);
  source.advance((now - before) / 1000);
  before = now;
  if (!frame) return;
  eye.update(vehicle(), (x, y) => terrain.at(x, y)?.height ?? null);
  if (isDrawing()) return;
  // a scene at rest is not drawn again
  camera.updateMatrixWorld();
  if (!isCurrent()) render();
  frames++;
  if (now - counted > 1000) {
    document.body.dataset.fps = ((1000 * frames) / (now - counted)).toFixed(1);
    frames = 0;
    counted = now;
  }
}
function render() {
  const changed = stale;
  stale = false;
  drawn = String(camera.matrixWorld.elements);
  vehicles.show(frame, next, share);
  dust.show(frame);
  forces.show(frame, next, share);
  showForceScale();
  ghost?.show(frame.time + (next ? share * (next.time - frame.time) : 0));
  traffic.show(frame);
  terrain.choose(camera);
  ruts.choose(camera, canvas.height, renderer.getPixelRatio());
  paths.show(frame.time, ruts.uniforms.pixels.value);
  const center = (eye.mode === 'driver' && vehicle()?.place) || eye.target;
  light.draw(renderer, stage, center, Math.min(Math.max(1.5 * eye.range, 15), 150), changed);
  renderer.render(stage, camera);
  const gl = renderer.getContext();
  if (fence) gl.deleteSync(fence);
  fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  labels.show(frame, camera, eye.mode === 'driver' ? panel.chosen : -1);
}
requestAnimationFrame(draw);

// State of the page, for tests.
globalThis.bekker = {
  get frame() { return frame; },
  get tiles() { return ruts ? ruts.slots.size : 0; },
  get chunks() { return terrain ? [...terrain.chunks.values()].filter((c) => c.mesh).length : 0; },
  get links() { return traffic ? traffic.pairs : []; },
  get lights() { return traffic ? traffic.colors : []; },
  get plots() { return panel?.plots; },
  get panel() { return panel; },
  get ruts() { return ruts; },
  get paths() { return paths; },
  get dust() { return dust; },
  get forces() { return forces; },
  get ghost() { return ghost; },
  get lidar() { return lidar; },
  film,
  get terrain() { return terrain; },
  get run() { return run; },
  source, eye, camera, renderer,
  get vehicles() { return vehicles; },
  // requests the squares of terrain in view; returns whether all of them have arrived
  settle() {
    eye.update(vehicle(), (x, y) => terrain.at(x, y)?.height ?? null);
    camera.updateMatrixWorld();
    terrain.choose(camera);
    return terrain.waiting === 0;
  },
  // whether the picture of the present scene is complete
  get complete() { return isCurrent() && !isDrawing(); },
  // draws at once; returns width, height, and the colors from the lower left, encoded in base64
  pixels() {
    stale = true;
    this.settle();
    render();
    const gl = renderer.getContext(), [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const data = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
    let text = '';
    for (let k = 0; k < data.length; k += 8192) text += String.fromCharCode(...data.subarray(k, k + 8192));
    return [width, height, btoa(text)];
  },
  get wheel() { return wheel; },
};
