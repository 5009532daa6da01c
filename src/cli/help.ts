import { type Command, type CommandResult, usageOf } from './command.ts'
import { alignColumns } from './print.ts'

/** The overview, or the usage of the given commands. */
export function helpFor(all: readonly Command[], about: readonly Command[]): CommandResult {
  const text = about.length === 0 ? overview(all) : about.map(explained).join('\n\n')
  const shown = about.length === 0 ? all : about
  return { text, json: { commands: shown.map((command) => ({ usage: usageOf(command), summary: command.summary })) } }
}

const overview = (all: readonly Command[]) => `hookswitch: self-hosted business phone system

Usage: hookswitch COMMAND [OPTIONS]

${alignColumns(all.map(({ name, summary }) => [`  ${name}`, summary]))}

Global options: --json prints the result as JSON, --help prints the usage of a command.
The company, keys, numbers and trunks commands connect to the server that runs on DATA_DIR (default ./data), or open the
database if no server is running. status needs a running server on DATA_DIR. api, listen, trigger, replay, call, scenario and clock use the API of a local or remote
server. test-flows needs no server.
Settings are read from the environment and from the file .env in the working directory.
Exit codes: 0 success, 1 failure, 2 usage error, 78 configuration error.`

/** What `hookswitch help COMMAND` prints. */
export function explained(command: Command): string {
  const parts = [`Usage: ${usageOf(command)}`, `  ${command.summary}.`]
  if (command.details) parts.push(command.details.replace(/^/gm, '  '))
  return parts.join('\n')
}
