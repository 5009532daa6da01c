import { pause, second } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import type { Command, Given, Outcome } from './command.ts'
import { progress } from './progress.ts'
import { spanIn, speedIn } from './time-span.ts'

export interface ClockFace {
  now: string
  mode: 'running' | 'frozen'
  speed: number
  pending: number
}

type Wish = { mode?: ClockFace['mode']; speed?: number; advance_seconds?: number }

export const clockCommands: Command[] = [
  {
    name: 'clock',
    usage: apiUsage,
    summary: 'Show the clock of a sandbox',
    details: apiDetails,
    options: apiOptions,
    run: async (given) => shown(await apiFor(given).ask<ClockFace>('GET', '/sandbox/v1/clock')),
  },
  {
    name: 'clock advance',
    usage: `SPAN ${apiUsage}`,
    summary: 'Wind it forward: all that falls due on the way happens',
    details: `SPAN is like 90s, 30m, 1h or 2d. It ends when the clock is there and nothing due is left.\n${apiDetails}`,
    options: apiOptions,
    words: [1, 1],
    run: (given) => change(given, { advance_seconds: spanIn(given.words[0] ?? '', 'SPAN') / second }),
  },
  {
    name: 'clock freeze',
    usage: apiUsage,
    summary: 'Let it stand still',
    details: apiDetails,
    options: apiOptions,
    run: (given) => change(given, { mode: 'frozen' }),
  },
  {
    name: 'clock run',
    usage: `[--speed N] ${apiUsage}`,
    summary: 'Let it run, faster or slower than real time if you like',
    details: `--speed is 0.1 to 1000; 1 is natural. Without it the clock runs as it did last.\n${apiDetails}`,
    options: { ...apiOptions, speed: { type: 'string' } },
    run: (given) => {
      const speed = given.text('speed')
      return change(given, { mode: 'running', ...(speed !== undefined && { speed: speedIn(speed) }) })
    },
  },
]

const change = async (given: Given, wish: Wish): Promise<Outcome> => shown(await setClock(apiFor(given), wish))

/** Resolves when the clock is there. */
export async function setClock(api: Api, wish: Wish): Promise<ClockFace> {
  return arrived(api, await api.ask<ClockFace>('PUT', '/sandbox/v1/clock', wish))
}

const lookAgainMs = second / 2

/** The server goes on winding by itself; whoever does not want to wait for it presses Ctrl+C. */
async function arrived(api: Api, first: ClockFace): Promise<ClockFace> {
  let face = first
  try {
    while (face.pending > 0) {
      progress.say(`At ${face.now}, ${face.pending} still to come`)
      await pause(lookAgainMs)
      face = await api.ask<ClockFace>('GET', '/sandbox/v1/clock')
    }
  } finally {
    progress.end()
  }
  return face
}

function shown(face: ClockFace): Outcome {
  const pace = face.mode === 'frozen' ? 'frozen' : `running${face.speed === 1 ? '' : ` at speed ${face.speed}`}`
  const rest = face.pending > 0 ? `, ${face.pending} still to come` : ''
  return { text: `${face.now}, ${pace}${rest}`, json: face }
}
