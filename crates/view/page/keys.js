// Keys of the page, and the help that lists them.

const GROUPS = [
  ['Time', [
    ['space', 'play or pause'], ['.', 'advance one heartbeat'], ['← →', 'back or forward by 1 s, with shift by 10 s'],
    ['Home End', 'begin or end of the run'],
  ]],
  ['View', [
    ['1 2 3', 'camera: orbit, follow, driver’s seat'], ['N P', 'next or previous vehicle'], ['D', 'rut depth in color'],
    ['T', 'color the driven paths: speed, slip, sinkage'], ['F', 'forces of the ground on the wheels'], ['L', 'last scans of the lidars'], ['U', 'dust and snow behind vehicles'],
    ['E', 'exaggerate the depth of ruts: 1, 2, 5, 10 times'], ['H', 'hide or show the panel'], ['S', 'save the picture as PNG'],
    ['V', 'begin or end a video (WebM)'],
    ['?', 'this help'],
  ]],
  ['Mouse', [
    ['drag', 'rotate'], ['wheel', 'zoom'], ['right drag', 'move'], ['click', 'follow a vehicle; soil and rut depth of the ground; time of a plot'],
  ]],
  ['Driving', [['W A S D, arrows', 'throttle, brake and steering of a vehicle after Drive'], ['R', 'reverse']]],
];

// `actions` maps keys to functions, which take whether shift is held. Keys of vehicles go to them while
// `driving()` is true.
export class Keys {
  constructor(dialog, actions, driving) {
    this.dialog = dialog;
    const table = document.createElement('table');
    for (const [title, keys] of GROUPS) {
      const head = table.insertRow();
      const cell = Object.assign(document.createElement('th'), { colSpan: 2, scope: 'colgroup', textContent: title });
      head.append(cell);
      for (const [key, effect] of keys) {
        const row = table.insertRow();
        const name = document.createElement('kbd');
        name.textContent = key;
        row.insertCell().append(name);
        row.insertCell().textContent = effect;
      }
    }
    dialog.querySelector('.content').append(table);
    dialog.querySelector('button').onclick = () => dialog.close();
    dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
    addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || dialog.open) return;
      const { key, target } = event;
      if (target.matches?.('select, textarea, input:not([type=checkbox]):not([type=range])')) return;
      // these keys already have an effect on a focused control
      const native = key === ' ' ? 'button, summary, a, input[type=checkbox]' : /^(Arrow|Home|End)/.test(key) ? 'input[type=range]' : null;
      if (native && target.matches?.(native)) return;
      if (driving() && /^([wasdr]|Arrow.*)$/i.test(key)) return;
      const action = key === '?' ? () => this.help() : actions[key.length === 1 ? key.toLowerCase() : key];
      if (!action) return;
      event.preventDefault();
      action(event.shiftKey);
    });
  }
  help() {
    if (this.dialog.open) return;
    this.dialog.showModal();
    this.dialog.scrollTop = 0; // the focused button is at the end
  }
}
