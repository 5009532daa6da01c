import { second, systemClock } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import { setClock } from './clock.ts'
import { type Command, type CommandArguments, type CommandResult, UsageError } from './command.ts'
import { coloursFor, eventLine } from './event-line.ts'
import { asStreamedEvent, type EventLogEntry, eventsInLog } from './event-log.ts'
import { follow, type StreamedEvent } from './event-stream.ts'
import { exitOnSignal, lost } from './listen.ts'
import { alignColumns, printable } from './print.ts'
import { spanIn } from './time-span.ts'

export const scenarioCommand: Command = {
  name: 'scenario',
  usage: `[NAME [PARAMETER=VALUE…]] [--advance SPAN] [--watch] ${apiUsage}`,
  summary: 'List the scenarios of a sandbox, or run one',
  details:
    'A scenario uses the clock of the sandbox: --advance, for example 1h, advances the clock so that it completes at once.\n' +
    `--watch prints call events: with --advance those of the run, otherwise all until Ctrl+C.\n${apiDetails}`,
  options: { ...apiOptions, advance: { type: 'string' }, watch: { type: 'boolean' } },
  words: [0, 20],
  run: scenario,
}

interface Scenario {
  name: string
  description: string
  parameters: Record<string, { default: number; description: string }>
}

interface Run {
  run_id: string
}

const place = '/sandbox/v1/scenarios'
const shown = 'call.*'

async function scenario(given: CommandArguments): Promise<CommandResult | undefined> {
  const [name, ...settings] = given.words
  const advance = given.text('advance')
  if (name === undefined) return listed((await apiFor(given).ask<{ scenarios: Scenario[] }>('GET', place)).scenarios)
  const advanceMs = advance === undefined ? undefined : spanIn(advance, '--advance')
  const parameters = Object.fromEntries(settings.map(settingIn))
  const api = apiFor(given)
  const begin = () => api.ask<Run>('POST', `${place}/${encodeURIComponent(name)}`, parameters)
  const asJson = given.flag('json')
  if (advanceMs !== undefined) return runToEnd(api, begin, advanceMs, given.flag('watch'))
  if (given.flag('watch')) return watch(api, begin, asJson)
  const run = await begin()
  return { text: `Scenario ${printable(name)} started: ${run.run_id}.`, json: run }
}

function settingIn(text: string): [string, number] {
  const [, name, value] = /^([a-z_]+)=(-?\d+(?:\.\d+)?)$/.exec(text) ?? []
  if (name === undefined) throw new UsageError(`${text} must have the form callers=20`)
  return [name, Number(value)]
}

function listed(scenarios: Scenario[]): CommandResult {
  const blocks = scenarios.map(({ name, description, parameters }) => {
    const rows = Object.entries(parameters).map(([key, { default: defaultValue, description: what }]) => [
      `  ${key}=${defaultValue}`,
      what,
    ])
    return [printable(name), `  ${printable(description)}`, alignColumns(rows)].join('\n')
  })
  return { text: blocks.join('\n\n'), json: { scenarios } }
}

/** Starts the scenario, advances the clock and returns the events. */
async function runToEnd(api: Api, begin: () => Promise<Run>, ms: number, isWatched: boolean): Promise<CommandResult> {
  const before = isWatched ? await endOfLog(api) : 0
  const run = await begin()
  const { now } = await setClock(api, { advance_seconds: ms / second })
  const events: EventLogEntry[] = []
  if (isWatched) for await (const event of eventsInLog(api, { after: before, events: shown })) events.push(event)
  const line = lineWriter()
  const text = [...events.map((event) => line(asStreamedEvent(event))), `${run.run_id} completed at ${now}.`].join('\n')
  return { text, json: { ...run, now, ...(isWatched && { events }) } }
}

async function endOfLog(api: Api): Promise<number> {
  for await (const frame of follow(api, live, lost)) return frame.position
  return 0
}

const live = { events: shown, after: undefined, sinceMs: undefined }

async function watch(api: Api, begin: () => Promise<Run>, asJson: boolean): Promise<undefined> {
  const line = asJson
    ? ({ position, body }: StreamedEvent) => JSON.stringify({ position, ...JSON.parse(body) })
    : lineWriter()
  const print = (text: string) => void process.stdout.write(`${text}\n`)
  let run: Run | undefined
  exitOnSignal()
  for await (const frame of follow(api, live, lost)) {
    if (frame.kind === 'event') {
      print(line(frame))
      continue
    }
    if (run) continue
    run = await begin()
    print(asJson ? JSON.stringify(run) : `Scenario started: ${run.run_id}. Stop watching with Ctrl+C.`)
  }
}

function lineWriter(): (event: StreamedEvent) => string {
  const colours = coloursFor(process.stdout)
  const clock = systemClock()
  return (event) => eventLine(event, clock.now(), colours)
}
