import { type BuildOptions, build } from 'esbuild'

// Our dependencies are more than a thousand small files, which take longer to find and open than to run: they are
// bundled with our code, and a start takes two thirds of the time. Only packages with binaries stay outside,
// and the decoder of Vorbis, part of which is under the LGPL: users can replace it with another build.
const outside = [
  'libsql',
  '@node-rs/argon2',
  'node-datachannel',
  '@evan/opus',
  '@wasm-audio-decoders/ogg-vorbis',
  'werift',
]

/** Run in processes and threads of their own: audio, lines, speech, and the estimate of a new password. */
export const programs = {
  'voice-node': 'src/voice-node/main.ts',
  'line-node': 'src/line-node/main.ts',
  'speech-node': 'src/speech-node/main.ts',
  'password-worker': 'src/password-worker/main.ts',
}

export async function bundle(entryPoints: Record<string, string>, outdir: string): Promise<void> {
  const options: BuildOptions = {
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: outside,
    // Packages of the older kind ask for Node's own modules with require, which a module of the newer kind has not got.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)",
    },
    logLevel: 'warning',
  }
  await build(options)
}
