// Records the view as a video, encoded by the browser.

const RATE = 30; // frames per second
const BITS = 8e6; // per second
const SLICE = 500; // ms between deliveries of the encoder
const TYPES = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'];

// Offers content as a file with a name.
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: address, download: name.replace(/[^\w.-]+/g, '_') }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export class Film {
  // `changed(recording)` is called when recording begins or ends.
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    this.recorder = null;
    this.bytes = 0; // recorded so far
  }
  get recording() { return this.recorder !== null; }

  // Begins a video, or ends it and offers it as a file `name` plus the extension of its type.
  // Returns a message if the browser cannot record.
  toggle(name) {
    if (this.recorder) { this.recorder.stop(); return ''; }
    const type = TYPES.find((own) => globalThis.MediaRecorder?.isTypeSupported(own));
    if (!type || !this.canvas.captureStream) return 'this browser cannot record videos';
    const parts = [];
    this.bytes = 0;
    this.recorder = new MediaRecorder(this.canvas.captureStream(RATE), { mimeType: type, videoBitsPerSecond: BITS });
    this.recorder.ondataavailable = ({ data }) => { parts.push(data); this.bytes += data.size; };
    this.recorder.onstop = () => {
      this.recorder = null;
      this.changed(false);
      this.last = new Blob(parts, { type });
      download(this.last, `${name}.${type.includes('webm') ? 'webm' : 'mp4'}`);
    };
    this.recorder.start(SLICE);
    this.changed(true);
    return '';
  }
}
