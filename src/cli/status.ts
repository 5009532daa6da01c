import type { InstallationStatus } from '../app/status.ts'
import { pause } from '../lib/clock.ts'
import { askRunningServer } from './administer.ts'
import type { Command, CommandArguments, CommandResult } from './command.ts'
import { exitOnSignal } from './listen.ts'
import { alignColumns, printable } from './print.ts'

const intervalMs = 2_000

/** Moves the cursor to the top left corner and clears what is below. */
const clearScreen = '\u001b[H\u001b[J'

export const statusCommand: Command = {
  name: 'status',
  usage: '[--watch]',
  summary: 'Show processes, calls, trunks, queues and lag of the running service',
  details:
    'Connects to the server that runs on DATA_DIR. With PostgreSQL, processes, calls, trunks and queues are those of the whole\n' +
    'installation; media and line nodes are those of the process that answers. --watch repeats every two seconds until Ctrl+C; with --json it\n' +
    'prints one object per line.',
  options: { watch: { type: 'boolean' } },
  run: (given) => (given.flag('watch') ? watch(given) : show()),
}

const ask = () => askRunningServer<InstallationStatus>('status')

async function show(): Promise<CommandResult> {
  const status = await ask()
  return { text: statusText(status), json: status }
}

async function watch(given: CommandArguments): Promise<never> {
  exitOnSignal()
  const start = process.stdout.isTTY ? clearScreen : ''
  for (;;) {
    const status = await ask()
    const text = given.flag('json') ? JSON.stringify(status) : `${start}${statusText(status)}\n`
    process.stdout.write(`${text}\n`)
    await pause(intervalMs)
  }
}

function statusText(status: InstallationStatus): string {
  const { calls, media, lag } = status
  const database = status.database === 'postgresql' ? 'PostgreSQL' : 'embedded database'
  return [
    `Hookswitch ${status.version}, ${status.mode}, ${database}, up ${spanText(status.uptime_seconds)}`,
    section('Processes', ['ID', 'ROLES', 'STATE', 'CALLS'], processRows(status)),
    `Calls: ${calls.inbound} inbound, ${calls.outbound} outbound; ${calls.waiting} waiting` +
      (calls.waiting > 0 ? `, longest wait ${spanText(calls.longest_wait_seconds)}` : ''),
    ...(media
      ? [`Media: ${media.legs} of ${media.max_legs} legs, ${media.calls} calls, mixer delay ${media.mixer_delay_ms} ms`]
      : []),
    section('Line nodes', ['ID', 'STATE', 'LEGS', 'RELEASE'], nodeRows(status)),
    section('Trunks', ['ID', 'STATE', 'HOST', 'NAME', 'LAST RESPONSE'], trunkRows(status)),
    section('Queues', ['COMPANY', 'TARGET', 'WAITING', 'LONGEST WAIT'], queueRows(status)),
    `Lag: jobs ${spanText(lag.jobs_seconds)} (${lag.jobs_due} due), webhook deliveries ${spanText(lag.deliveries_seconds)}, ` +
      `${lag.database_requests_waiting} requests waiting for the database`,
  ].join('\n\n')
}

const section = (title: string, heads: string[], rows: readonly (readonly unknown[])[]) =>
  rows.length === 0 ? `${title}: none` : `${title}\n${indented(alignColumns([heads, ...rows]))}`

const indented = (text: string) => text.replace(/^/gm, '  ')

const processRows = ({ processes }: InstallationStatus) =>
  processes.map(({ id, roles, state, calls, answers }) => [
    answers ? `${id} (this)` : id,
    roles.join(','),
    state,
    calls,
  ])

const nodeRows = ({ line_nodes }: InstallationStatus) =>
  line_nodes.map(({ id, host, state, legs, max_legs, release }) => [
    host === 'this' ? id : `${id} (other host)`,
    state,
    state === 'connected' || state === 'draining' ? `${legs} of ${max_legs}` : '-',
    release ?? '-',
  ])

const trunkRows = ({ trunks }: InstallationStatus) =>
  trunks.map(({ id, state, host, name, last_response }) => [
    id,
    state,
    printable(host),
    printable(name),
    printable(last_response ?? '-'),
  ])

const queueRows = ({ queues }: InstallationStatus) =>
  queues.map((queue) => [queue.company_id, queue.target, queue.waiting, spanText(queue.longest_wait_seconds)])

/** `45 s`, `3 min 20 s`, `5 h 12 min`, `3 d 4 h`. */
function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const hours = Math.floor(seconds / 3_600)
  if (hours < 24) return `${hours} h ${Math.floor((seconds % 3_600) / 60)} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
