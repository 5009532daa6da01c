import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

// Builds packages/n8n-nodes-hookswitch: n8n loads CommonJS files, one per node and credential, whose class has the name of the file.

const folder = fileURLToPath(new URL('../packages/n8n-nodes-hookswitch/', import.meta.url))

export async function buildN8nPackage(outdir: string): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: [
      'src/credentials/HookswitchApi.credentials.ts',
      'src/nodes/Hookswitch/Hookswitch.node.ts',
      'src/nodes/Hookswitch/hookswitch.svg',
      'src/nodes/HookswitchTrigger/HookswitchTrigger.node.ts',
      'src/nodes/HookswitchTrigger/hookswitch.svg',
    ],
    outbase: 'src',
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    loader: { '.svg': 'copy' },
  })
  writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildN8nPackage(join(folder, 'dist'))
