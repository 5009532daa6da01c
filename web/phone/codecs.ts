// What is offered to the server: the sound of the telephone network, so that nothing has to be converted on the way; before
// it Opus, if that is what the person wants.

interface Codec {
  mimeType: string
  clockRate: number
}

const opus = ['audio/opus', 48_000] as const

const wanted = [
  ['audio/pcmu', 8_000],
  ['audio/telephone-event', 8_000],
  ['audio/telephone-event', 48_000],
] as const

/** Those of the browser's codecs that are offered, the best first; the others are left out. */
export const preferredCodecs = <C extends Codec>(codecs: readonly C[], isRobust = false): C[] =>
  [...(isRobust ? [opus] : []), ...wanted].flatMap(([type, rate]) =>
    codecs.filter(({ mimeType, clockRate }) => mimeType.toLowerCase() === type && clockRate === rate),
  )

/** RFC 3551 §6: this payload type needs no description. */
const known: Record<string, string> = { '0': 'PCMU/8000' }

/** The formats of each audio line of an offer, such as `PCMU/8000`, in order of preference. */
export function formatsOffered(sdp: string): string[][] {
  const names = new Map(Object.entries(known))
  for (const [, type = '', name = ''] of sdp.matchAll(/^a=rtpmap:(\d+) ([^\s/]+\/\d+)/gm)) names.set(type, name)
  return [...sdp.matchAll(/^m=audio \d+ \S+ ([\d ]+)/gm)].map(([, types = '']) =>
    types
      .trim()
      .split(' ')
      .map((type) => names.get(type) ?? type),
  )
}
