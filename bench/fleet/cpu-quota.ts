import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

// A share of a core for a group of processes, by a control group of Linux: the only way to load two line nodes to their
// limit on a machine with two cores, where callers and engine need cores, too.

export interface CpuQuota {
  /** Limits these processes, all of their threads together. */
  limit(pids: readonly number[]): void
  /** The processes must have ended. */
  remove(): void
}

const root = '/sys/fs/cgroup'
/** Several packets long: audio comes in bursts of 20 ms, and a burst alone must not use up the share. */
const periodMicroseconds = 100_000

export function cpuQuotaIsMissing(): string | null {
  if (process.getuid?.() !== 0) return 'only root can limit the CPU of processes'
  return versionOne() || versionTwo() ? null : 'there is no control group for CPU'
}

/** `share` is of one core. */
export function cpuQuota(name: string, share: number): CpuQuota {
  const folder = path.join(versionOne() ? path.join(root, 'cpu') : root, `hookswitch-bench-${process.pid}-${name}`)
  const quota = Math.round(share * periodMicroseconds)
  mkdirSync(folder)
  const write = (file: string, value: string) => writeFileSync(path.join(folder, file), value)
  if (versionOne()) {
    write('cpu.cfs_period_us', String(periodMicroseconds))
    write('cpu.cfs_quota_us', String(quota))
    // Other programs must not take what the quota allows.
    write('cpu.shares', '262144')
  } else {
    write('cpu.max', `${quota} ${periodMicroseconds}`)
    write('cpu.weight', '10000')
  }
  return {
    limit(pids) {
      for (const pid of pids) write('cgroup.procs', String(pid))
    },
    remove() {
      rmdirSync(folder)
    },
  }
}

const versionOne = () =>
  existsSync(path.join(root, 'cpu', 'cpu.cfs_quota_us')) || existsSync(path.join(root, 'cpu', 'tasks'))

function versionTwo(): boolean {
  const controllers = path.join(root, 'cgroup.subtree_control')
  if (!existsSync(controllers)) return false
  try {
    writeFileSync(controllers, '+cpu')
    return readFileSync(controllers, 'utf8').split(/\s+/).includes('cpu')
  } catch {
    return false
  }
}
