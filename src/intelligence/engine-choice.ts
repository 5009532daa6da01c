import {
  type EngineKind,
  type EngineLine,
  type EngineSettings,
  isExternal,
  readEngineLine,
} from '../domain/intelligence/engine-line.ts'
import type { CompanyEngines } from '../features/intelligence/providers/store.ts'
import type { Vault } from '../lib/secrets.ts'
import type { EngineState } from '../services.ts'
import type { EngineOffReason } from './state.ts'

/** The selected engine with its key, or why there is none. */
export interface ChosenEngine {
  source: EngineState['source']
  line: EngineLine
  key: string | undefined
  why?: EngineOffReason
}

interface Defaults {
  settings: EngineSettings
  vault: Vault
}

/** An external server that the company has not allowed is replaced by the built-in engine, or by none. */
export function chooseEngine({ settings, vault }: Defaults, kind: EngineKind, company: CompanyEngines): ChosenEngine {
  const own = company.lines[kind]
  const read = own === undefined ? undefined : readEngineLine(kind, own)
  const chosen: ChosenEngine =
    read === undefined
      ? { source: 'operator', ...settings[kind] }
      : 'problem' in read
        ? { source: 'company', line: { kind: 'off' }, key: undefined, why: 'unreadable' }
        : { source: 'company', line: read.line, key: keysIn(vault, company)[kind] }
  if (!isExternal(chosen.line) || company.externalAllowed) return chosen
  const instead: EngineLine = kind === 'stt' || kind === 'tts' ? { kind: 'embedded', options: {} } : { kind: 'off' }
  return { source: chosen.source, line: instead, key: undefined, why: 'not_allowed' }
}

const keysIn = (vault: Vault, { keysSealed }: CompanyEngines): Partial<Record<EngineKind, string>> =>
  keysSealed === null ? {} : JSON.parse(vault.open(keysSealed))
