import { rename, writeFile } from 'node:fs/promises'
import type { CompanyId } from '../../../db/tables.ts'
import { type Language, languageOf, type TtsEngine } from '../../../domain/intelligence/engines.ts'
import { second } from '../../../lib/clock.ts'
import { encodeInto, samplesPerFrame } from '../../../media/g711.ts'
import type { Sidecar } from '../../../media/raw-recording.ts'
import type { ScriptedLine, ScriptedRecording } from '../../../media/scripted-recording.ts'
import type { Services } from '../../../services.ts'
import { findCall } from '../../calls/index.ts'
import { settingsForNumber } from '../settings/store.ts'

// Synthesizes the script of a simulated call into a raw recording, as the media process would have written it.

const samplesIn = (ms: number) => Math.round(ms * 8)
const maxMs = 20 * 60 * second
const maxLines = 200
const ttsTimeoutMs = 20 * second

/** File of the raw recording; undefined if speech is not requested or there is no text-to-speech engine. */
export async function synthesizeSimulatedCall(
  services: Services,
  companyId: CompanyId,
  callId: number,
  source: string,
  script: ScriptedRecording,
): Promise<string | undefined> {
  const { ai, log } = services
  const { parts, lines = [] } = script
  const ms = parts.reduce((sum, part) => sum + part.ms, 0)
  const tts = script.aloud && ms <= maxMs && lines.length <= maxLines ? await ai.tts(companyId) : undefined
  if (!tts || ms === 0) return undefined
  try {
    const language = await languageOfCall(services, companyId, callId)
    const sides = [new Int16Array(samplesIn(ms)), new Int16Array(samplesIn(ms))]
    for (const line of lines) await speak(services, tts, language, sides, lines, line)
    return await write(source, script, sides)
  } catch (error) {
    log.warn({ event: 'tts.simulated_call_failed', error, callId }, 'text-to-speech of a simulated call failed')
    return undefined
  }
}

async function languageOfCall({ db }: Services, companyId: CompanyId, callId: number): Promise<Language> {
  const call = await findCall(db, companyId, callId)
  const tag = call && (await settingsForNumber(db, companyId, call.numberId)).language
  return languageOf(tag) ?? 'en'
}

/** At most until the next line of the same side. */
async function speak(
  { clock }: Services,
  tts: TtsEngine,
  language: Language,
  sides: readonly Int16Array[],
  lines: readonly ScriptedLine[],
  { side, text, startMs }: ScriptedLine,
): Promise<void> {
  const into = sides[side === 'left' ? 0 : 1] ?? new Int16Array(0)
  const next = lines.find((other) => other.side === side && other.startMs > startMs)
  const until = Math.min(into.length, next ? samplesIn(next.startMs) : into.length)
  const control = new AbortController()
  const cancel = clock.machineAfter(ttsTimeoutMs, () => control.abort(new Error('text-to-speech timed out')))
  try {
    let at = samplesIn(startMs)
    for await (const samples of tts.speak(text, { language, signal: control.signal })) {
      into.set(samples.subarray(0, Math.max(0, until - at)), Math.min(at, until))
      at += samples.length
      if (at >= until) break
    }
  } finally {
    cancel()
  }
}

async function write(
  source: string,
  { channels, lines = [] }: ScriptedRecording,
  sides: readonly Int16Array[],
): Promise<string> {
  const [left = new Int16Array(0), right = new Int16Array(0)] = sides
  const frames = Math.floor(left.length / samplesPerFrame)
  const bytes = Buffer.alloc(frames * samplesPerFrame * channels)
  for (let frame = 0; frame < frames; frame++) {
    const of = (side: Int16Array) => side.subarray(frame * samplesPerFrame, (frame + 1) * samplesPerFrame)
    const at = frame * samplesPerFrame * channels
    if (channels === 1) encodeInto('PCMU', of(right), bytes, at)
    else {
      encodeInto('PCMU', of(left), bytes, at)
      encodeInto('PCMU', of(right), bytes, at + samplesPerFrame)
    }
  }
  const [first] = lines
  const sidecar: Sidecar = {
    channels,
    startedAt: first ? first.at - first.startMs : 0,
    pauses: [],
    lines: lines.flatMap(({ voiceAgentId, text, startMs, endMs, at }) =>
      voiceAgentId === undefined ? [] : [{ speaker: voiceAgentId, text, startMs, endMs, at }],
    ),
  }
  const file = source.replace(/\.score$/, '.ulaw')
  await writeFile(file.replace(/\.ulaw$/, '.json'), JSON.stringify(sidecar))
  await writeFile(`${file}.part`, bytes)
  await rename(`${file}.part`, file)
  return file
}
