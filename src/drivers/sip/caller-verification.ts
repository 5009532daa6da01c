import { Buffer } from 'node:buffer'
import type { Attestation, CallerIdVerification } from '../../domain/caller-id.ts'
import { header, headerList, type SipRequest } from './message.ts'

/**
 * The caller ID verification that the carrier reports: `verstat` of P-Asserted-Identity or From (3GPP TS 24.229), and the
 * attestation of `verstat`, of a header of the carrier, or of the Identity header (RFC 8224). undefined: it reports nothing.
 */
export function callerVerificationOf(request: SipRequest): CallerIdVerification | undefined {
  const parties = [...headerList(request, 'p-asserted-identity'), header(request, 'from') ?? '']
  const verstat = parties.map(verstatIn).find((one) => one !== undefined)
  const isSigned = header(request, 'identity') !== undefined
  const attestation = verstat?.attestation ?? headerAttestation(request) ?? signedAttestation(request)
  if (!verstat && attestation === undefined && !isSigned) return undefined
  return { verification: verstat?.verification ?? 'none', attestation: attestation ?? null }
}

interface Verstat {
  verification: CallerIdVerification['verification']
  attestation: Attestation | undefined
}

const results: Record<string, CallerIdVerification['verification']> = {
  'TN-VALIDATION-PASSED': 'passed',
  'TN-VALIDATION-FAILED': 'failed',
  'NO-TN-VALIDATION': 'none',
}

/** A parameter of the number (`sip:+1…;verstat=…@host`, `tel:+1…;verstat=…`); some carriers append the attestation. */
function verstatIn(value: string): Verstat | undefined {
  const [, result = '', letter] = /;verstat=([a-z-]{1,30}?)(?:-([abc]))?(?=[;@>\s]|$)/i.exec(value) ?? []
  const verification = results[result.toUpperCase()]
  return verification && { verification, attestation: attestationIn(letter) }
}

function headerAttestation(request: SipRequest): Attestation | undefined {
  return attestationIn(header(request, 'p-attestation-indicator') ?? header(request, 'attestation-info'))
}

function signedAttestation(request: SipRequest): Attestation | undefined {
  for (const identity of headerList(request, 'identity')) {
    const found = attestOf(identity)
    if (found) return found
  }
  return undefined
}

/** RFC 8225 §3: the claims are the second part of the token; the compact form has none. */
function attestOf(identity: string): Attestation | undefined {
  const [, claims] = /^[\w-]{1,1024}\.([\w-]{1,2048})\.[\w-]{0,1024}(?:;|$)/.exec(identity) ?? []
  if (claims === undefined) return undefined
  try {
    const parsed: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))
    const isObject = typeof parsed === 'object' && parsed !== null
    return isObject && 'attest' in parsed ? attestationIn(parsed.attest) : undefined
  } catch {
    // Untrusted text that is no token.
    return undefined
  }
}

function attestationIn(value: unknown): Attestation | undefined {
  const letter = typeof value === 'string' ? value.trim().toUpperCase() : undefined
  return letter === 'A' || letter === 'B' || letter === 'C' ? letter : undefined
}
