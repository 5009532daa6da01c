import { type EngineKind, type EngineLine, isExternal } from '../domain/intelligence/engine-line.ts'

/** Why nobody does it, beside that nobody is set. */
export type Why = 'unreadable' | 'not_allowed'

interface Facts {
  line: EngineLine
  engine: string | null
  why?: Why
  /** What is set, allowed or not. */
  wanted: EngineLine
}

/** One sentence or two for people: who does it, or what is missing. */
export function explanationOf(kind: EngineKind, { line, engine, why, wanted }: Facts): string {
  const words = sentences[kind]
  const held =
    why === 'not_allowed' && isExternal(wanted)
      ? ` ${hostOf(wanted.url)} would do it, but this company has not allowed servers outside.`
      : ''
  if (why === 'unreadable') return `${words.off} What is set for it cannot be read any more.`
  if (engine !== null) return `${words.on} ${placeOf(line, engine)}${held}`
  if (held !== '') return `${words.off}${held}`
  return line.dialect === 'off' ? `${words.off} ${words.unset}` : `${words.off} ${words.missing}`
}

function placeOf(line: EngineLine, engine: string): string {
  if (!isExternal(line)) return `${engine.replace('embedded:', '')} on this machine.`
  return `${line.model === '' ? line.dialect : line.model} at ${hostOf(line.url)}.`
}

const hostOf = (url: string) => new URL(url).host

const sentences: Record<EngineKind, { on: string; off: string; unset: string; missing: string }> = {
  stt: {
    on: 'Speech is written down by',
    off: 'Transcription is off.',
    unset: 'Nothing is set for it.',
    missing: '`hookswitch models fetch` brings the models.',
  },
  llm: {
    on: 'Conversations are read by',
    off: 'No language model reads conversations.',
    unset: 'Rules make what they can.',
    missing: 'Rules make what they can.',
  },
  tts: {
    on: 'Words are spoken by',
    off: 'Nothing speaks.',
    unset: 'Nothing is set for it; recorded prompts still play.',
    missing: 'Install espeak-ng or flite on this machine, or set a server; recorded prompts still play.',
  },
  agent: {
    on: 'AI voice agents are carried by',
    off: 'No server listens and speaks by itself.',
    unset: 'AI voice agents use what understands, reads and speaks here.',
    missing: 'AI voice agents use what understands, reads and speaks here.',
  },
}
