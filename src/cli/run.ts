import { obey } from './commands.ts'
import { verdictOn } from './failure.ts'

/** Runs one command line, prints its outcome and gives the exit code. */
export async function run(words: string[], loadSettings?: () => void): Promise<number> {
  try {
    loadSettings?.()
    const said = await obey(words)
    if (said) process.stdout.write(`${said.asJson ? JSON.stringify(said.json, null, 2) : said.text}\n`)
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const { exitCode, message } = verdictOn(error)
    process.stderr.write(`hookswitch: ${message}\n`)
    return exitCode
  }
}
