import { second } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import { setClock } from './clock.ts'
import { type Command, type Given, type Outcome, UsageError } from './command.ts'
import { columns } from './print.ts'
import { spanIn } from './time-span.ts'
import { lastPosition, showEventsAfter, watchEvents } from './watch-events.ts'

export const scenarioCommand: Command = {
  name: 'scenario',
  usage: `[NAME [PARAMETER=VALUE…]] [--advance SPAN] [--watch] ${apiUsage}`,
  summary: 'List what a sandbox can play, or play it',
  details:
    'It runs by the clock of the sandbox: --advance winds that forward, such as 1h, so that it all happens at once.\n' +
    `--watch shows the calls: after an advance those that were made, otherwise all until Ctrl+C.\n${apiDetails}`,
  options: { ...apiOptions, advance: { type: 'string' }, watch: { type: 'boolean' } },
  words: [0, 20],
  run: scenario,
}

interface Parameter {
  default: number
  description: string
}

interface Scenario {
  name: string
  description: string
  parameters: Record<string, Parameter>
}

const place = '/sandbox/v1/scenarios'

async function scenario(given: Given): Promise<Outcome | undefined> {
  const [name, ...settings] = given.words
  const advance = given.text('advance')
  if (name === undefined) return listed(await apiFor(given).ask<{ scenarios: Scenario[] }>('GET', place))
  const advanceMs = advance === undefined ? undefined : spanIn(advance, '--advance')
  const parameters = Object.fromEntries(settings.map(settingIn))
  const api = apiFor(given)
  const begin = () => api.ask<{ run_id: string }>('POST', `${place}/${encodeURIComponent(name)}`, parameters)
  const asJson = given.flag('json')
  if (!given.flag('watch')) return told(name, await begin(), advanceMs === undefined ? undefined : await wind(api, advanceMs))
  if (advanceMs === undefined) return watchEvents(api, asJson, async () => (await begin()).run_id)
  const before = await lastPosition(api)
  const run = await begin()
  const now = await wind(api, advanceMs)
  const events = await showEventsAfter(api, before, asJson)
  return asJson ? { text: '', json: { ...run, now, events } } : told(name, run, now)
}
