import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from './databases.ts'

// Programs of other versions than the one that runs the tests. They come from the npm registry when a test needs them, and are no dependencies.

const run = promisify(execFile)

/** Fixed, so that a failure means a change here. Both have packages for x64 and arm64. */
export const otherNodeVersions = ['22.23.3', '24.21.0'] as const

/** The program `node` of a version; undefined, with a notice, where it cannot be had. */
export async function nodeOfVersion(version: string): Promise<string | undefined> {
  const name = `node-${process.platform}-${process.arch}`
  const folder = await temporaryFolder()
  try {
    const flags = ['--prefix', folder, '--ignore-scripts', '--no-save', '--no-audit', '--no-fund']
    await run('npm', ['install', ...flags, `${name}@${version}`], { cwd: folder })
    const program = path.join(folder, 'node_modules', name, 'bin', 'node')
    const { stdout } = await run(program, ['--version'])
    if (stdout.trim() !== `v${version}`) throw new Error(`it is ${stdout.trim()}`)
    return program
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    process.stderr.write(`\nSKIPPED: Node.js ${version} (${name}) cannot be had from the npm registry: ${reason}\n\n`)
    return undefined
  }
}

/** The Python of Debian, also where another one comes first in PATH; undefined, with a notice, where it is missing. */
export function debianPython(): string | undefined {
  const program = '/usr/bin/python3'
  if (existsSync('/etc/debian_version') && existsSync(program)) return program
  process.stderr.write('\nSKIPPED: the Python of Debian is missing: /usr/bin/python3\n\n')
  return undefined
}
