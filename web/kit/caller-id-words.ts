import type { CallerIdVerification } from '../../src/domain/caller-id.ts'

/** STIR/SHAKEN in plain words; the letter is the attestation of the originating carrier. */
export function callerIdWords({ verification, attestation }: CallerIdVerification): string {
  const letter = attestation === null ? '' : ` (${attestation})`
  switch (verification) {
    case 'passed':
      return `Caller ID verified by the carrier${letter}`
    case 'failed':
      return 'Caller ID verification failed'
    case 'none':
      return attestation === null ? 'Caller ID not verified' : `Caller ID signed${letter}, not verified`
  }
}
