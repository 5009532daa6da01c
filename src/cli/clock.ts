import { pause, second } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import type { Command, CommandArguments, CommandResult } from './command.ts'
import { progress } from './progress.ts'
import { spanIn, speedIn } from './time-span.ts'

export interface ClockResponse {
  now: string
  mode: 'running' | 'frozen'
  speed: number
  pending: number
}

type ClockChange = { mode?: ClockResponse['mode']; speed?: number; advance_seconds?: number }

export const clockCommands: Command[] = [
  {
    name: 'clock',
    usage: apiUsage,
    summary: 'Show the clock of a sandbox',
    details: apiDetails,
    options: apiOptions,
    run: async (given) => shown(await apiFor(given).ask<ClockResponse>('GET', '/sandbox/v1/clock')),
  },
  {
    name: 'clock advance',
    usage: `SPAN ${apiUsage}`,
    summary: 'Advance the clock and process everything that becomes due',
    details: `SPAN is a duration such as 90s, 30m, 1h or 2d. The command waits until all due work is complete.\n${apiDetails}`,
    options: apiOptions,
    words: [1, 1],
    run: (given) => change(given, { advance_seconds: spanIn(given.words[0] ?? '', 'SPAN') / second }),
  },
  {
    name: 'clock freeze',
    usage: apiUsage,
    summary: 'Freeze the clock',
    details: apiDetails,
    options: apiOptions,
    run: (given) => change(given, { mode: 'frozen' }),
  },
  {
    name: 'clock run',
    usage: `[--speed N] ${apiUsage}`,
    summary: 'Run the clock, optionally faster or slower than real time',
    details: `--speed is 0.1 to 1000; 1 is real time. The default is the previous speed.\n${apiDetails}`,
    options: { ...apiOptions, speed: { type: 'string' } },
    run: (given) => {
      const speed = given.text('speed')
      return change(given, { mode: 'running', ...(speed !== undefined && { speed: speedIn(speed) }) })
    },
  },
]

const change = async (given: CommandArguments, clockChange: ClockChange): Promise<CommandResult> =>
  shown(await setClock(apiFor(given), clockChange))

/** Resolves when the clock has reached the target. */
export async function setClock(api: Api, clockChange: ClockChange): Promise<ClockResponse> {
  return untilIdle(api, await api.ask<ClockResponse>('PUT', '/sandbox/v1/clock', clockChange))
}

const pollIntervalMs = second / 2

/** Polls until no work is pending. The server continues if the command is interrupted. */
async function untilIdle(api: Api, first: ClockResponse): Promise<ClockResponse> {
  let face = first
  try {
    while (face.pending > 0) {
      progress.show(`${face.now}, ${face.pending} pending`)
      await pause(pollIntervalMs)
      face = await api.ask<ClockResponse>('GET', '/sandbox/v1/clock')
    }
  } finally {
    progress.end()
  }
  return face
}

function shown(face: ClockResponse): CommandResult {
  const pace = face.mode === 'frozen' ? 'frozen' : `running${face.speed === 1 ? '' : ` at speed ${face.speed}`}`
  const rest = face.pending > 0 ? `, ${face.pending} pending` : ''
  return { text: `${face.now}, ${pace}${rest}`, json: face }
}
