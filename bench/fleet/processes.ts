import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { cpuSeconds } from '../servers.ts'

/** A line node and its media program. */
export interface NodeProcesses {
  lineNode: number
  media: number[]
}

/** The line nodes of an installation, by the data folder in their options. */
export function lineNodesOf(dataDir: string): NodeProcesses[] {
  const stdout = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 1e8 })
  const all = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }]
  })
  const nodes = all.filter(({ args }) => /line-node(\.js|\/main\.ts)/.test(args) && args.includes(dataDir))
  return nodes.map(({ pid }) => ({
    lineNode: pid,
    media: all.filter(({ parent }) => parent === pid).map((child) => child.pid),
  }))
}

export const pidsOf = ({ lineNode, media }: NodeProcesses): number[] => [lineNode, ...media]

/** Time on a core, all processes together. */
export async function cpuSecondsOf(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map((pid) => cpuSeconds({ pid })))
  return each.reduce((sum, one) => sum + one, 0)
}

/** Resident memory in MB, all processes together. */
export async function memoryOf(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(async (pid) => residentKb(await readFile(`/proc/${pid}/status`, 'utf8'))))
  return each.reduce((sum, one) => sum + one, 0) / 1_024
}

const residentKb = (status: string) => Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
