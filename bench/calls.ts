import { parseArgs } from 'node:util'
import { durableCommits } from './calls/durable-commits.ts'
import { longQueue } from './calls/long-queue.ts'
import { machineSteps } from './calls/machine-steps.ts'
import { type PageSizes, pageRows } from './calls/pages.ts'
import { throughput } from './calls/throughput.ts'
import { median, milliseconds, perSecond, print, quantile, type Row } from './kit.ts'
import { buildProgram } from './servers.ts'

interface Sizes {
  /** Of a hundred calls. */
  rounds: number
  queueSeconds: number
  pages: PageSizes
}

const full: Sizes = {
  rounds: 20,
  queueSeconds: 20,
  pages: { many: 1_000_000, few: 10_000, rounds: 7, searches: 500 },
}

const quick: Sizes = {
  rounds: 4,
  queueSeconds: 10,
  pages: { many: 100_000, few: 10_000, rounds: 3, searches: 200 },
}

const waiting = 2_000

export async function bench(): Promise<Row[]> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { quick: { type: 'boolean', default: false } } })
  const sizes = values.quick ? quick : full
  await buildProgram()
  return [
    await throughputRow(sizes.rounds),
    stepsRow(),
    ...(await queueRows(sizes.queueSeconds)),
    ...(await pageRows(sizes.pages)),
  ]
}

/** Beside what the disk allows to one who waits for every row: a batch of calls shares its commits. */
async function throughputRow(rounds: number): Promise<Row> {
  const commits = [durableCommits(300)]
  const { calls, events, seconds, cpuSeconds } = await throughput(rounds)
  commits.push(durableCommits(300), durableCommits(300))
  const rate = calls / seconds
  const allowed = median(commits)
  print(`${calls} calls, ${(events / calls).toFixed(1)} events each, in ${seconds.toFixed(1)} s`)
  return {
    row: 'simulated calls through engine, store and events, against durable commits of 3 kB',
    figure: `${perSecond(rate)} (${perSecond(calls / cpuSeconds)} of CPU)`,
    baseline: perSecond(allowed),
    ratio: rate / allowed,
    aim: { atLeast: 200, of: rate, onClock: true },
  }
}

function stepsRow(): Row {
  const steps = machineSteps(9, 20_000)
  print(`pure machine: ${perSecond(steps)}`)
  return { row: 'steps of the pure machine, in memory', figure: perSecond(steps) }
}

async function queueRows(seconds: number): Promise<Row[]> {
  const { waiting: places, servedPerSecond, timersLate, ringsLate } = await longQueue(waiting, seconds)
  const served = `${servedPerSecond.toFixed(1)} calls/s served`
  print(`${places.join(' to ')} waiting callers, ${served}`)
  const lateRow = (what: string, late: number[]): Row => ({
    row: `${waiting.toLocaleString('en')} callers wait, ${served}: ${what}, the latest of ${late.length}`,
    figure: `${milliseconds(Math.max(...late))} (p99 ${milliseconds(quantile(late, 0.99))})`,
    aim: { atMost: 200, of: Math.max(...late), onClock: true },
  })
  return [lateRow('a timer', timersLate), lateRow('the end of a ring, published', ringsLate)]
}
