// State of the page in its address, as `#t=12.5&vehicle=lead&camera=follow&show=panel,depths&relief=2`.
// `t` is the time of a paused run, s. The camera is `follow`, `driver` or
// `orbit:AZIMUTH,ELEVATION,RANGE,X,Y,Z` with angles in rad and a target in m. `show` lists what is shown.

const WAIT = 300; // ms without a change before the address changes

export class Bookmark {
  // `state()` returns the values by their names; absent ones are not written.
  constructor(state) {
    this.state = state;
  }
  read() {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  }
  // Writes the state soon.
  change() {
    clearTimeout(this.later);
    this.later = setTimeout(() => this.write(), WAIT);
  }
  write() {
    const entries = Object.entries(this.state()).filter(([, value]) => value !== null && value !== undefined);
    // commas and colons are readable and allowed in a fragment
    const text = entries.map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%2C/g, ',').replace(/%3A/g, ':')}`).join('&');
    if (location.hash.slice(1) !== text) history.replaceState(null, '', `#${text}`);
  }
}
