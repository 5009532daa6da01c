// `npm start`: from a fresh clone to the running sandbox. The program runs in this very process, so that signals reach it.
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, requireNode, root } from './prepare.mjs'

requireNode()
await ensureInstalled()
await ensureBuilt()

stopWithNpm()
process.env.HOOKSWITCH_MODE ??= 'sandbox'
process.argv = [process.argv[0], join(root, 'dist', 'main.js'), 'start', ...process.argv.slice(2)]
await import('../dist/main.js')

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
