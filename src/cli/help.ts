import { type Command, type Outcome, usageOf } from './command.ts'
import { columns } from './print.ts'

/** The overview, or the usage of the commands asked about. */
export function helpFor(all: readonly Command[], about: readonly Command[]): Outcome {
  const text = about.length === 0 ? overview(all) : about.map(explained).join('\n\n')
  const shown = about.length === 0 ? all : about
  return { text, json: { commands: shown.map((command) => ({ usage: usageOf(command), summary: command.summary })) } }
}

const overview = (all: readonly Command[]) => `hookswitch: a business phone system you run yourself

Usage: hookswitch COMMAND [OPTIONS]

${columns(all.map(({ name, summary }) => [`  ${name}`, summary]))}

Every command takes --json (print the result as JSON only) and --help.
Commands about companies, keys and numbers go to the server that runs on DATA_DIR (./data when it is not set), or open
the store themselves when none does; listen, trigger, replay, call, scenario and clock speak to the API of a server,
here or elsewhere; test-flows needs none.
Settings are environment variables, or lines of a file .env in this folder.
Exit codes: 0 done, 1 failed, 2 not understood, 78 a setting is wrong.`

function explained(command: Command): string {
  const parts = [`Usage: ${usageOf(command)}`, `  ${command.summary}.`]
  if (command.details) parts.push(command.details.replace(/^/gm, '  '))
  return parts.join('\n')
}
