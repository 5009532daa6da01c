import { bytesPerFrame, encodeMp3, sampleRate, samplesPerMp3Frame } from './mp3.ts'
import { tone } from './tones.ts'

/** A simulated recording as data, stored as JSON in a `.score` file: each side is a tone while it speaks. */
export interface ScriptedRecording {
  channels: 1 | 2
  parts: readonly RecordingSegment[]
  /** The spoken lines, as scripted. */
  lines?: readonly ScriptedLine[]
  /** Synthesized as speech, if a text-to-speech engine is configured; a stored name kept for compatibility. */
  aloud?: boolean
}

export interface ScriptedLine {
  side: 'left' | 'right'
  text: string
  /** Position in the recording. */
  startMs: number
  endMs: number
  /** When it began, on the wall clock. */
  at: number
  /** Number of an external party. */
  phone: string | null
  /** The AI voice agent that spoke the line. */
  voiceAgentId?: string
}

/** Hertz, or null for silence; agents are on the left, the customer on the right. A mono file has both mixed. */
export interface RecordingSegment {
  ms: number
  left: number | null
  right: number | null
}

/**
 * Renders hours in milliseconds: a few seconds of each pair of tones are encoded once and repeated. Rounding errors do not
 * accumulate, since each part ends at the frame nearest to its end in the whole recording.
 */
export async function mp3OfScriptedRecording({ channels, parts }: ScriptedRecording): Promise<Buffer> {
  const pieces: Buffer[] = []
  let endMs = 0
  let frames = 0
  for (const { ms, left, right } of parts) {
    endMs += ms
    const until = Math.round((endMs * sampleRate) / (1_000 * samplesPerMp3Frame))
    if (until === frames) continue
    const chunk = await chunkOf(channels, left, right)
    for (; frames < until; frames += framesPerChunk) {
      pieces.push(chunk.subarray(0, Math.min(until - frames, framesPerChunk) * bytesPerFrame(channels)))
    }
    frames = until
  }
  // An MP3 file needs at least one frame.
  if (frames === 0) pieces.push((await chunkOf(channels, null, null)).subarray(0, bytesPerFrame(channels)))
  return Buffer.concat(pieces)
}

const framesPerChunk = 140
const maxChunks = 200
const chunks = new Map<string, Promise<Buffer>>()

function chunkOf(channels: 1 | 2, left: number | null, right: number | null): Promise<Buffer> {
  const name = `${channels} ${left} ${right}`
  const known = chunks.get(name)
  if (known) return known
  const [oldest] = chunks.keys()
  if (chunks.size >= maxChunks && oldest !== undefined) chunks.delete(oldest)
  const made = encodeChunk(channels, left, right)
  chunks.set(name, made)
  return made
}

function encodeChunk(channels: 1 | 2, left: number | null, right: number | null): Promise<Buffer> {
  const length = framesPerChunk * samplesPerMp3Frame
  const [onLeft, onRight] = [tone(left, length, sampleRate), tone(right, length, sampleRate)]
  if (channels === 2) return encodeMp3([onLeft, onRight])
  return encodeMp3([onLeft.map((sample, i) => sample + (onRight[i] ?? 0))])
}

/** Throws if the text is not a scripted recording. */
export function parseScriptedRecording(text: string): ScriptedRecording {
  const recording: unknown = JSON.parse(text)
  if (!isScriptedRecording(recording)) throw new Error('not a scripted recording')
  return recording
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isScriptedRecording = (value: unknown): value is ScriptedRecording =>
  isRecord(value) &&
  (value.channels === 1 || value.channels === 2) &&
  Array.isArray(value.parts) &&
  value.parts.every((part) => isRecord(part) && isLength(part.ms) && isPitch(part.left) && isPitch(part.right)) &&
  (value.lines === undefined || (Array.isArray(value.lines) && value.lines.every(isLine)))

const isLine = (line: unknown) =>
  isRecord(line) && typeof line.text === 'string' && isLength(line.startMs) && isLength(line.endMs) && isLength(line.at)

const isLength = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0
const isPitch = (value: unknown) => value === null || (typeof value === 'number' && value > 0 && value < sampleRate / 2)
