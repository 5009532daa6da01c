// `npm start`: from a fresh clone to the running sandbox. The program runs in this very process, so that signals reach it.
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, requireNode, root } from './prepare.mjs'

requireNode()
await ensureInstalled()
await ensureBuilt()

process.env.HOOKSWITCH_MODE ??= 'sandbox'
process.argv = [process.argv[0], join(root, 'dist', 'main.js'), 'start', ...process.argv.slice(2)]
await import('../dist/main.js')
