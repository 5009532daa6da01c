import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

// Programs of this package that run in a process or thread of their own. In a build they are next to this file; from
// source they need the same loader.

const here = import.meta.filename
let buildFolder = here.endsWith('.ts') ? undefined : path.dirname(here)

/** For tests, which build the programs once per run: from source, each start takes a second longer. */
export function useProgramsIn(folder: string): void {
  buildFolder = folder
}

export function programFile(program: string): { file: string; execArgv: string[] } {
  if (buildFolder !== undefined) return { file: path.join(buildFolder, `${program}.js`), execArgv: [] }
  const loader = pathToFileURL(createRequire(here).resolve('tsx')).href
  return { file: path.join(path.dirname(here), '..', program, 'main.ts'), execArgv: ['--import', loader] }
}

export function startProgramThread(program: string, options: WorkerOptions): Worker {
  const { file } = programFile(program)
  if (buildFolder !== undefined) return new Worker(file, { ...options, execArgv: [] })
  // tsx as an option of Node loads TypeScript in the main thread only.
  const loader = JSON.stringify(createRequire(here).resolve('tsx/cjs/api'))
  const load = `require(${loader}).register(); require(${JSON.stringify(file)})`
  return new Worker(load, { ...options, execArgv: [], eval: true })
}
