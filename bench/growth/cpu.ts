import { readdirSync, readFileSync } from 'node:fs'

/** How long the main thread of a process has run, in ms: to the nanosecond, and the same on a busy machine. */
export function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

/** The same for all its threads. */
export function allThreadsMs(pid: number): number {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) sum += mainThreadMs(Number(thread))
  return sum
}

/** The same for a PostgreSQL server: all processes that its first one has started. */
export function serverMs(postmaster: number): number {
  let sum = 0
  for (const pid of childrenOf(postmaster)) {
    try {
      sum += mainThreadMs(pid)
    } catch {
      // It has ended since the list was made.
    }
  }
  return sum
}

function childrenOf(parent: number): number[] {
  const isChild = (name: string) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]) === parent
    } catch {
      // It has ended in the meantime.
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number)
}
