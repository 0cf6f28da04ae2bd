// Draws dust and thrown snow behind vehicles: round Gaussian clouds that absorb and scatter light.

import * as three from 'three';

const WIDTH = 3; // half the side of a square, in standard deviations
const FLOATS = 8; // of a puff in a message: center, standard deviation, extinction, albedo

const VERTEX = `
  attribute vec4 puff;
  attribute vec4 matter;
  varying vec2 vAside;
  varying float vDepth, vUp;
  varying vec3 vAlbedo;
  void main() {
    vAside = position.xy;
    vDepth = matter.x * puff.w * sqrt(2.0 * 3.14159265);
    vAlbedo = matter.yzw;
    vec4 seen = viewMatrix * vec4(puff.xyz, 1.0);
    vec2 offset = position.xy * puff.w;
    seen.xy += offset;
    // height above the center in standard deviations: the axes of the view are rows of its matrix
    vUp = dot(offset, vec2(viewMatrix[2][0], viewMatrix[2][1])) / puff.w;
    gl_Position = projectionMatrix * seen;
  }`;
const FRAGMENT = `
  uniform vec3 sun, ambient;
  varying vec2 vAside;
  varying float vDepth, vUp;
  varying vec3 vAlbedo;
  void main() {
    // the ground is nearly a standard deviation below the center: fade there, without an edge
    float depth = vDepth * exp(-0.5 * dot(vAside, vAside)) * smoothstep(-0.95, -0.6, vUp);
    vec3 color = 1.25 * vAlbedo * (ambient + 0.5 * sun);
    gl_FragColor = vec4(pow(clamp(color, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0 - exp(-depth));
  }`;

export class Dust {
  constructor(group, { uniforms: { sun, ambient } }) {
    this.geometry = new three.InstancedBufferGeometry();
    const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0].map((x) => WIDTH * x);
    this.geometry.setAttribute('position', new three.Float32BufferAttribute(corners, 3));
    this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const material = new three.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { sun, ambient }, transparent: true, depthWrite: false,
    });
    this.mesh = new three.Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
    this.shown = true;
    this.frame = null;
    group.add(this.mesh);
  }

  show(frame) {
    const count = frame.dust.length / FLOATS;
    this.mesh.visible = this.shown && count > 0;
    if (!this.mesh.visible || frame === this.frame) return;
    this.frame = frame;
    const both = new three.InstancedInterleavedBuffer(frame.dust, FLOATS);
    this.geometry.setAttribute('puff', new three.InterleavedBufferAttribute(both, 4, 0));
    this.geometry.setAttribute('matter', new three.InterleavedBufferAttribute(both, 4, 4));
    this.geometry.instanceCount = count;
  }
}
