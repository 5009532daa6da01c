// `npm pack`: a whole package also from a fresh clone. The notices name what was bundled, so they come after the build.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, requireNode, root } from './prepare.mjs'

requireNode()
await ensureInstalled()
await ensureBuilt()
const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }
execFileSync(process.execPath, [join('node_modules', 'tsx', 'dist', 'cli.mjs'), join('scripts', 'notices.ts')], options)
