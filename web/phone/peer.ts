import type { IceServer } from '../../src/live/protocol.ts'
import { preferredCodecs } from './codecs.ts'
import { playAt } from './microphone.ts'
import { type Sample, sampleOf } from './quality.ts'

/** The sound of one call between this browser and the server. */
export interface Peer {
  /** Complete with all ways to get here: nothing follows later. */
  offer(): Promise<string>
  accept(answer: string): Promise<void>
  /** Undefined: the other side hears nothing. */
  setMicrophone(track: MediaStreamTrack | undefined): void
  setMuted(isMuted: boolean): void
  /** After a browser has held the sound back. */
  play(): void
  sample(): Promise<Sample | undefined>
  close(): void
}

/** `gone`: the server has ended it. `broken`: nothing arrives any more. */
export type Link = 'connecting' | 'on' | 'gone' | 'broken'

export interface PeerParts {
  iceServers: readonly IceServer[]
  speaker: string | null
  /** Made for networks that lose packets. */
  isRobust: boolean
  changed(link: Link): void
  /** The browser wants to be touched before it lets anything be heard. */
  heldBack(): void
}

const gatherWithinMs = 2_000
/** A network that changes takes a moment; what lasts longer is a broken one. */
const patienceMs = 4_000

export function createPeer({ iceServers, speaker, isRobust, changed, heldBack }: PeerParts): Peer {
  const connection = new RTCPeerConnection({ iceServers: [...iceServers] })
  // One line for both ways, whether there is a microphone or not: one that comes later needs no new offer.
  const line = connection.addTransceiver('audio', { direction: 'sendrecv' })
  const codecs = preferredCodecs(RTCRtpReceiver.getCapabilities('audio')?.codecs ?? [], isRobust)
  if (codecs.length > 0 && 'setCodecPreferences' in line) line.setCodecPreferences(codecs)
  const audio = document.createElement('audio')
  audio.autoplay = true
  audio.srcObject = new MediaStream([line.receiver.track])
  let source: MediaStreamTrack | undefined
  let isMuted = false
  let isClosed = false
  let timer: number | undefined

  const play = () => void audio.play().catch(({ name }) => name === 'NotAllowedError' && heldBack())

  connection.onconnectionstatechange = () => {
    window.clearTimeout(timer)
    const isGone = line.sender.transport?.state === 'closed'
    switch (connection.connectionState) {
      case 'connected':
        return changed('on')
      case 'failed':
        return changed(isGone ? 'gone' : 'broken')
      case 'disconnected':
      case 'closed':
        if (isGone) return changed('gone')
        timer = window.setTimeout(() => changed('broken'), patienceMs)
    }
  }

  function gathered(): Promise<void> {
    if (connection.iceGatheringState === 'complete') return Promise.resolve()
    return new Promise((resolve) => {
      const late = window.setTimeout(resolve, gatherWithinMs)
      connection.onicegatheringstatechange = () => {
        if (connection.iceGatheringState !== 'complete') return
        window.clearTimeout(late)
        resolve()
      }
    })
  }

  return {
    async offer() {
      await connection.setLocalDescription(await connection.createOffer())
      await gathered()
      return connection.localDescription?.sdp ?? ''
    },
    async accept(answer) {
      await connection.setRemoteDescription({ type: 'answer', sdp: answer })
      // The goodbye of the other end; the connection itself goes on looking for it.
      const transport = line.sender.transport
      transport?.addEventListener('statechange', () => transport.state === 'closed' && !isClosed && changed('gone'))
      await playAt(audio, speaker)
      play()
    },
    setMicrophone(track) {
      if (track === source) return
      source = track
      // A copy, because each call is muted by itself.
      line.sender.track?.stop()
      const mine = track?.clone() ?? null
      if (mine) mine.enabled = !isMuted
      line.sender.replaceTrack(mine).catch(() => mine?.stop())
    },
    setMuted(muted) {
      isMuted = muted
      if (line.sender.track) line.sender.track.enabled = !muted
    },
    play,
    async sample() {
      const stats = await connection.getStats(line.receiver.track)
      const reports: Record<string, unknown>[] = []
      // biome-ignore lint/suspicious/useIterableCallbackReturn: the browser's map knows no other way in its types
      stats.forEach((report) => reports.push(report))
      return sampleOf(reports)
    },
    close() {
      window.clearTimeout(timer)
      connection.onconnectionstatechange = null
      isClosed = true
      line.sender.track?.stop()
      connection.close()
      audio.srcObject = null
    },
  }
}
