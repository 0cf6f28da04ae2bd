#!/usr/bin/env node
// Takes pictures of every page of the viewer, at 1280 x 800 and 390 x 844, dark and light, to be looked at.
// Fails if a page writes an error to its console, or if axe-core finds something critical or serious.
//
//   node scripts/viewer_pictures.cjs [--only WORD] [--resume] [FOLDER]    (default: target/viewer_pictures)
//
// Needs a built bekker (BEKKER, default target/release/bekker or target/debug/bekker), chromium, and the npm
// packages ws and axe-core in BEKKER_NODE_MODULES (default target/node/node_modules):
//
//   npm install --prefix target/node --no-save ws@8.23.0 axe-core@4.14.1
//
// `--only WORD` takes pages whose name contains the word. `--resume` leaves out pages that passed after the program
// was built, so that an interrupted call continues. Runs in FOLDER/runs are made once and kept.

const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const root = path.join(__dirname, '..');
const modules = path.resolve(process.env.BEKKER_NODE_MODULES ?? path.join(root, 'target/node/node_modules'));
const WebSocket = require(path.join(modules, 'ws'));
const axe = fs.readFileSync(path.join(modules, 'axe-core/axe.min.js'), 'utf8');
const bekker = process.env.BEKKER
  ?? ['release', 'debug'].map((kind) => path.join(root, 'target', kind, 'bekker')).find((own) => fs.existsSync(own));

const SIZES = [[1280, 800], [390, 844]];
const THEMES = ['light', 'dark'];
const PATIENCE = Number(process.env.PATIENCE ?? 120); // s

// Runs: name, scenario, changes
const RUNS = [
  ['convoy', 'convoy_mud', ['time.duration=8']],
  ['convoy_fast', 'convoy_mud', ['time.duration=8', 'vehicle[0].driver.speed=6']],
  ['sensors', 'sensors_snow', ['time.duration=3']],
  ['tracks', 'tracked_mud', ['time.duration=3']],
];
// A small study
const STUDY = `format = 1
scenario = ${JSON.stringify(path.join(root, 'examples/sand_slope.toml'))}
design = "full_factorial"
replications = 3
seed = 1
common_random_numbers = true
responses = ["go", "mean_slip", "max_sinkage", "drive_energy"]

[question]
response = "go"
factor = "inflation"

[[factor]]
name = "grade"
key = "terrain.surface.grade"
values = [0.25, 0.32]

[[factor]]
name = "inflation"
key = "vehicle[0].inflation_kpa"
values = [55, 138, 276]
`;
// Pages: name, path, condition, script before the picture
const orbit = (range, elevation) => `{ const camera = document.getElementById('camera'); camera.value = 'orbit';
  camera.dispatchEvent(new Event('change')); bekker.eye.range = ${range}; bekker.eye.elevation = ${elevation}; }`;
// camera pictures are shown while the run plays
const CAMERA_PICTURE = `document.querySelector('#pictures img') !== null
  || (document.getElementById('play').textContent === '▶' && ['seek', 'play'].forEach((kind) => bekker.source.ask({ kind, time: 0 })), false)`;
const at = (number, rest) => `/run/${number}/?keep#${rest}`;
// Runs are numbered by their names: 0 convoy, 1 convoy_fast, 2 sensors, 3 tracks
const PAGES = [
  ['list', '/', "document.querySelector('.cards') !== null", ''],
  ['compare', '/compare?run=0&run=1', "document.querySelector('table') !== null", ''],
  ['study', '/study/0', "document.querySelector('main') !== null", ''],
  ['follow', at(0, 't=7.5'), 'bekker.frame.time > 7.4', ''],
  ['depths', at(0, 't=7.5&show=panel,depths,table'), 'bekker.frame.time > 7.4', ''],
  ['plots', at(0, 't=4&show=panel,plots'), 'bekker.frame.time > 3.9', ''],
  ['mid', at(0, 't=7.5&show=depths'), 'bekker.frame.time > 7.4', orbit(60, 0.7)],
  ['path', at(0, 't=7.5&show=&path=sinkage'), 'bekker.frame.time > 7.4', orbit(40, 0.6)],
  ['far', at(0, 't=7.5&show=depths'), 'bekker.frame.time > 7.4', orbit(500, 0.8)],
  ['seat', at(0, 't=7.5&camera=driver&vehicle=second'), 'bekker.frame.time > 7.4', ''],
  ['tracks', at(3, 't=3&show=panel,table'), 'bekker.frame.time > 2.9', orbit(11, 0.5)],
  ['relief', at(3, 't=3&show=depths&relief=5'), 'bekker.frame.time > 2.9', orbit(14, 0.5)],
  ['forces', at(0, 't=3&show=forces'), 'bekker.frame.time > 2.9', orbit(11, 0.3)],
  ['shoe_forces', at(3, 't=3&show=forces'), 'bekker.frame.time > 2.9', orbit(11, 0.3)],
  ['ghost', '/run/0/?keep&ghost=1#t=7.5&show=', 'bekker.frame.time > 7.4 && bekker.ghost.vehicles.length > 0', orbit(35, 0.5)],
  ['cameras', at(2, 'vehicle=hmmwv&show=panel,pictures'), CAMERA_PICTURE, "bekker.source.ask({ kind: 'pause' })"],
  ['controls', at(0, 't=2'), 'bekker.frame.time > 1.9', "document.getElementById('more').click()"],
  ['keys', at(0, 't=2'), 'bekker.frame.time > 1.9', "document.getElementById('help').click()"],
];

const args = process.argv.slice(2);
const option = (name, count) => (args.includes(name) ? args.splice(args.indexOf(name), count) : []);
const only = option('--only', 2)[1] ?? '';
const isResumed = option('--resume', 1).length > 0;
const folder = path.resolve(args[0] ?? path.join(root, 'target/viewer_pictures'));
// Waits until what changed before is drawn.
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))';
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

class Browser {
  static async open() {
    const own = new Browser();
    own.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'viewer-'));
    const options = [
      '--headless=new', '--no-sandbox', '--no-first-run', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--remote-debugging-port=0', '--hide-scrollbars', `--user-data-dir=${own.profile}`, 'about:blank',
    ];
    own.program = spawn(process.env.CHROMIUM ?? 'chromium', options, { stdio: ['ignore', 'ignore', 'pipe'] });
    const host = await new Promise((done) => {
      let text = '';
      own.program.stderr.on('data', (data) => {
        text += data;
        const found = text.match(/ws:\/\/([^/]+)\//);
        if (found) done(found[1]);
      });
    });
    const list = await (await fetch(`http://${host}/json/list`)).json();
    own.socket = new WebSocket(list.find((target) => target.type === 'page').webSocketDebuggerUrl);
    await new Promise((done) => own.socket.on('open', done));
    own.number = 0;
    own.pending = new Map();
    own.errors = [];
    own.socket.on('message', (data) => own.take(JSON.parse(data)));
    for (const domain of ['Page', 'Runtime', 'Log']) await own.call(`${domain}.enable`);
    return own;
  }
  take({ id, result, error, method, params }) {
    if (id) {
      this.pending.get(id)(result ?? error);
      this.pending.delete(id);
    } else if (method === 'Runtime.exceptionThrown') {
      this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
      this.errors.push(params.args.map((own) => own.value ?? own.description).join(' '));
    } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
      this.errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
    }
  }
  call(method, params = {}) {
    const id = ++this.number;
    return new Promise((done) => {
      this.pending.set(id, done);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }
  async evaluate(expression) {
    return (await this.call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })).result?.value;
  }
  async wait(condition) {
    const end = Date.now() + 1000 * PATIENCE;
    while ((await this.evaluate(condition)) !== true) {
      if (Date.now() > end) throw new Error(`never true: ${condition}; ${this.errors}`);
      await pause(100);
    }
  }
  async emulate([width, height], theme) {
    await this.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });
    await this.call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
  }
  // Waits until the page has drawn with all squares of terrain in view.
  async settle(viewer) {
    if (viewer) await this.wait('bekker.settle() && bekker.complete');
    await this.evaluate(TWO_FRAMES);
  }
  async picture(file) {
    const { data } = await this.call('Page.captureScreenshot', { format: 'png' });
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }
  async violations() {
    if (!await this.evaluate('globalThis.axe !== undefined')) await this.evaluate(axe);
    return await this.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(({ impact }) => ['critical', 'serious'].includes(impact))
      .map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html.slice(0, 160)).join(' | ')))`) ?? ['axe did not run'];
  }
  close() {
    return new Promise((done) => {
      this.program.on('exit', () => {
        fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
        done();
      });
      this.program.kill();
    });
  }
}

// Makes the runs and a small study that are shown.
function makeRuns() {
  const runs = path.join(folder, 'runs');
  fs.mkdirSync(runs, { recursive: true });
  for (const [name, scenario, changes] of RUNS) {
    const out = path.join(runs, name);
    if (fs.existsSync(path.join(out, 'summary.json'))) continue;
    const sets = changes.flatMap((change) => ['--set', change]);
    execFileSync(bekker, ['run', path.join(root, 'examples', `${scenario}.toml`), '-q', '--force', ...sets, '--out', out], { stdio: 'ignore' });
  }
  const study = path.join(runs, 'study');
  if (!fs.existsSync(path.join(study, 'report.html'))) {
    const file = path.join(folder, 'study.toml');
    fs.writeFileSync(file, STUDY);
    for (const part of [['run', file, '-q', '--out', study], ['report', study, '--pictures', '0']]) {
      execFileSync(bekker, ['study', ...part], { stdio: 'ignore' });
    }
  }
  return runs;
}

async function main() {
  if (!bekker) throw new Error('no bekker found: cargo build --release, or set BEKKER');
  const runs = makeRuns();
  const server = spawn(bekker, ['view', runs, '--token', 'pictures'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((done, failed) => {
    server.stdout.once('data', (data) => done(String(data).trim()));
    server.once('exit', () => failed(new Error('bekker view ended')));
  });
  const base = address.split('/?')[0];
  const browser = await Browser.open();
  const faults = [];
  // neither program outlives an interrupted script
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => browser.close().then(() => { server.kill(); process.exit(130); }));
  }
  try {
    await browser.call('Page.navigate', { url: address });
    await browser.wait("document.querySelector('.cards') !== null");
    for (const [name, target, ready, script] of PAGES.filter(([own]) => own.includes(only))) {
      const viewer = target.startsWith('/run/');
      const passed = path.join(folder, `${name}.passed`), before = faults.length;
      if (isResumed && fs.existsSync(passed) && fs.statSync(passed).mtimeMs > fs.statSync(bekker).mtimeMs) continue;
      fs.rmSync(passed, { force: true });
      for (const size of SIZES) {
        await browser.emulate(size, THEMES[0]);
        // a page with the same path and another fragment would not load again
        await browser.call('Page.navigate', { url: 'about:blank' });
        await browser.call('Page.navigate', { url: base + target });
        if (viewer) {
          await browser.wait('globalThis.bekker?.frame != null && bekker.chunks > 0');
          await browser.evaluate(TWO_FRAMES);
          const seconds = (await browser.evaluate('performance.now()')) / 1000;
          console.log(`${name} ${size.join('x')}: first picture after ${seconds.toFixed(1)} s`);
        }
        await browser.wait(ready);
        if (script) {
          // the camera follows the vehicle before it is turned
          await browser.evaluate(TWO_FRAMES);
          await browser.evaluate(script);
        }
        for (const theme of THEMES) {
          await browser.emulate(size, theme);
          const start = Date.now();
          await browser.settle(viewer);
          const file = `${name}_${size.join('x')}_${theme}.png`;
          await browser.picture(path.join(folder, file));
          const drawn = Date.now();
          for (const fault of await browser.violations()) faults.push(`${file}: ${fault}`);
          const [drawing, checking] = [drawn - start, Date.now() - drawn].map((own) => (own / 1000).toFixed(1));
          console.log(`${file}: ${drawing} s, axe ${checking} s`);
        }
      }
      for (const error of browser.errors.splice(0)) faults.push(`${name}: ${error}`);
      if (faults.length === before) fs.writeFileSync(passed, '');
    }
  } finally {
    await browser.close();
    server.kill();
  }
  faults.forEach((fault) => console.error(fault));
  console.log(`pictures in ${folder}`);
  return faults.length === 0 ? 0 : 1;
}

main().then((code) => { process.exitCode = code; }, (error) => { console.error(error); process.exitCode = 1; });
