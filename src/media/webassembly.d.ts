// What we use of WebAssembly, which Node has and its types leave to those of browsers.

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
