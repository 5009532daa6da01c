import { readFile } from 'node:fs/promises'
import { linearTable, samplesPerFrame } from '../media/g711.ts'

const maxKeptBytes = 64 * 1024 * 1024
const maxBytes = 16 * 1024 * 1024

/** LRU cache of µ-law files. */
export class Sounds {
  readonly #kept = new Map<string, Buffer>()
  #bytes = 0

  async load(file: string): Promise<Buffer | undefined> {
    const known = this.#kept.get(file)
    if (known) {
      this.#kept.delete(file)
      this.#kept.set(file, known)
      return known
    }
    const sound = await readFile(file).catch(() => undefined)
    if (!sound || sound.length > maxBytes) return undefined
    this.#bytes += sound.length
    this.#kept.set(file, sound)
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= maxKeptBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= length
    }
    return sound
  }
}

export type PlayEnd = 'done' | 'stopped' | 'dtmf' | 'lost'

export interface PlaybackOptions {
  loop?: boolean
  bargeInOn?: string
  ended(cause: PlayEnd): void
}

/** Plays sounds one after the other, 20 ms at a time. */
export class Player {
  readonly #sounds: readonly Buffer[]
  readonly #playing: PlaybackOptions
  readonly #loop: boolean
  #index = 0
  #at = 0

  constructor(sounds: readonly Buffer[], playing: PlaybackOptions) {
    this.#sounds = sounds.filter(({ length }) => length > 0)
    this.#playing = playing
    // An empty sound would loop forever.
    this.#loop = (playing.loop ?? false) && this.#sounds.length > 0
  }

  endsOn(digit: string): boolean {
    return this.#playing.bargeInOn?.includes(digit) ?? false
  }

  /** Called when the player is removed from its leg. */
  end(cause: PlayEnd): void {
    this.#playing.ended(cause)
  }

  /** False when everything has been played; the frame is then unchanged. */
  next(into: Int16Array): boolean {
    const table = linearTable('PCMU')
    let filled = 0
    while (filled < samplesPerFrame) {
      const sound = this.#current()
      if (!sound) break
      const count = Math.min(samplesPerFrame - filled, sound.length - this.#at)
      for (let i = 0; i < count; i++) into[filled + i] = table[sound[this.#at + i] ?? 0] ?? 0
      filled += count
      this.#at += count
    }
    if (filled === 0) return false
    into.fill(0, filled)
    return true
  }

  #current(): Buffer | undefined {
    const sound = this.#sounds[this.#index]
    if (!sound || this.#at < sound.length) return sound
    this.#at = 0
    this.#index++
    if (this.#loop) this.#index %= this.#sounds.length
    return this.#sounds[this.#index]
  }
}
