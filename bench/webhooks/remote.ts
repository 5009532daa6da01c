// The programs of `npm run bench -- webhooks`. Each sender, receiver and comparison subject runs in a process
// of its own and is controlled from here; the product imports nothing of this folder.
import { type ChildProcess, fork } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { root, temporaryFolder } from '../servers.ts'
import type { Actions, Reply } from './serve.ts'

export interface Remote<A extends Actions> {
  ask<K extends keyof A & string>(name: K, ...input: Parameters<A[K]>): Promise<Awaited<ReturnType<A[K]>>>
  stop(): Promise<void>
}

const programs = ['product', 'receiver', 'bad-receivers', 'unresponsive-receiver', 'raw', 'peers'] as const
export type Program = (typeof programs)[number]

/** Compiled as the product is: tsx would wrap every function and be measured with it. */
export async function buildPrograms(): Promise<string> {
  const folder = temporaryFolder()
  for (const name of ['node_modules', 'package.json', 'docs'])
    symlinkSync(path.join(root, name), path.join(folder, name))
  await build({
    entryPoints: programs.map((name) => path.join(import.meta.dirname, `${name}.ts`)),
    outdir: path.join(folder, 'dist'),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  })
  return folder
}

export function launch<A extends Actions>(folder: string, program: Program, flags: string[] = []): Remote<A> {
  return start(program, path.join(folder, 'dist', `${program}.js`), flags)
}

/** A program in TypeScript: for one whose cost is not measured. */
export const launchSource = <A extends Actions>(file: string): Remote<A> =>
  start(path.basename(file), file, ['--import', 'tsx'])

function start<A extends Actions>(name: string, file: string, flags: string[]): Remote<A> {
  const child = fork(file, {
    execArgv: flags,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  let asked = 0
  child.on('message', (reply: Reply) => {
    const asker = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('error' in reply) asker?.reject(new Error(`${name}: ${reply.error}`))
    else asker?.resolve(reply.result as never)
  })
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended with exit code ${code}`))
  })
  child.on('error', () => {})
  return {
    ask: (action, ...input) =>
      new Promise((resolve, reject) => {
        const id = ++asked
        waiting.set(id, { resolve, reject })
        child.send({ id, name: action, input: input[0] }, (error) => error && reject(error))
      }),
    stop: () => ended(child),
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  if (child.connected) child.disconnect()
  // A receiver that never accepts does not react to this either.
  const killing = setTimeout(() => child.kill('SIGKILL'), 3_000)
  await exit
  clearTimeout(killing)
}
