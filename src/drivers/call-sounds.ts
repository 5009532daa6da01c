import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { MediaId } from '../domain/voice.ts'
import { randomId } from '../lib/secrets.ts'
import { beep, busy, ringback, waitingMusic } from '../media/call-sounds.ts'
import { toUlaw8k } from '../media/to-ulaw.ts'

// The built-in sounds, as files that the media process can play. Prompts are recorded in six languages (scripts/prompts.ts),
// tones are computed.

export interface CallSounds {
  /** The files of a built-in sound, in playback order; undefined for any other name. */
  filesOf(media: MediaId): string[] | undefined
}

const computed: Readonly<Record<string, () => Buffer>> = {
  beep,
  busy,
  ringing_tone: ringback,
  waiting: waitingMusic,
}

const prompts = path.join(import.meta.dirname, 'prompts')
export const promptLanguages = ['en', 'fr', 'es', 'de', 'nl', 'it'] as const
export type PromptLanguage = (typeof promptLanguages)[number]

/** `welcome` is spoken in the language given here, `fr/welcome` in French. A number is spoken digit by digit. */
export async function prepareCallSounds(folder: string, language: PromptLanguage): Promise<CallSounds> {
  const files = new Map<string, string>()
  const keep = async (name: string, ulaw: Buffer) => {
    const file = path.join(folder, `${name}.ulaw`)
    await mkdir(path.dirname(file), { recursive: true })
    // Written to a temporary file and renamed: the old file may be playing, and other processes may write the same file.
    const part = `${file}.${randomId()}.part`
    await writeFile(part, ulaw)
    await rename(part, file)
    files.set(name, file)
  }
  for (const [name, make] of Object.entries(computed)) await keep(name, make())
  for (const spoken of promptLanguages) {
    for (const entry of await readdir(path.join(prompts, spoken))) {
      const sound = await toUlaw8k(await readFile(path.join(prompts, spoken, entry)))
      if ('problem' in sound) throw new Error(`prompt ${spoken}/${entry}: ${sound.problem}`)
      await keep(`${spoken}/${path.basename(entry, '.wav')}`, sound.ulaw)
    }
  }
  const fileOf = (name: string, spoken: string) => files.get(name) ?? files.get(`${spoken}/${name}`)
  return {
    filesOf(media) {
      const [, own = language, name = media] = /^([a-z]{2})\/(\w+)$/.exec(media) ?? []
      const parts = /^\d{1,6}$/.test(name) ? [...name] : [name]
      const found = parts.map((part) => fileOf(part, own)).filter((file) => file !== undefined)
      return found.length === parts.length ? found : undefined
    },
  }
}
