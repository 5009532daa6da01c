import { rmSync } from 'node:fs'
import { build } from 'esbuild'

// Our dependencies are more than a thousand small files, which take longer to find and open than to run: they are
// bundled with our code, and a start takes two thirds of the time. Only the binary of the embedded store stays outside.
const native = ['libsql']

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: native,
  // Packages of the older kind ask for Node's own modules with require, which a module of the newer kind has not got.
  banner: { js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)" },
  logLevel: 'warning',
})
