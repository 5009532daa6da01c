import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

// Kysely and TypeBox are more than a thousand small files, which take longer to open than to run: they are bundled with
// our code. Everything else is loaded from node_modules as it is.
const bundled = ['kysely', 'typebox']

const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'))

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: Object.keys(dependencies).filter((name) => !bundled.includes(name)),
  logLevel: 'warning',
})
