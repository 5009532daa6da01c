import { execute } from './commands.ts'
import { exitStatusOf } from './failure.ts'

/** Runs one command line, prints its result and returns the exit code. */
export async function run(words: string[], loadSettings?: () => void): Promise<number> {
  try {
    loadSettings?.()
    const said = await execute(words)
    if (said) process.stdout.write(`${said.asJson ? JSON.stringify(said.json, null, 2) : said.text}\n`)
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const { exitCode, message } = exitStatusOf(error)
    process.stderr.write(`hookswitch: ${message}\n`)
    return exitCode
  }
}
