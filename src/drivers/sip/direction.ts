/** Media direction from the point of view of the SDP's author (RFC 3264 §5.1). */
export type MediaDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

/** Reads the direction and connection lines of an offer, to detect hold; the rest of the SDP is not parsed here. */
export function directionOf(sdp: string): MediaDirection {
  const lines = sdp.split(/\r?\n/)
  const audio = lines.findIndex((line) => line.startsWith('m=audio'))
  const session = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('m=')),
  )
  const media = audio < 0 ? [] : lines.slice(audio + 1)
  const end = media.findIndex((line) => line.startsWith('m='))
  const own = end < 0 ? media : media.slice(0, end)
  const named = find(own) ?? find(session) ?? 'sendrecv'
  const address = [...own, ...session].find((line) => line.startsWith('c='))
  // RFC 3264 §8.4: hold as in RFC 2543, by the address 0.0.0.0.
  const isBlackHole = address !== undefined && /^c=IN IP(4 0\.0\.0\.0|6 ::)\s*$/.test(address)
  return isBlackHole && named === 'sendrecv' ? 'sendonly' : named
}

const find = (lines: string[]): MediaDirection | undefined =>
  (['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const).find((one) => lines.includes(`a=${one}`))

/** RFC 3264 §6.1: the direction of the answer to an offer. */
export const answerDirections: Record<MediaDirection, MediaDirection> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
}

export const isHold = (direction: MediaDirection) => direction === 'sendonly' || direction === 'inactive'
