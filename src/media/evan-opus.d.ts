// The native and the WebAssembly build of the package.

declare module '@evan/opus/wasm/index.mjs' {
  export class Decoder {
    constructor(options: { channels: 1 | 2; sample_rate: number })
    decode(packet: Uint8Array): Uint8Array
    drop(): void
  }
}
