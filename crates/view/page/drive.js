// Drives a vehicle of a live run by keyboard or gamepad, over the link (docs/link.md).

const RATE = 50; // ms between commands
const FULL = 1.2; // s from straight ahead to full lock with keys
const BACK = 0.5; // s from full lock to straight ahead

export class Wheel {
  constructor(vehicle, note) {
    this.vehicle = vehicle;
    this.note = note;
    this.keys = new Set();
    this.steering = 0;
    this.reverse = false;
    this.delay = null;
    const address = new URL('link', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    this.socket = new WebSocket(address);
    this.socket.onopen = () => this.say({
      type: 'hello', protocol: 1, token: new URLSearchParams(location.search).get('token') || '',
      role: 'driver', name: 'browser', vehicles: [vehicle], mode: 'realtime', every: 2,
    });
    this.socket.onmessage = (event) => this.take(JSON.parse(event.data));
    this.socket.onclose = () => this.stop();
    this.down = (event) => this.press(event, true);
    this.up = (event) => this.press(event, false);
    addEventListener('keydown', this.down);
    addEventListener('keyup', this.up);
    this.timer = setInterval(() => this.act(), RATE);
    this.last = performance.now();
  }
  say(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
  take(message) {
    if (message.type === 'fault') this.note(message.text);
    if (message.type === 'end') this.note('the run has ended');
    if (message.type === 'beat' && typeof message.echo === 'number') {
      const delay = performance.now() - message.echo;
      this.delay = this.delay === null ? delay : 0.9 * this.delay + 0.1 * delay;
    }
  }
  press(event, held) {
    const key = { ArrowUp: 'w', ArrowDown: 's', ArrowLeft: 'a', ArrowRight: 'd' }[event.key] || event.key.toLowerCase();
    if (!'wasdr'.includes(key) || key.length !== 1) return;
    event.preventDefault();
    if (held && key === 'r' && !event.repeat) this.reverse = !this.reverse;
    if (held) this.keys.add(key); else this.keys.delete(key);
  }
  act() {
    const now = performance.now(), passed = (now - this.last) / 1000;
    this.last = now;
    const pad = [...(navigator.getGamepads?.() || [])].find((own) => own?.connected);
    const has = (key) => Number(this.keys.has(key));
    const wanted = has('a') - has('d');
    const step = wanted === 0 ? passed / BACK : passed / FULL;
    const goal = wanted === 0 ? 0 : wanted;
    this.steering += Math.max(-step, Math.min(step, goal - this.steering));
    let [steering, throttle, brake] = [this.steering, 0.7 * has('w'), has('s')];
    if (pad && Math.max(Math.abs(pad.axes[0]), pad.buttons[6]?.value, pad.buttons[7]?.value) > 0.05) {
      [steering, throttle, brake] = [-pad.axes[0], pad.buttons[7]?.value || 0, pad.buttons[6]?.value || 0];
    }
    const gear = this.reverse ? 'reverse' : 'drive';
    this.say({ type: 'act', echo: now, controls: [{ vehicle: this.vehicle, steering, throttle, brake, gear }] });
    const delay = this.delay === null ? '' : `, delay ${this.delay.toFixed(0)} ms`;
    this.note(`${this.vehicle}: W A S D or arrows, R for ${this.reverse ? 'forward' : 'reverse'}${pad ? ', gamepad' : ''}${delay}`);
  }
  stop() {
    clearInterval(this.timer);
    removeEventListener('keydown', this.down);
    removeEventListener('keyup', this.up);
    if (this.socket.readyState <= WebSocket.OPEN) this.socket.close();
    this.stopped = true;
  }
}
