import { type FileHandle, mkdir, open, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RecordOptions } from '../domain/voice.ts'
import { bytesPerSecond, encodeInto, samplesPerFrame } from '../media/g711.ts'
import type { Sidecar } from '../media/raw-recording.ts'
import type { SpokenLine } from './voice.ts'

const framesPerSecond = 50
const framesAtOnce = 25
/** More unwritten chunks than this (30 s) mean that the disk is too slow. */
const maxUnwritten = 60
/** About -44 dBFS. */
const quietBelow = 200
/** Kept after the last speech. */
const framesKeptOfSilence = 10

export interface RecorderEnd {
  file: string
  seconds: number
}

/**
 * Appends raw µ-law to a file that is renamed at the end: what was written before a crash can be played. Two channels are
 * interleaved by frame, internal side first. Nothing is written during a pause; the sidecar file stores when it was.
 */
export class Recorder {
  readonly id: string
  readonly options: RecordOptions
  readonly #folder: string
  readonly #now: () => number
  readonly #part: string
  readonly #sidecar: Sidecar
  #file: FileHandle | undefined
  #chunk: Buffer
  #filled = 0
  #unwritten = 0
  #writing: Promise<void>
  #isPaused = false
  #frames = 0
  /** Lines spoken by a voice. */
  readonly #lines: { line: SpokenLine; startMs: number; endMs: number; at: number }[] = []
  /** The frame after the last one with speech. */
  #spoken = 0
  failure: Error | null = null

  constructor(id: string, folder: string, options: RecordOptions, now: () => number) {
    this.id = id
    this.options = options
    this.#folder = folder
    this.#now = now
    this.#part = path.join(folder, `${id}.ulaw.part`)
    this.#sidecar = { channels: options.channels, startedAt: now(), pauses: [] }
    this.#chunk = this.#newChunk()
    this.#writing = this.#open()
  }

  #newChunk = () => Buffer.allocUnsafe(framesAtOnce * samplesPerFrame * this.options.channels)

  async #open(): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true })
      this.#file = await open(this.#part, 'w')
      await this.#note()
    } catch (error) {
      this.#fail(error)
    }
  }

  #note = () => writeFile(path.join(this.#folder, `${this.id}.json`), JSON.stringify(this.#noted()))

  #noted(): Sidecar {
    const lines = this.#lines.map(({ line, ...times }) => ({ ...line, ...times })).filter(({ text }) => text !== '')
    return lines.length === 0 ? this.#sidecar : { ...this.#sidecar, lines }
  }

  /** The next frame is part of a voice's line. */
  note(line: SpokenLine | null): void {
    if (!line || this.#isPaused) return
    const last = this.#lines.at(-1)
    const startMs = this.#lengthMs()
    const endMs = startMs + 1_000 / framesPerSecond
    if (last?.line === line) last.endMs = endMs
    else {
      this.#lines.push({ line, startMs, endMs, at: this.#now() })
      this.#then(this.#note)
    }
  }

  #fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : new Error(String(error))
  }

  /** Writes one frame; true if it was the last one. With one channel only `internal` is written. */
  write(internal: Int16Array, external: Int16Array): boolean {
    if (this.#isPaused) return false
    if (this.failure) return true
    this.#append(internal)
    if (this.options.channels === 2) this.#append(external)
    this.#frames++
    const { maxSec, silenceStopSec } = this.options
    const isFull = maxSec !== undefined && this.#frames >= maxSec * framesPerSecond
    if (silenceStopSec === undefined) return isFull
    if (isLoud(internal) || (this.options.channels === 2 && isLoud(external))) this.#spoken = this.#frames
    const silent = this.#frames - this.#spoken
    return isFull || silent >= silenceStopSec * framesPerSecond
  }

  #append(frame: Int16Array): void {
    encodeInto('PCMU', frame, this.#chunk, this.#filled)
    this.#filled += samplesPerFrame
    if (this.#filled === this.#chunk.length) this.#flush()
  }

  #flush(): void {
    const bytes = this.#chunk.subarray(0, this.#filled)
    this.#chunk = this.#newChunk()
    this.#filled = 0
    if (++this.#unwritten > maxUnwritten) this.#fail(new Error('the disk is too slow'))
    this.#then(async () => {
      await this.#file?.write(bytes)
      this.#unwritten--
    })
  }

  #then(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(work).catch((error) => this.#fail(error))
  }

  pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#sidecar.pauses.push({ offsetMs: this.#lengthMs(), from: this.#now(), until: null })
    this.#then(this.#note)
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    const last = this.#sidecar.pauses.at(-1)
    if (last) last.until = this.#now()
    this.#then(this.#note)
  }

  #lengthMs = () => (this.#frames * 1_000) / framesPerSecond

  /** Resolves when the file has its final name. Trailing silence is cut off a message that ended by silence. */
  async finish(): Promise<RecorderEnd> {
    if (this.#filled > 0) this.#flush()
    const frames =
      this.options.silenceStopSec === undefined
        ? this.#frames
        : this.#spoken === 0
          ? 0
          : Math.min(this.#frames, this.#spoken + framesKeptOfSilence)
    const bytes = frames * samplesPerFrame * this.options.channels
    const file = this.#part.slice(0, -'.part'.length)
    this.#then(async () => {
      if (frames < this.#frames) await this.#file?.truncate(bytes)
      await this.#note()
      await this.#file?.close()
      await rename(this.#part, file)
    })
    await this.#writing
    return { file, seconds: (frames * samplesPerFrame) / bytesPerSecond }
  }
}

function isLoud(frame: Int16Array): boolean {
  let power = 0
  for (let i = 0; i < frame.length; i++) power += (frame[i] ?? 0) ** 2
  return power > quietBelow * quietBelow * frame.length
}
