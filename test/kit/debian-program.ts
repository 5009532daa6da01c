import { execFileSync } from 'node:child_process'

/** The path of a program that Debian packages; undefined, with a notice, where it is missing. */
export function debianProgram(name: string, debianPackage: string, what: string): string | undefined {
  try {
    const env = { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8', env }).trim()
  } catch {
    process.stderr.write(
      `\nSKIPPED: ${name} is missing, ${what} will NOT be tested: apt-get install ${debianPackage}\n\n`,
    )
    return undefined
  }
}
