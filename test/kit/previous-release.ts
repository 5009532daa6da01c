import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { inject } from 'vitest'

const repository = path.resolve(import.meta.dirname, '../..')

/** The commit that stands for the previous release until there is a tag. */
const before = '0daeba281b926ed13c9ba06648db250c776be8f5'

const notice = `
******************************************************************************
*  Upgrades from the previous release are SKIPPED: its sources are not here. *
*  To run these tests, clone with history:   git fetch --unshallow --tags    *
******************************************************************************
`

/** A folder with the sources of the previous release; prints a notice where the history of the repository is missing. */
export function previousRelease(): string | undefined {
  const commit = lastTag() ?? before
  const folder = path.join(inject('runFolder'), `release-${commit}`)
  if (existsSync(folder)) return folder
  try {
    const archive = git('archive', commit, 'src', 'package.json', 'tsconfig.json')
    mkdirSync(folder)
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
  } catch {
    process.stderr.write(`${notice}\n`)
    return undefined
  }
  // Its dependencies are those of this release.
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

function lastTag(): string | undefined {
  try {
    return git('describe', '--tags', '--abbrev=0', 'HEAD^').toString().trim()
  } catch {
    return undefined
  }
}

const git = (...args: string[]) =>
  execFileSync('git', ['-C', repository, ...args], {
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
