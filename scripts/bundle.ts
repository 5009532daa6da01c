import { type BuildOptions, build } from 'esbuild'

// Our dependencies are more than a thousand small files, which take longer to find and open than to run: they are
// bundled with our code, and a start takes two thirds of the time. Only packages with binaries stay outside, and those
// with parts under the LGPL (LAME, libmpg123, codec-parser): users can replace them with other builds. They are the
// `dependencies` of the package; what is bundled is a development dependency, so that it is not installed twice.
const outside = [
  'libsql',
  '@node-rs/argon2',
  'node-datachannel',
  '@evan/opus',
  '@wasm-audio-decoders/ogg-vorbis',
  'mpg123-decoder',
  'wasm-media-encoders',
]

/** Run in processes and threads of their own: audio, lines, speech, and the estimate of a new password. */
export const programs = {
  'voice-node': 'src/voice-node/main.ts',
  'line-node': 'src/line-node/main.ts',
  'speech-node': 'src/speech-node/main.ts',
  'password-worker': 'src/password-worker/main.ts',
  'document-worker': 'src/document-worker/main.ts',
}

/** Returns the modules that it bundled. */
export async function bundle(entryPoints: Record<string, string>, outdir: string): Promise<string[]> {
  const options = {
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
    // Comments and indentation are a third of the bytes. Names stay, and lines are short enough for stack traces.
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  } satisfies BuildOptions
  return Object.keys((await build(options)).metafile.inputs)
}
