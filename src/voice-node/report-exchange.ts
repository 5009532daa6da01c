import type { Quality } from '../domain/voice.ts'
import { compactNtp, type ReportBlock, readReports, writeReport } from './rtcp.ts'
import type { RtpStream } from './stream.ts'

/** Three missing reports. */
const reportsLastMs = 20_000
/** About five seconds of the reports to browsers. */
const reportsHeld = 5
const leastRedundancyPct = 10

/** The RTCP reports of one RTP stream, in both directions. Times are UNIX milliseconds. */
export class ReportExchange {
  readonly #stream: RtpStream
  readonly #cname: string
  #theirReport: { ntp: number; at: number } | null = null
  #far: { quality: Quality; at: number } | null = null
  #recentLosses: number[] = []

  constructor(stream: RtpStream, cname: string) {
    this.#stream = stream
    this.#cname = cname
  }

  /** How the far end receives our stream; null if there is no recent report. */
  far(at: number): Quality | null {
    return this.#far && at - this.#far.at < reportsLastMs ? this.#far.quality : null
  }

  write(at: number): Buffer {
    const { ssrc, sent, reception } = this.#stream
    const sender = sent.packets > 0 ? { at, ...sent } : null
    return writeReport(ssrc, sender, this.#block(reception.takeReport(), at), this.#cname)
  }

  #block(figures: ReturnType<RtpStream['reception']['takeReport']>, at: number): ReportBlock | null {
    if (!figures) return null
    const theirs = this.#theirReport
    return {
      ...figures,
      fractionLost: this.#stream.isOpus ? this.#redundancyWanted() : figures.fractionLost,
      // Measured at 8 kHz, reported at the clock rate of the stream.
      jitter: Math.round(figures.jitter * (this.#stream.clockRate / 8_000)),
      lastReport: theirs?.ntp ?? 0,
      delay: theirs ? Math.max(0, Math.round(((at - theirs.at) / 1_000) * 65_536)) : 0,
    }
  }

  /**
   * Opus senders add redundancy by this figure. Browsers smooth it over ten seconds, so a loss of 1 % would take effect too
   * late or not at all. Any loss of the last seconds is therefore reported as at least 10 %, and reordering as none.
   */
  #redundancyWanted(): number {
    this.#recentLosses = [...this.#recentLosses.slice(1 - reportsHeld), this.#stream.reception.takeSettledLossPct()]
    const lossPct = Math.max(...this.#recentLosses)
    return lossPct === 0 ? 0 : Math.min(255, Math.round((256 * Math.max(lossPct, leastRedundancyPct)) / 100))
  }

  /** False if the packet is not a report. */
  read(packet: Buffer, at: number): boolean {
    const reports = readReports(packet)
    if (!reports) return false
    if (reports.sender) this.#theirReport = { ntp: reports.sender.ntp, at }
    const about = reports.blocks.find(({ ssrc }) => ssrc === this.#stream.ssrc)
    if (!about) return true
    const quality = receptionOf(about, this.#stream.clockRate, at, this.#far?.quality ?? null)
    this.#far = { quality, at }
    this.#stream.reportLoss(quality.lossPct)
    return true
  }
}

function receptionOf(
  { fractionLost, jitter, lastReport, delay }: ReportBlock,
  clockRate: number,
  at: number,
  before: Quality | null,
): Quality {
  // RFC 3550 §6.4.1: arrival time minus the time of our report minus the delay at the far end.
  const roundTrip = ((compactNtp(at) - lastReport - delay) | 0) / 65.536
  const isKnown = lastReport !== 0 && roundTrip >= 0 && roundTrip < 60_000
  return {
    lossPct: (100 * fractionLost) / 256,
    jitterMs: (jitter * 1_000) / clockRate,
    roundTripMs: isKnown ? roundTrip : (before?.roundTripMs ?? null),
  }
}
