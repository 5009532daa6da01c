import { useQuery } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'
import type { LanguageTag } from './guide.ts'

// Conversation intelligence settings: company default and overrides by number.

type SettingsResponse = ResponseOf<'/v1/intelligence/settings'>
/** `transcription_available`: whether a speech-to-text engine can transcribe calls over SIP trunks. */
export type Settings = SettingsResponse['settings'] & Omit<SettingsResponse, 'settings'>

export const settingsKey = ['intelligence', 'settings']

export const useIntelligence = () =>
  useQuery({
    queryKey: settingsKey,
    queryFn: async (): Promise<Settings> => {
      const { settings, ...more } = await api.get('/v1/intelligence/settings')
      return { ...settings, ...more }
    },
    staleTime: 30_000,
  })

export function isOnFor(settings: Settings | undefined, numberId: number | undefined): boolean {
  if (!settings) return false
  return settings.numbers.find(({ number_id }) => number_id === numberId)?.enabled ?? settings.enabled
}

export type Choice = 'company' | 'on' | 'off'

export const choiceOf = (settings: Settings, numberId: number): Choice => {
  const own = settings.numbers.find(({ number_id }) => number_id === numberId)
  return own === undefined ? 'company' : own.enabled ? 'on' : 'off'
}

/** A number uses the company default or its own setting. */
export function withChoice(settings: Settings, numberId: number, choice: Choice): Settings {
  const own = settings.numbers.find(({ number_id }) => number_id === numberId)
  const others = settings.numbers.filter(({ number_id }) => number_id !== numberId)
  if (choice === 'company') return { ...settings, numbers: others }
  const mine = { number_id: numberId, enabled: choice === 'on', language: own?.language ?? null }
  return { ...settings, numbers: [...others, mine].sort((a, b) => a.number_id - b.number_id) }
}

export const withLanguage = (settings: Settings, numberId: number, language: LanguageTag | null): Settings => ({
  ...settings,
  numbers: settings.numbers.map((one) => (one.number_id === numberId ? { ...one, language } : one)),
})

export const transcriptionLanguages: { value: LanguageTag; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'en-US', label: 'English (US)' },
  { value: 'en-GB', label: 'English (UK)' },
  { value: 'en-AU', label: 'English (Australia)' },
  { value: 'fr-FR', label: 'French' },
  { value: 'es-ES', label: 'Spanish' },
  { value: 'de-DE', label: 'German' },
  { value: 'nl-NL', label: 'Dutch' },
  { value: 'it-IT', label: 'Italian' },
]

export const languageName = (tag: string | null): string =>
  transcriptionLanguages.find(({ value }) => value === (tag ?? 'en') || value.split('-')[0] === tag)?.label ??
  tag ??
  'English'
