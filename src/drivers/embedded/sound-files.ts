import type { MediaId } from '../../domain/voice.ts'
import type { CallSounds } from '../call-sounds.ts'

/** The µ-law files of built-in sounds and of uploaded audio. */
export interface SoundFiles {
  prepare(): Promise<unknown>
  /** In playback order; audio without a file is left out. */
  filesOf(names: readonly MediaId[]): Promise<string[]>
}

export interface SoundSources {
  /** The built-in sounds, prepared on first use. */
  prepareSounds(): Promise<CallSounds>
  /** The µ-law file of an uploaded audio file; undefined if there is none. */
  soundOf(media: MediaId): Promise<string | undefined>
}

export function createSoundFiles({ prepareSounds, soundOf }: SoundSources): SoundFiles {
  let sounds: Promise<CallSounds> | undefined

  function prepare(): Promise<CallSounds> {
    sounds ??= prepareSounds()
    return sounds
  }

  return {
    prepare,
    async filesOf(names) {
      const own = await prepare()
      const found = await Promise.all(
        names.map(async (name) => own.filesOf(name) ?? [(await soundOf(name)) ?? []].flat()),
      )
      return found.flat()
    },
  }
}
