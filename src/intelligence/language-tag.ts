import type { Language } from '../domain/intelligence/engines.ts'

const countries: Record<Language, string> = { en: 'US', fr: 'FR', es: 'ES', de: 'DE', nl: 'NL', it: 'IT' }

/** For servers that require a region with the language. */
export const languageTagOf = (language: Language): string => `${language}-${countries[language]}`
