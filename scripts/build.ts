import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { build as buildWeb, type Rolldown } from 'vite'
import { bundle, programs } from './bundle.ts'
import { saveBundledPackages } from './bundled-packages.ts'
import { compressFirstLoad } from './compress.ts'
import { buildDocs } from './docs.ts'

rmSync('dist', { recursive: true, force: true })
const modules = await bundle({ main: 'src/main.ts', ...programs }, 'dist')

cpSync('src/drivers/prompts', 'dist/prompts', { recursive: true })
buildDocs('dist/docs')

modules.push(...modulesOf(await buildWeb({ configFile: 'web/vite.config.ts', logLevel: 'warn' })))
const compressed = compressFirstLoad('dist/web')

// Icons and manifest of the installed phone app.
cpSync('web/phone/install', 'dist/web/phone', { recursive: true })
cpSync('web/kit/ui/icon.svg', 'dist/web/phone/icon.svg')

// The service worker of the phone app, and the script that shows the phone app in pages of others: for a script tag, and to be imported.
for (const [entry, format, outfile] of [
  ['web/embed/global.ts', 'iife', 'dist/web/embed.js'],
  ['web/embed/embed.ts', 'esm', 'dist/web/embed.mjs'],
  ['web/phone/worker/main.ts', 'iife', 'dist/web/phone/service-worker.js'],
] as const) {
  const common = { bundle: true, minify: true, platform: 'browser', target: 'es2022', logLevel: 'warning' } as const
  const { metafile } = await build({ ...common, entryPoints: [entry], format, outfile, metafile: true })
  modules.push(...Object.keys(metafile.inputs))
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
await compressed
saveBundledPackages(modules)

function modulesOf(built: Awaited<ReturnType<typeof buildWeb>>): string[] {
  const outputs = [built].flat().filter((one): one is Rolldown.RolldownOutput => 'output' in one)
  return outputs.flatMap(({ output }) => output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : [])))
}
