import { readConfig } from '../config.ts'
import { version } from '../lib/version.ts'
import { apiCommands } from './api-request.ts'
import { callCommand } from './call.ts'
import { clockCommands } from './clock.ts'
import { type Command, type CommandArguments, type CommandResult, readWords, UsageError } from './command.ts'
import { companyCommands } from './company.ts'
import { completionCommand } from './completion.ts'
import { configurationCommands } from './configuration.ts'
import { conformanceCommand } from './conformance.ts'
import { helpFor } from './help.ts'
import { importCommand } from './import.ts'
import { keyCommands } from './keys.ts'
import { listenCommand } from './listen.ts'
import { mcpCommand } from './mcp.ts'
import { modelCommands } from './models.ts'
import { numberCommands } from './numbers.ts'
import { profileCommands } from './profiles.ts'
import { replayCommand } from './replay.ts'
import { scenarioCommand } from './scenario.ts'
import { statusCommand } from './status.ts'
import { testAgentsCommand } from './test-agents.ts'
import { testFlowsCommand } from './test-flows.ts'
import { triggerCommand } from './trigger.ts'
import { trunkCliCommands } from './trunks.ts'
import { userCommands } from './users.ts'

// Modules are imported when a command runs: commands that only call a running server load no web server and no database.

export const cliCommands: Command[] = [
  {
    name: 'start',
    summary: 'Run the service (default command)',
    async run() {
      // Configuration errors are reported before the service is loaded.
      const config = readConfig()
      return (await import('./start.ts')).start(config)
    },
  },
  statusCommand,
  ...companyCommands,
  ...userCommands,
  ...keyCommands,
  ...numberCommands,
  ...trunkCliCommands,
  ...apiCommands,
  ...profileCommands,
  ...configurationCommands,
  listenCommand,
  triggerCommand,
  replayCommand,
  callCommand,
  scenarioCommand,
  ...clockCommands,
  testFlowsCommand,
  testAgentsCommand,
  mcpCommand,
  conformanceCommand,
  importCommand,
  ...modelCommands,
  {
    name: 'seed',
    usage: '[--seed N]',
    summary: 'Create the demo companies and demo.json (sandbox only)',
    options: { seed: { type: 'string' } },
    run: async (given) => (await import('./seed.ts')).seedCommand(given),
  },
  {
    name: 'doctor',
    summary: 'Try everything the service needs, and report how to resolve problems',
    details:
      'Database and pool mode, installation key, file storage, mail server, PUBLIC_URL, every port of the server and its line\n' +
      'nodes, TURN server, certificate, disk, clock, media process, speech models and line nodes. Exit code 1 when a check\n' +
      'fails.',
    run: async () => (await import('./doctor.ts')).examine(),
  },
  {
    name: 'line-node',
    summary: 'Run the line node, which carries the audio of calls, as a service of its own',
    details:
      '`start` launches one automatically. Run it as a service of its own where the service manager or the container ends all\n' +
      'processes of the server together. It uses the same settings and DATA_DIR; calls continue while the server restarts.\n' +
      'With LINE_NODE_LISTEN and LINE_NODE_SECRET it serves servers on other hosts, which find it in the database.',
    run: async () => (await import('./line-node.ts')).runLineNode(),
  },
  {
    name: 'line-node drain',
    usage: '[ID]',
    summary: 'Let a line node refuse new calls, and end when the last call has ended',
    details: '`status` lists the nodes. Without ID the node of this machine is drained.',
    words: [0, 1],
    run: async (given) => (await import('./line-node.ts')).drainLineNode(given),
  },
  {
    name: 'migrate',
    summary: 'Migrate the database schema to this release; `start` does this automatically',
    run: async () => (await import('./migrate.ts')).migrateStore(),
  },
  {
    name: 'backup',
    usage: 'FILE',
    summary: 'Back up the installation to one file, also while the service is running',
    details:
      'The file contains the data, the installation key (unless HOOKSWITCH_KEY is set) and the files of the data directory:\n' +
      'protect it like the service itself. It can be restored into the embedded database and into PostgreSQL.',
    words: [1, 1],
    run: async (given) => (await import('./backup.ts')).backup(given),
  },
  {
    name: 'restore',
    usage: 'FILE [--force]',
    summary: 'Restore a backup while the service is stopped',
    details:
      '--force is required to replace existing data. The restore is atomic: either everything is restored or nothing.',
    options: { force: { type: 'boolean' } },
    words: [1, 1],
    run: async (given) => (await import('./restore.ts')).restore(given),
  },
  completionCommand(() => cliCommands),
  { name: 'version', summary: 'Print the version', run: async () => ({ text: version, json: { version } }) },
  {
    name: 'help',
    usage: '[COMMAND]',
    summary: 'Print this overview, or the usage of a command',
    words: [0, 2],
    run: async ({ words }) => help(words),
  },
]

const aliases: Record<string, string> = { '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version' }

export interface CommandOutput extends CommandResult {
  asJson: boolean
}

/** Executes a command line and returns the output; undefined if the command has printed it itself. */
export async function execute(typed: string[]): Promise<CommandOutput | undefined> {
  const { args, found } = readCommandLine(typed)
  if (!found) return output(helpOnPart(args), undefined)
  const { command, given } = found
  return output(given.flag('help') ? helpFor(cliCommands, [command]) : await command.run(given), given)
}

interface CommandLine {
  args: string[]
  /** Undefined for a part of a command, such as `keys`. */
  found: { command: Command; given: CommandArguments } | undefined
}

/** Throws a usage error if the arguments are not those of the command. */
export function readCommandLine(typed: string[]): CommandLine {
  const [first = 'start', ...rest] = typed
  const args = [aliases[first] ?? first, ...rest]
  const command = findCommand(args)
  if (!command) return { args, found: undefined }
  return { args, found: { command, given: readWords(command, args.slice(command.name.split(' ').length)) } }
}

function findCommand(args: string[]): Command | undefined {
  const find = (name: string) => cliCommands.find((command) => command.name === name)
  return find(args.slice(0, 2).join(' ')) ?? find(args[0] ?? '')
}

const output = (outcome: CommandResult | undefined, given: CommandArguments | undefined): CommandOutput | undefined =>
  outcome && { ...outcome, asJson: given?.flag('json') ?? false }

/** `keys --help` shows the usage of all `keys` commands; `keys` alone is incomplete. */
function helpOnPart(args: string[]): CommandResult {
  const [first = '', second] = args
  const family = cliCommands.filter(({ name }) => name.startsWith(`${first} `))
  if (family.length === 0) throw new UsageError(`Unknown command ${first}; run \`hookswitch help\` for a list`)
  if (second === '--help' || second === '-h') return helpFor(cliCommands, family)
  throw new UsageError(`Missing subcommand: ${family.map(({ name }) => name).join(', ')}`)
}

function help(words: string[]): CommandResult {
  const wanted = words.join(' ')
  const about = cliCommands.filter(({ name }) => wanted !== '' && (name === wanted || name.startsWith(`${wanted} `)))
  if (wanted !== '' && about.length === 0) {
    throw new UsageError(`Unknown command ${wanted}; run \`hookswitch help\` for a list`)
  }
  return helpFor(cliCommands, about)
}
