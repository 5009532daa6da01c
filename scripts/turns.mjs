// Turns between processes. A turn is a folder of files named after the process ids that hold it. Files of ended holders are
// removed by name, and the folder only when it is empty, so that no process can remove the turn of a running one.
import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const heartbeatMs = 2000
const deadAfterMs = 30_000

/** Does the work while no other process does its own under the same turn. A signal ends this process and the turn. */
export async function takingTurns(turn, work) {
  await takeTurn(turn)
  const heartbeat = setInterval(() => showLife(turn), heartbeatMs)
  const giveBack = () => leave(turn, process.pid)
  const stop = (signal) => process.exit(128 + constants.signals[signal])
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  process.once('exit', giveBack)
  for (const signal of signals) process.once(signal, stop)
  try {
    await work()
  } finally {
    clearInterval(heartbeat)
    for (const signal of signals) process.off(signal, stop)
    process.off('exit', giveBack)
    giveBack()
  }
}

/** The turn that we have lasts until this process has ended as well, or until the returned function is called. */
export function letShareTurn(turn, pid) {
  const file = join(turn, String(pid))
  writeFileSync(file, '')
  return () => rmSync(file, { force: true })
}

async function takeTurn(turn) {
  for (let hasSaidSo = false; !tryToTake(turn); ) {
    if (clearIfDead(turn)) continue
    if (!hasSaidSo) process.stderr.write('Waiting for another process that is installing or building here …\n')
    hasSaidSo = true
    await sleep(50 + Math.random() * 100)
  }
}

function tryToTake(turn) {
  try {
    mkdirSync(turn)
    writeFileSync(join(turn, String(process.pid)), '')
  } catch (error) {
    // ENOENT: another process took the empty folder for an abandoned one between the two steps.
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false
    throw error
  }
  // And between the same two steps a third one may have made it again.
  if (holders(turn).length === 1) return true
  leave(turn, process.pid)
  return false
}

function leave(turn, pid) {
  rmSync(join(turn, String(pid)), { force: true })
  removeIfEmpty(turn)
}

function showLife(turn) {
  const now = new Date()
  for (const pid of holders(turn)) utimesSync(join(turn, pid), now, now)
}

/** Whether another try makes sense at once, because the holders are gone. */
function clearIfDead(turn) {
  const pids = holders(turn)
  // The heartbeat detects a process id that was reused meanwhile.
  if (pids.some((pid) => isRunning(Number(pid)) && silentMs(join(turn, pid)) < deadAfterMs)) return false
  // Empty: the holder is about to write its file, or was killed just before.
  if (pids.length === 0 && silentMs(turn) < heartbeatMs) return false
  for (const pid of pids) rmSync(join(turn, pid), { force: true })
  removeIfEmpty(turn)
  return true
}

function holders(turn) {
  try {
    return readdirSync(turn)
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

function silentMs(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? Date.now() - stat.mtimeMs : Number.POSITIVE_INFINITY
}

function removeIfEmpty(folder) {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
  }
}

function isRunning(pid) {
  // Not us: in a restarted container the previous holder often had the same id.
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
