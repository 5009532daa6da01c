import type { Quality } from './voice.ts'

// The E-model of ITU-T G.107 with its default values, reduced to what RTP and RTCP show: loss, delay and jitter. Noise,
// echo and loudness are assumed to be ideal.

/** The transmission rating of a connection without delay and loss, with the default values of G.107. */
const idealRating = 93.2
/** G.113, appendix I: G.711 with packet loss concealment has no impairment of its own and tolerates random losses. */
const codecImpairment = 0
const lossRobustness = 25.1
/** A packet and the least depth of a jitter buffer. */
const fixedDelayMs = 60

/** The mean opinion score that the figures predict, from 1 (bad) to 4.5 (excellent); 4.41 is the best of G.711. */
export function estimatedMos({ lossPct, jitterMs, roundTripMs }: Quality): number {
  // A jitter buffer holds back about twice the jitter. A round trip that was not measured counts as none.
  const delayMs = (roundTripMs ?? 0) / 2 + 2 * jitterMs + fixedDelayMs
  return mosOf(idealRating - delayImpairment(delayMs) - lossImpairment(lossPct))
}

/** G.107 for an ideal echo path, by the approximation of Cole and Rosenbluth: conversations suffer above 177 ms. */
const delayImpairment = (delayMs: number) => 0.024 * delayMs + (delayMs > 177.3 ? 0.11 * (delayMs - 177.3) : 0)

/** G.107 §7.4 for random losses. */
const lossImpairment = (lossPct: number) =>
  codecImpairment + ((95 - codecImpairment) * lossPct) / (lossPct + lossRobustness)

/** G.107 annex B. */
function mosOf(rating: number): number {
  if (rating <= 0) return 1
  if (rating >= 100) return 4.5
  const mos = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6
  // Below a rating of 6.5 the polynomial falls below 1.
  return Math.max(1, mos)
}
