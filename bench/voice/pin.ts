import { spawnSync } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'

// One core for the media server, another for the talkers, so that they do not share time or caches.

export const pinCarrier = (carrier: { pid: number }): boolean => pin(carrier.pid, 0)
export const pinLoad = (load: { pid: number }): boolean => pin(load.pid, 1)

/** As our media program does for itself, where the system allows it; the threads a process makes later follow. */
export function prefer(pid: number): void {
  try {
    setPriority(pid, -10)
  } catch {
    // Not pinned.
  }
}

/** All threads of a process on one core; those it makes later follow. False where that cannot be had. */
function pin(pid: number, core: number): boolean {
  if (availableParallelism() < 2) return false
  return spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)]).status === 0
}
