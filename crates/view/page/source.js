// Sources of messages: a socket, or a recording embedded in the page. Both call `take` with each message
// and accept the same requests.

import { read } from 'view/messages';

export function open(take) {
  const recording = document.getElementById('recording');
  return recording ? new FileSource(recording, take) : new SocketSource(take);
}

export class SocketSource {
  // `path` is relative to the page.
  constructor(take, path = 'watch') {
    const address = new URL(path + location.search, location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    this.socket = new WebSocket(address);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = (event) => take(read(event.data));
    this.socket.onclose = () => take({ kind: 'closed' });
    this.bytes = 0;
  }
  ask(request) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }
  advance() {}
}

// Plays a recording: the frame of the present time, and the last state of each tile before it.
class FileSource {
  constructor(element, take) {
    this.take = take;
    this.frames = [];
    this.tiles = [];
    this.words = [];
    this.chunks = new Map();
    this.time = 0;
    this.rate = 1;
    this.playing = true;
    this.shown = -1; // index of the last tiles shown
    this.load(element.textContent).catch((error) => take({ kind: 'fault', text: String(error) }));
  }
  async load(text) {
    const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const buffer = await new Response(stream).arrayBuffer();
    const view = new DataView(buffer);
    const first = [];
    for (let at = 0; at < buffer.byteLength;) {
      const length = view.getUint32(at, true);
      const message = read(buffer.slice(at + 4, at + 4 + length));
      at += 4 + length;
      if (message.kind === 'frame') this.frames.push(message);
      else if (message.kind === 'tiles') this.tiles.push(message);
      else if (message.kind === 'chunk') this.chunks.set(`${message.level},${message.i},${message.j}`, message);
      else if (['outcome', 'felled', 'links', 'lights'].includes(message.kind)) {
        this.words.push({ time: this.frames.length ? this.frames.at(-1).time : 0, message });
      } else first.push(message);
    }
    first.forEach(this.take);
    if (!first.some((message) => message.kind === 'states')) this.take({ kind: 'states', series: this.histories() });
    this.time = this.frames.length ? this.frames[0].time : 0;
    this.end = this.frames.length ? this.frames.at(-1).time : 0;
    this.show(true);
    this.tell();
  }
  // Returns the histories of all vehicles as the frames hold them.
  histories() {
    const times = Float64Array.from(this.frames, (frame) => frame.time);
    return (this.frames[0]?.vehicles ?? []).map((_, vehicle) => {
      const column = (value) => Float64Array.from(this.frames, (frame) => value(frame.vehicles[vehicle]));
      const [xs, ys] = [0, 1].map((axis) => column((v) => v.place[axis]));
      return { vehicle, times, xs, ys, speeds: column((v) => v.speed), slips: column((v) => v.slip), sinkages: column((v) => v.sinkage) };
    });
  }
  tell() {
    this.take({ kind: 'status', playing: this.playing, rate: this.rate, ended: this.time >= this.end });
  }
  ask(request) {
    if (request.kind === 'chunk') {
      const chunk = this.chunks.get(`${request.level},${request.i},${request.j}`);
      this.take(chunk || { ...request, kind: 'absent' });
    } else if (request.kind === 'seek') {
      const back = request.time < this.time;
      this.time = Math.min(Math.max(request.time, 0), this.end);
      this.show(back);
    } else if (request.kind === 'play' || request.kind === 'pause') {
      this.playing = request.kind === 'play';
      if (this.playing && this.time >= this.end) { this.time = 0; this.show(true); }
      this.tell();
    } else if (request.kind === 'rate') {
      this.rate = request.value || 20;
    } else if (request.kind === 'step') {
      this.playing = false;
      const next = this.frames[this.index() + 1];
      if (next) { this.time = next.time; this.show(false); }
      this.tell();
    }
  }
  index() {
    let [low, high] = [0, this.frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].time <= this.time + 1e-9) low = middle; else high = middle - 1;
    }
    return low;
  }
  show(afresh) {
    if (this.frames.length === 0) return;
    const last = (list) => list.findLastIndex((entry) => entry.time <= this.time + 1e-9);
    const until = last(this.tiles);
    if (afresh || until < this.shown) {
      // only the last state of each tile is sent
      const tiles = new Map();
      for (const message of this.tiles.slice(0, until + 1)) {
        for (const tile of message.tiles) tiles.set(`${tile.a},${tile.b}`, tile);
      }
      this.take({ kind: 'tiles', afresh: true, time: this.time, tiles: [...tiles.values()] });
      this.words.filter((word) => word.time <= this.time).forEach((word) => this.take(word.message));
    } else {
      for (let k = this.shown + 1; k <= until; k++) this.take(this.tiles[k]);
      this.words.filter((word) => word.time <= this.time && word.time > this.worded).forEach((word) => this.take(word.message));
    }
    this.shown = until;
    this.worded = this.time;
    const at = this.index(), frame = this.frames[at], next = this.frames[at + 1];
    const share = next ? (this.time - frame.time) / (next.time - frame.time) : 0;
    this.take({ ...frame, next, share });
  }
  advance(seconds) {
    if (!this.playing || this.frames.length === 0) return;
    this.time = Math.min(this.time + Math.min(seconds, 0.25) * this.rate, this.end);
    this.show(false);
    if (this.time >= this.end) { this.playing = false; this.tell(); }
  }
}
