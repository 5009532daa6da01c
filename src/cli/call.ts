import { readFileSync } from 'node:fs'
import { digitsOnly } from '../domain/phone-number.ts'
import { type CallerStep, parseScript } from '../domain/sandbox/script.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import { type Command, type CommandArguments, type CommandResult, UsageError } from './command.ts'
import { printable } from './print.ts'
import { type Answerer, watchCall } from './watch-call.ts'

export const callCommand: Command = {
  name: 'call',
  usage:
    '[--to NUMBER] [--from NUMBER | anonymous] [--script FILE | JSON] [--patience SECONDS] [--answer USER] [--watch] ' +
    apiUsage,
  summary: 'Simulate a call to a number of a sandbox',
  details:
    'The default of --to is the first number of the company. --answer connects a user, by id or email address, who answers\n' +
    'the call; without a script they talk for a few seconds. --watch prints the events until the call has ended. A script\n' +
    `is a list of steps, see the documentation page Sandbox.\n${apiDetails}`,
  options: {
    ...apiOptions,
    to: { type: 'string' },
    from: { type: 'string' },
    script: { type: 'string' },
    patience: { type: 'string' },
    answer: { type: 'string' },
    watch: { type: 'boolean' },
  },
  run: call,
}

/** From a number range reserved for fictional use. */
const defaultCaller = '+33199000777'

/** The default script of an answered call. */
const defaultScript: CallerStep[] = [
  { hear: 2 },
  { say: 'Hello! I am calling to test the line.', seconds: 4 },
  { hear: 3 },
  { hang_up: true },
]

async function call(given: CommandArguments): Promise<CommandResult | undefined> {
  const options = optionsIn(given)
  const api = apiFor(given)
  const line = await lineFor(api, given.text('to'))
  const answerer = options.answer === undefined ? undefined : await connected(api, options.answer)
  const script = options.script ?? (answerer ? defaultScript : [])
  const body = { from: options.from, to: line.digits, script, patience: options.patience }
  const place = async () => (await api.ask<{ call_id: number }>('POST', '/sandbox/v1/calls', body)).call_id
  const about = { from: options.from, to: line.digits, name: line.name }
  if (answerer || given.flag('watch')) {
    return watchCall({ api, about, place, answerer, untilEnd: given.flag('watch'), asJson: given.flag('json') })
  }
  const call_id = await place()
  const text = `Call ${call_id}: ${about.from} calls ${about.to} (${printable(about.name)}).`
  const hint = (await noUserConnected(api)) ? `\n${hintFor(line)}` : ''
  return { text: text + hint, json: { call_id, from: about.from, to: about.to } }
}

function optionsIn(given: CommandArguments) {
  const { from = defaultCaller, patience } = { from: given.text('from'), patience: given.text('patience') }
  if (!/^(anonymous|\+[1-9]\d{6,14})$/.test(from)) throw new UsageError('--from must be E.164, or anonymous')
  if (patience !== undefined && !/^\d{1,5}$/.test(patience)) {
    throw new UsageError('--patience must be a number of seconds')
  }
  return {
    from,
    patience: patience === undefined ? null : Number(patience),
    script: scriptIn(given.text('script')),
    answer: given.text('answer'),
  }
}

function scriptIn(text: string | undefined): CallerStep[] | undefined {
  if (text === undefined) return undefined
  const steps = parseScript(jsonIn(text.trimStart().startsWith('[') ? text : contentOf(text)))
  if ('mistake' in steps) throw new UsageError(`--script is invalid: ${steps.mistake}`)
  return steps
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unknown'
    throw new UsageError(`--script: ${file} cannot be read (${reason})`)
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--script must be a JSON array of steps, or a file that contains one')
  }
}

interface Line {
  name: string
  digits: string
  users: { email: string }[]
}

/** Finds the number by its digits, ignoring the format. */
async function lineFor(api: Api, to: string | undefined): Promise<Line> {
  const { numbers } = await api.ask<{ numbers: Line[] }>('GET', '/v1/numbers?per_page=50')
  const line = to === undefined ? numbers[0] : numbers.find(({ digits }) => digitsOnly(digits) === digitsOnly(to))
  if (line) return { ...line, digits: `+${digitsOnly(line.digits)}` }
  // The number may be beyond the first page; the server validates it.
  if (to !== undefined) return { name: 'no name', digits: to, users: [] }
  throw new CommandRefused('the company has no numbers')
}

async function connected(api: Api, who: string): Promise<Answerer> {
  const { user } = await api.ask<{ user: Answerer }>('GET', `/v2/users/${encodeURIComponent(who)}`)
  await api.ask('POST', `/sandbox/v1/users/${user.id}/actions`, { action: 'connect' })
  return user
}

async function noUserConnected(api: Api): Promise<boolean> {
  const target = '/v1/users/availabilities?per_page=50'
  const { users } = await api.ask<{ users: { availability: string }[] }>('GET', target)
  return users.every(({ availability }) => availability === 'offline')
}

function hintFor({ users }: Line): string {
  const [user] = users
  const who = user ? printable(user.email) : 'USER'
  return `No user is connected to answer the call. Connect one: hookswitch call --answer ${who} --watch`
}
