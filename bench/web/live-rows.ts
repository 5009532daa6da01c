import type { Browser } from 'playwright-core'
import { pause } from '../../src/lib/clock.ts'
import { timingClient } from '../client.ts'
import { median, milliseconds, print, type Row } from '../kit.ts'
import { basic, readDemo, startProduct, temporaryFolder } from '../servers.ts'
import { type Frames, openProfile, watchFrames } from './browser.ts'
import { signIn } from './sign-in.ts'

/** Callers wait there for up to five minutes, on weekdays from 9 to 18 in London. */
const queue = '+442079460321'
const shortPatience = 4
const seconds = 6
const rounds = 5
/** Calls that end and begin each second while frames are counted. */
const changesPerSecond = 10

/** The live page with so many calls that change: frames and CPU, against the same page without a call. */
export async function liveRows(browser: Browser, calls: number): Promise<Row[]> {
  const folder = temporaryFolder()
  const { url, stop } = await startProduct(folder)
  const demo = readDemo(folder)
  const client = timingClient(url)
  const cookie = await signIn(client, url, demo.users[0])
  const context = await openProfile(browser, url, cookie)
  const page = await context.newPage()
  await page.goto('/dashboard/live')
  await page.getByRole('region', { name: 'Active calls' }).waitFor()
  const empty = await watchFrames(page, seconds)
  print(`live page without calls: ${said(empty)}`)

  const headers = { authorization: basic(demo), 'content-type': 'application/json' }
  const send = async (method: 'POST' | 'PUT', path: string, body: object) => {
    const { status, text } = await client({ method, path, headers, body: JSON.stringify(body) })
    if (status > 201) throw new Error(`${path} answered ${status}: ${text}`)
  }
  await send('PUT', '/sandbox/v1/clock', { advance_seconds: secondsUntilOpen(Date.now()) })
  let made = 0
  const call = (patience: number | null) =>
    send('POST', '/sandbox/v1/calls', {
      from: `+3363998${String(made++ % 10_000).padStart(4, '0')}`,
      to: queue,
      patience,
    })
  // Most wait; the others hang up soon, and each is replaced by another.
  const changing = changesPerSecond * shortPatience
  for (let n = 0; n < calls - changing; n++) await call(null)
  let isRunning = true
  const replacing = (async () => {
    while (isRunning) {
      await pause(1_000 / changesPerSecond)
      await call(shortPatience)
    }
  })()
  const rows = page.getByRole('region', { name: 'Active calls' }).getByRole('listitem')
  while ((await rows.count()) < calls * 0.9) await pause(500)
  const all: Frames[] = []
  const shown: number[] = []
  for (let round = 0; round < rounds; round++) {
    all.push(await watchFrames(page, seconds))
    shown.push(await rows.count())
    print(`live page with ${shown.at(-1)} calls: ${said(all[round] as Frames)}`)
  }
  isRunning = false
  await replacing
  await context.close()
  await stop()
  const of = (pick: (frames: Frames) => number) => median(all.map(pick))
  return [
    {
      row: `live page, ${calls} calls, ${changesPerSecond} changes a second: late frames in ${seconds} s`,
      figure: `${of(({ late }) => late)}, longest ${milliseconds(of(({ longestMs }) => longestMs))}`,
      baseline: `${empty.late}, ${milliseconds(empty.longestMs)}`,
      aim: { atMost: 0, of: of(({ late }) => late), onClock: true },
    },
    {
      row: `live page, ${calls} calls: CPU of the main thread per second`,
      figure: milliseconds(of(({ cpuPerSecond }) => cpuPerSecond)),
      baseline: milliseconds(empty.cpuPerSecond),
      ratio: of(({ cpuPerSecond }) => cpuPerSecond) / empty.cpuPerSecond,
    },
  ]
}

const said = ({ frames, late, longestMs, cpuPerSecond }: Frames) =>
  `${late} of ${frames} frames late, longest ${milliseconds(longestMs)}, ${milliseconds(cpuPerSecond)} of CPU per second`

/** Until 10:00 UTC of the next weekday. */
function secondsUntilOpen(now: number): number {
  const at = new Date(now)
  at.setUTCHours(34, 0, 0, 0)
  while (at.getUTCDay() % 6 === 0) at.setUTCDate(at.getUTCDate() + 1)
  return Math.ceil((at.getTime() - now) / 1_000)
}
