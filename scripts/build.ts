import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { build as buildWeb } from 'vite'
import { buildDocs } from './docs.ts'

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

rmSync('dist', { recursive: true, force: true })
await build({
  // The others run in processes and threads of their own: audio, speech, and the estimate of a new password.
  entryPoints: {
    main: 'src/main.ts',
    'voice-node': 'src/voice-node/main.ts',
    'line-node': 'src/line-node/main.ts',
    'speech-node': 'src/speech-node/main.ts',
    'password-worker': 'src/password-worker/main.ts',
  },
  outdir: 'dist',
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
})

cpSync('src/drivers/prompts', 'dist/prompts', { recursive: true })
buildDocs('dist/docs')

await buildWeb({ configFile: 'web/vite.config.ts', logLevel: 'warn' })

// The script that shows the phone app in pages of others: for a script tag, and to be imported.
for (const [entry, format, outfile] of [
  ['web/embed/global.ts', 'iife', 'dist/web/embed.js'],
  ['web/embed/embed.ts', 'esm', 'dist/web/embed.mjs'],
] as const) {
  const common = { bundle: true, minify: true, platform: 'browser', target: 'es2022', logLevel: 'warning' } as const
  await build({ ...common, entryPoints: [entry], format, outfile })
}

// Its types, from the same source: those of the module, and the global name that the script tag makes.
const compiler = 'node_modules/typescript/bin/tsc'
const options =
  '--ignoreConfig --declaration --emitDeclarationOnly --target es2022 --module esnext --lib es2022,dom --outDir'
execFileSync(process.execPath, [compiler, ...options.split(' '), 'dist/web', 'web/embed/embed.ts'], {
  stdio: 'inherit',
})
appendFileSync(
  'dist/web/embed.d.ts',
  '\ntype PhoneClass = typeof HookswitchPhone\ndeclare global {\n  var HookswitchPhone: PhoneClass\n}\n',
)
