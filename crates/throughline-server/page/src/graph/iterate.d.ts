declare module 'graphology-layout-forceatlas2/iterate.js' {
  /** One step of ForceAtlas2 on flat matrices; moves the nodes in place. */
  export default function iterate(settings: Record<string, number | boolean>, nodes: Float32Array, edges: Float32Array): unknown;
}
