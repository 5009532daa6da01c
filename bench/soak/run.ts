// `npm run soak`: mixed load on one installation for hours, with faults. Fails when memory, descriptors, disk or delays
// grow, or when anything was lost.
import { print } from '../kit.ts'
import { planOf } from './plan.ts'
import { openSoak } from './soak.ts'

const plan = planOf(process.argv.slice(2))
const stopping = new AbortController()
let isRunning = false

// The listeners of the benchmarks end the process at once; here the first Ctrl-C ends the load and removes everything.
process.removeAllListeners('SIGINT')
process.removeAllListeners('SIGTERM')
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (!isRunning || stopping.signal.aborted) process.exit(130)
    console.log('stopping: the processes are ended and the data is removed; once more to stop at once')
    stopping.abort()
  })
}

const soak = await openSoak(plan)
isRunning = true
const problems = await soak.run(stopping.signal).finally(() => soak.close())
print('')
if (stopping.signal.aborted) console.log('STOPPED before the end: the figures above are of a shorter run')
console.log(problems.length === 0 ? 'PASS: nothing grows, nothing was lost' : 'FAIL:')
for (const problem of problems) console.log(`  - ${problem}`)
process.exit(stopping.signal.aborted ? 130 : problems.length === 0 ? 0 : 1)
