import type { RecordingConsent } from '../../src/domain/call/state.ts'

/** The result of a recording announcement. */
export function consentWords(consent: RecordingConsent): string {
  switch (consent) {
    case 'announced':
      return 'Recording announced'
    case 'consented':
      return 'Recording: consent given'
    case 'declined':
      return 'Not recorded: the other party declined'
    case 'no_response':
      return 'Not recorded: no consent given'
    case 'failed':
      return 'Not recorded: the announcement could not be played'
  }
}
