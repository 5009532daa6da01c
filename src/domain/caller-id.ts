/**
 * What the telephone network reports about the caller ID of an inbound call (STIR/SHAKEN). It is passed on as received:
 * signatures and certificates are verified by the carrier, not here.
 */
export interface CallerIdVerification {
  /** Result of the carrier (`verstat`); `none`: it reports no verification. */
  verification: 'passed' | 'failed' | 'none'
  /** By the originating carrier: A full, B partial, C gateway; null: unknown. */
  attestation: Attestation | null
}

export type Attestation = 'A' | 'B' | 'C'
