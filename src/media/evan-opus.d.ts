// Its two builds, which it keeps beside the one that chooses between them.

declare module '@evan/opus/wasm/index.mjs' {
  export class Decoder {
    constructor(options: { channels: 1 | 2; sample_rate: number })
    decode(packet: Uint8Array): Uint8Array
    drop(): void
  }
}
