import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LiveTranscriptionOptions } from '../../src/domain/intelligence/engines.ts'
import { createEmbeddedSpeech } from '../../src/intelligence/embedded.ts'
import { createSpeechProcess } from '../../src/intelligence/speech-process.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { canSpeak, conversationOf, modelsFolder, noise, sidesWith, spoken, wordErrorRate } from '../kit/spoken.ts'

const clock = systemClock()
const log = createLog('silent')

function speech(modelsDir = modelsFolder() ?? '') {
  const embedded = createEmbeddedSpeech({ modelsDir, clock, log })
  onTestFinished(() => embedded.stop())
  return embedded
}

function program(idleMs?: number, modelsDir = modelsFolder() ?? '') {
  const options = { modelsDir }
  const made = createSpeechProcess({ name: 'test', options, clock, log, niceness: 10, ...(idleMs && { idleMs }) })
  onTestFinished(() => made.stop())
  return made
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('without models there is no speech-to-text, and speech is detected by level', async () => {
  const embedded = speech(await temporaryFolder())
  const sound = new Int16Array(8_000 * 5)
  sound.set(noise(8_000)(8_000 * 2), 8_000)

  const [segment, ...more] = await embedded.segments(sound)

  expect(await embedded.stt()).toBeUndefined()
  expect(await embedded.similarity(['a'], ['b'])).toBeUndefined()
  expect(more).toEqual([])
  expect([segment?.startMs ?? 0, segment?.endMs ?? 0].map((ms) => Math.round(ms / 100))).toEqual([10, 30])
})

/** A runtime that loads no models: enough for requests that need none. */
async function folderWithoutModels() {
  const folder = await temporaryFolder()
  const library = path.join(folder, 'runtime', 'node_modules', 'onnxruntime-node')
  mkdirSync(library, { recursive: true })
  writeFileSync(path.join(library, 'index.js'), 'exports.Tensor = class {}\nexports.InferenceSession = {}\n')
  return folder
}

test('a killed process is restarted by the next request, after the back-off', async () => {
  const working = program(undefined, await folderWithoutModels())
  await working.request('endStream', { stream: 1 })
  const { pid = 0 } = working
  const failed = await working.request('embed', { texts: ['one'] }).catch((error: Error) => error.name)

  process.kill(pid, 'SIGKILL')
  await expect.poll(() => working.pid).toBeUndefined()
  const exitedAt = clock.machineNow()
  const answer = await working.request('endStream', { stream: 1 })

  expect(failed).toBe('TypeError')
  expect(answer).toBeNull()
  expect(clock.machineNow() - exitedAt).toBeGreaterThan(300)
  expect(working.pid).not.toBe(pid)
})

test('an idle process is stopped and started again by the next request; a stopped one is not', async () => {
  const working = program(1, await folderWithoutModels())
  await working.request('endStream', { stream: 1 })
  await expect.poll(() => working.pid).toBeUndefined()

  expect(await working.request('endStream', { stream: 1 })).toBeNull()
  await working.stop()
  await expect(working.request('endStream', { stream: 1 })).rejects.toMatchObject({ name: 'SpeechGone' })
})

describe.skipIf(!canSpeak)('the programs that understand speech', () => {
  test('live transcription reports utterances with times and nearly all words', async () => {
    const embedded = speech()
    const placed = await conversationOf(
      ['c: I am calling about an invoice that I received last week.', 'c: Could you please call me back on Friday?'],
      900,
    )
    const [, sound] = sidesWith(placed, noise(60))
    const utterances: Parameters<LiveTranscriptionOptions['onUtterance']>[0][] = []
    let starts = 0
    const engine = await embedded.stt()
    const transcriber =
      engine &&
      (await embedded.listen(engine, {
        language: 'en',
        speaksAfterMs: 300,
        onSpeechStart: () => void starts++,
        onUtterance: (one) => void utterances.push(one),
        onLost: (why) => {
          throw new Error(why)
        },
      }))

    for (let at = 0; at < sound.length; at += 800) transcriber?.write(sound.slice(at, at + 800))
    await transcriber?.end()

    expect([utterances.length, starts]).toEqual([2, 2])
    for (const [index, { startMs, endMs }] of placed.entries()) {
      expect(Math.abs((utterances[index]?.startMs ?? 0) - startMs)).toBeLessThanOrEqual(300)
      expect(Math.abs((utterances[index]?.endMs ?? 0) - endMs)).toBeLessThanOrEqual(300)
    }
    const all = utterances.map(({ text }) => text).join(' ')
    expect(wordErrorRate(placed.map(({ text }) => text).join(' '), all)).toBeLessThanOrEqual(0.25)
  })

  test('another voice is transcribed as well, and live transcription supports English only', async () => {
    const embedded = speech()
    const engine = await embedded.stt()
    const samples = await spoken('I am calling about an invoice that I received last week.', 'espeak')

    const answer = await engine?.transcribe(
      { samples, rate: 8_000 },
      { language: 'en', urgent: true, signal: new AbortController().signal },
    )
    const french = engine && (await embedded.listen(engine, { language: 'fr', onUtterance() {}, onLost() {} }))

    expect(answer?.text.toLowerCase()).toContain('invoice')
    expect(french).toBeUndefined()
  })

  test('phrases that mean the same are closer than others', async () => {
    const embedded = speech()

    const [row] = (await embedded.similarity(['Thank you for calling us.'], ['thanks for your call', 'it rains'])) ?? []

    expect(row?.[0]).toBeGreaterThan(0.6)
    expect(row?.[1]).toBeLessThan(0.3)
  })

  test('a process that exits is restarted, and an idle one is stopped', async () => {
    const working = program()
    await working.request('embed', { texts: ['one'] })
    const { pid = 0 } = working

    process.kill(pid, 'SIGKILL')
    const first = await working.request('embed', { texts: ['two'] }).catch((error: Error) => error.name)
    const second = await working.request('embed', { texts: ['three'] })

    expect(first === 'SpeechGone' || Array.isArray(first)).toBe(true)
    expect(second).toHaveLength(1)
    expect(working.pid).not.toBe(pid)

    const idle = program(1)
    await idle.request('embed', { texts: ['one'] })
    while (idle.pid !== undefined) await turn()
    expect(await idle.request('embed', { texts: ['again'] })).toHaveLength(1)
  })

  test('an aborted request rejects at once', async () => {
    const working = program()
    const given = new AbortController()
    const long = working.request('moonshine', { samples: noise(2_000)(80_000), rate: 8_000 }, { signal: given.signal })

    given.abort(new Error('never mind'))

    await expect(long).rejects.toThrow('never mind')
  })
})
