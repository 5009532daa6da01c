import { isE164 } from '../../src/domain/phone-number.ts'
import { isEmergencyAnywhere } from '../../src/domain/toll.ts'
import { readNumber } from '../kit/phone-number.ts'

// Numbers to dial, links that contain one, and links that are safe to open.

/**
 * The number in `tel:+33…`, `callto:+33…`, `hookswitch:+33…`, `hookswitch://call?number=+33…` or in plain text; undefined
 * when there is none.
 */
export function numberIn(text: string): string | undefined {
  const scheme = /^([a-z][a-z+.-]*):(.*)$/is.exec(text.trim())
  if (!scheme) return phoneIn(text)
  const [, name = '', rest = ''] = scheme
  if (!dialSchemes.has(name.toLowerCase())) return undefined
  // In a query a plus means a space, which makes no sense at the start of a phone number.
  const query = /^\/\/call\/?\?(?:.*&)?number=([^&#]*)/i.exec(rest)?.[1]
  const path = rest.replace(/^\/\//, '').split(/[;?#]/)[0] ?? ''
  return phoneIn(decoded(query?.replace(/^ /, '+') ?? path))
}

/** Numbers in E.164 format, extensions and emergency numbers. */
export const mayDial = (text: string) => isE164(text) || /^\d{3,6}$/.test(text) || isEmergencyAnywhere(text)

const dialSchemes = new Set(['tel', 'callto', 'hookswitch', 'web+hookswitch'])

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function phoneIn(text: string): string | undefined {
  const bare = text.replace(/\(0\)/, '').replace(/[\s().\-/\u00a0\u2010-\u2015]/g, '')
  const international = bare.replace(/^00(?=[1-9])/, '+')
  if (isE164(international)) return international
  const national = readNumber(text)
  if (national) return national
  return /^[\d*#]{1,15}$/.test(bare) ? bare : undefined
}

/** The number to dial in the URL of the page: `/phone?dial=…`, `/phone/dial?to=tel:…`. */
export function dialRequest(address: string): string | undefined {
  const url = new URL(address)
  const requested =
    url.searchParams.get('dial') ?? (/\/dial\/?$/.test(url.pathname) ? url.searchParams.get('to') : null)
  if (requested === null) return undefined
  // An unescaped plus was decoded to a space.
  return numberIn(requested.replace(/^( |(?:tel|callto|hookswitch): )/i, (start) => start.replace(' ', '+')))
}

/** The call to supervise in the URL of the page: `/phone?listen=KEY&mode=whisper`. */
export function superviseRequest(address: string): { key: string; mode: 'listen' | 'whisper' | 'join' } | undefined {
  const { searchParams } = new URL(address)
  const key = searchParams.get('listen')
  if (!key) return undefined
  const mode = searchParams.get('mode')
  return { key, mode: mode === 'whisper' || mode === 'join' ? mode : 'listen' }
}

/** A window for supervision, also when it is loaded again without a call: `/phone?listen`. */
export const isSupervision = (address: string) => new URL(address).searchParams.has('listen')

/** The call to show in the URL of the page, as in e-mails about voicemails: `/phone?call=ID`. */
export const callRequest = (address: string) => idRequest(address, 'call')

/** The colleague whose conversation to show, as in notifications about messages: `/phone?colleague=ID`. */
export const colleagueRequest = (address: string) => idRequest(address, 'colleague')

function idRequest(address: string, name: string): number | undefined {
  const given = new URL(address).searchParams.get(name) ?? ''
  return /^\d{1,15}$/.test(given) ? Number(given) : undefined
}

const safeProtocols = new Set(['http:', 'https:', 'tel:', 'mailto:'])

/** The URL as the browser parses it, or undefined when it must not be opened. */
export function safeLink(link: string | undefined): string | undefined {
  if (link === undefined) return undefined
  try {
    const url = new URL(link.trim())
    return safeProtocols.has(url.protocol) ? url.href : undefined
  } catch {
    return undefined
  }
}
