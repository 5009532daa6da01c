import { symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundle, programs } from '../../scripts/bundle.ts'
import { chromiumPath } from './browser-path.ts'
import { hasPostgres } from './postgres.ts'
import { startOnDemand } from './postgres-on-demand.ts'
import { canSpeak } from './spoken.ts'
import { makeRunFolder } from './templates.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Socket that starts the temporary server of this run; null where PostgreSQL is missing. */
    postgres: string | null
    /** Folder of all files written by this run. */
    runFolder: string
    /** Folder of the built programs: the server, voice node, line node, speech node, password worker. */
    programs: string
    /** Path of Chromium; null where it is missing. */
    chromium: string | null
  }
}

const notice = `
******************************************************************************
*  PostgreSQL is not installed: every test of PostgreSQL will be SKIPPED.    *
*  To run them, install the server; the tests start one of their own:        *
*    Debian, Ubuntu   apt-get install postgresql                             *
*    macOS            brew install postgresql@17 (initdb must be on PATH)    *
******************************************************************************
`

const noBrowser = `
******************************************************************************
*  Chromium is not installed: every test in a browser will be SKIPPED.       *
*  To run them:   Debian, Ubuntu   apt-get install chromium                  *
******************************************************************************
`

const noSpeech = `
******************************************************************************
*  Models, flite, espeak-ng or sox are missing: every test that understands  *
*  real speech will be SKIPPED. To run them:                                 *
*    Debian, Ubuntu   apt-get install flite espeak-ng sox                    *
*    models           npm test fetches them where npm can, or                *
*                     AI_MODELS_DIR=~/.cache/hookswitch/models               *
*                       npx hookswitch models fetch en                       *
******************************************************************************
`

/** One PostgreSQL server for the whole run, started by the first test that needs it; the returned function stops it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const run = await makeRunFolder()
  const postgres = (await hasPostgres()) ? await startOnDemand(join(run.folder, 'postgres.sock')) : undefined
  if (!postgres) process.stderr.write(`${notice}\n`)
  project.provide('postgres', postgres?.socket ?? null)
  project.provide('runFolder', run.folder)
  project.provide('programs', await buildPrograms(run.folder))
  const chromium = chromiumPath()
  if (!chromium) process.stderr.write(`${noBrowser}\n`)
  if (!canSpeak) process.stderr.write(`${noSpeech}\n`)
  project.provide('chromium', chromium)
  return async () => {
    await postgres?.stop()
    await run.remove()
  }
}

/** As in dist/: packages with binaries are not part of the build, and it finds them above. */
async function buildPrograms(runFolder: string): Promise<string> {
  const folder = join(runFolder, 'programs')
  await bundle({ main: 'src/main.ts', ...programs }, folder)
  await symlink(resolve('src/drivers/prompts'), join(folder, 'prompts'))
  for (const name of ['node_modules', 'package.json']) await symlink(resolve(name), join(runFolder, name))
  return folder
}
