import { type EngineKind, type EngineLine, isExternal } from '../domain/intelligence/engine-line.ts'

/** Why an engine is off although one is configured. */
export type EngineOffReason = 'unreadable' | 'not_allowed'

interface Facts {
  line: EngineLine
  engine: string | null
  why?: EngineOffReason
  /** The configured engine, allowed or not. */
  wanted: EngineLine
}

/** One or two sentences for the dashboard: which engine is used, or what is missing. */
export function explanationOf(kind: EngineKind, { line, engine, why, wanted }: Facts): string {
  const words = sentences[kind]
  const held =
    why === 'not_allowed' && isExternal(wanted)
      ? ` ${hostOf(wanted.url)} is configured, but this company has not allowed external AI providers.`
      : ''
  if (why === 'unreadable') return `${words.off} The stored setting is invalid.`
  if (engine !== null) return `${words.on} ${placeOf(line, engine)}${held}`
  if (held !== '') return `${words.off}${held}`
  return line.kind === 'off' ? `${words.off} ${words.unset}` : `${words.off} ${words.missing}`
}

function placeOf(line: EngineLine, engine: string): string {
  if (!isExternal(line)) return `${engine.replace('embedded:', '')} on this server.`
  return `${line.model === '' ? line.kind : line.model} at ${hostOf(line.url)}.`
}

const hostOf = (url: string) => new URL(url).host

const sentences: Record<EngineKind, { on: string; off: string; unset: string; missing: string }> = {
  stt: {
    on: 'Speech-to-text:',
    off: 'Transcription is off.',
    unset: 'No speech-to-text engine is configured.',
    missing: 'Run `hookswitch models fetch` to download the models.',
  },
  llm: {
    on: 'LLM:',
    off: 'No LLM is used.',
    unset: 'Built-in rules are used instead.',
    missing: 'Built-in rules are used instead.',
  },
  tts: {
    on: 'Text-to-speech:',
    off: 'Text-to-speech is off.',
    unset: 'No engine is configured; recorded prompts still play.',
    missing: 'Install espeak-ng or flite on this server, or configure a speech server; recorded prompts still play.',
  },
}
