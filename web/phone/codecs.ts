// Codecs of the SDP offer: G.711 of the telephone network, which needs no transcoding, and Opus, which the server selects
// for wideband calls. Opus comes first if the user has selected it for weak networks.

interface Codec {
  mimeType: string
  clockRate: number
}

const opus = ['audio/opus', 48_000] as const

const g711 = ['audio/pcmu', 8_000] as const

const events = [
  ['audio/telephone-event', 8_000],
  ['audio/telephone-event', 48_000],
] as const

/** The browser's codecs to offer, in order of preference; all others are left out. */
export const preferredCodecs = <C extends Codec>(codecs: readonly C[], isRobust = false): C[] =>
  (isRobust ? [opus, g711, ...events] : [g711, opus, ...events]).flatMap(([type, rate]) =>
    codecs.filter(({ mimeType, clockRate }) => mimeType.toLowerCase() === type && clockRate === rate),
  )

/** RFC 3551 §6: static payload types need no rtpmap. */
const staticTypes: Record<string, string> = { '0': 'PCMU/8000' }

/** The formats of each audio line of an offer, such as `PCMU/8000`, in order of preference. */
export function formatsOffered(sdp: string): string[][] {
  const names = new Map(Object.entries(staticTypes))
  for (const [, type = '', name = ''] of sdp.matchAll(/^a=rtpmap:(\d+) ([^\s/]+\/\d+)/gm)) names.set(type, name)
  return [...sdp.matchAll(/^m=audio \d+ \S+ ([\d ]+)/gm)].map(([, types = '']) =>
    types
      .trim()
      .split(' ')
      .map((type) => names.get(type) ?? type),
  )
}
