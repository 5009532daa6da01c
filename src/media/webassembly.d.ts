// The parts of WebAssembly that we use: Node implements it, but its types are in the browser library only.

declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  class Module {
    constructor(bytes: Uint8Array)
  }
  /** The exports are defined by the author of the file. */
  class Instance<Exports> {
    constructor(module: Module, imports: Record<string, Record<string, () => number>>)
    readonly exports: Exports
  }
}
