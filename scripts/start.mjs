// `npm start`: from a fresh clone to the running sandbox. The program runs in this very process, so that signals reach it.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt, ensureInstalled, requireNode, root } from './prepare.mjs'

requireNode()
await ensureInstalled()
await ensureBuilt()

stopWithNpm()
process.env.HOOKSWITCH_MODE ??= 'sandbox'
const program = join(root, 'dist', 'main.js')
process.argv = [process.argv[0], program, 'start', ...process.argv.slice(2)]
await import(pathToFileURL(program).href)

/** npm signals its shell, and some shells do not forward the signal: an orphaned process stops as well. */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event !== 'start') return
  const { ppid } = process
  const watch = setInterval(() => {
    if (process.ppid === ppid) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}
