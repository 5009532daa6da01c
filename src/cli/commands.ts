import { readConfig } from '../config.ts'
import { version } from '../lib/version.ts'
import { callCommand } from './call.ts'
import { clockCommands } from './clock.ts'
import { type Command, type Given, type Outcome, readWords, UsageError } from './command.ts'
import { companyCommands } from './company.ts'
import { helpFor } from './help.ts'
import { keyCommands } from './keys.ts'
import { listenCommand } from './listen.ts'
import { modelCommands } from './models.ts'
import { numberCommands } from './numbers.ts'
import { replayCommand } from './replay.ts'
import { scenarioCommand } from './scenario.ts'
import { testFlowsCommand } from './test-flows.ts'
import { triggerCommand } from './trigger.ts'
import { trunkCommands } from './trunks.ts'

// What a command needs is loaded when it runs: speaking to a running server takes no web server and no database.

const commands: Command[] = [
  {
    name: 'start',
    summary: 'Run the service until it is told to stop; this is the default',
    async run() {
      // Before anything is loaded: a mistake in the settings is told at once.
      const config = readConfig()
      return (await import('./start.ts')).start(config)
    },
  },
  ...companyCommands,
  ...keyCommands,
  ...numberCommands,
  ...trunkCommands,
  listenCommand,
  triggerCommand,
  replayCommand,
  callCommand,
  scenarioCommand,
  ...clockCommands,
  testFlowsCommand,
  ...modelCommands,
  {
    name: 'seed',
    usage: '[--seed N]',
    summary: 'Make the demo companies and demo.json (sandbox only)',
    options: { seed: { type: 'string' } },
    run: async (given) => (await import('./seed.ts')).seed(given),
  },
  {
    name: 'doctor',
    summary: 'Look at ports, addresses, certificates, clock and disk, and say what to do',
    run: async () => (await import('./doctor.ts')).examine(),
  },
  {
    name: 'migrate',
    summary: 'Bring the store to this release; a start does the same',
    run: async () => (await import('./migrate.ts')).migrateStore(),
  },
  {
    name: 'backup',
    usage: 'FILE',
    summary: 'Write everything into one file, also while the service runs',
    details:
      'The file holds the data, the installation key (unless HOOKSWITCH_KEY is set) and the files of the data folder, so\n' +
      'keep it as safe as the service itself. It can be restored into the embedded store and into PostgreSQL alike.',
    words: [1, 1],
    run: async (given) => (await import('./backup.ts')).backup(given),
  },
  {
    name: 'restore',
    usage: 'FILE [--force]',
    summary: 'Put a backup back while no service runs',
    details: 'A store that holds data is replaced with --force only. Either all of the backup is restored or nothing.',
    options: { force: { type: 'boolean' } },
    words: [1, 1],
    run: async (given) => (await import('./restore.ts')).restore(given),
  },
  { name: 'version', summary: 'Print the version', run: async () => ({ text: version, json: { version } }) },
  {
    name: 'help',
    usage: '[COMMAND]',
    summary: 'Print this, or how to use one command',
    words: [0, 2],
    run: async ({ words }) => help(words),
  },
]

const sameAs: Record<string, string> = { '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version' }

export interface Said extends Outcome {
  asJson: boolean
}

/** Does what was typed and gives what is to be printed; a service that goes on running has said it itself. */
export async function obey(typed: string[]): Promise<Said | undefined> {
  const [first = 'start', ...rest] = typed
  const args = [sameAs[first] ?? first, ...rest]
  const command = longestMatch(args)
  if (!command) return said(helpOnPart(args), undefined)
  const given = readWords(command, args.slice(command.name.split(' ').length))
  return said(given.flag('help') ? helpFor(commands, [command]) : await command.run(given), given)
}

function longestMatch(args: string[]): Command | undefined {
  const find = (name: string) => commands.find((command) => command.name === name)
  return find(args.slice(0, 2).join(' ')) ?? find(args[0] ?? '')
}

const said = (outcome: Outcome | undefined, given: Given | undefined): Said | undefined =>
  outcome && { ...outcome, asJson: given?.flag('json') ?? false }

/** `keys --help` explains all of keys; `keys` alone is half a command. */
function helpOnPart(args: string[]): Outcome {
  const [first = '', second] = args
  const family = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (family.length === 0) throw new UsageError(`There is no command ${first}; \`hookswitch help\` shows all`)
  if (second === '--help' || second === '-h') return helpFor(commands, family)
  throw new UsageError(`Say what to do: ${family.map(({ name }) => name).join(', ')}`)
}

function help(words: string[]): Outcome {
  const wanted = words.join(' ')
  const about = commands.filter(({ name }) => wanted !== '' && (name === wanted || name.startsWith(`${wanted} `)))
  if (wanted !== '' && about.length === 0) {
    throw new UsageError(`There is no command ${wanted}; \`hookswitch help\` shows all`)
  }
  return helpFor(commands, about)
}
