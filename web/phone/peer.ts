import type { IceServer } from '../../src/live/protocol.ts'
import { preferredCodecs } from './codecs.ts'
import { playAt } from './microphone.ts'
import { type Sample, sampleOf } from './quality.ts'

/** The WebRTC audio of one call between this browser and the server. */
export interface Peer {
  /** The SDP with all ICE candidates: there is no trickle. */
  offer(): Promise<string>
  accept(answer: string): Promise<void>
  /** Undefined: nothing is sent. */
  setMicrophone(track: MediaStreamTrack | undefined): void
  /** `isSilent`: the other side is not played either. */
  setMuted(isMuted: boolean, isSilent: boolean): void
  /** Starts playback after the autoplay policy has blocked it. */
  play(): void
  sample(): Promise<Sample | undefined>
  close(): void
}

/**
 * `interrupted`: no packets arrive; the connection may recover. `gone`: the server has ended the connection. `broken`: the
 * connection failed.
 */
export type Link = 'connecting' | 'on' | 'interrupted' | 'gone' | 'broken'

export interface PeerOptions {
  iceServers: readonly IceServer[]
  speaker: string | null
  /** Prefers Opus, which conceals packet loss. */
  isRobust: boolean
  onLink(link: Link): void
  /** The autoplay policy blocks playback until the user interacts with the page. */
  onPlaybackBlocked(): void
}

/** Candidates that are found later are still used: the server accepts checks from any address of this browser. */
const gatherTimeoutMs = 1_000
/** A change of network may take a moment. */
const disconnectedTimeoutMs = 4_000

export function createPeer({ iceServers, speaker, isRobust, onLink, onPlaybackBlocked }: PeerOptions): Peer {
  const connection = new RTCPeerConnection({ iceServers: [...iceServers] })
  // Bidirectional even without a microphone, so that one that is connected later needs no new offer.
  const transceiver = connection.addTransceiver('audio', { direction: 'sendrecv' })
  const codecs = preferredCodecs(RTCRtpReceiver.getCapabilities('audio')?.codecs ?? [], isRobust)
  if (codecs.length > 0 && 'setCodecPreferences' in transceiver) transceiver.setCodecPreferences(codecs)
  const audio = document.createElement('audio')
  audio.autoplay = true
  audio.srcObject = new MediaStream([transceiver.receiver.track])
  let source: MediaStreamTrack | undefined
  let isMuted = false
  let isClosed = false
  let timer: number | undefined

  const play = () => void audio.play().catch(({ name }) => name === 'NotAllowedError' && onPlaybackBlocked())

  connection.onconnectionstatechange = () => {
    window.clearTimeout(timer)
    const isGone = transceiver.sender.transport?.state === 'closed'
    switch (connection.connectionState) {
      case 'connected':
        return onLink('on')
      case 'failed':
        return onLink(isGone ? 'gone' : 'broken')
      case 'disconnected':
      case 'closed':
        if (isGone) return onLink('gone')
        onLink('interrupted')
        timer = window.setTimeout(() => onLink('broken'), disconnectedTimeoutMs)
    }
  }

  function gathered(): Promise<void> {
    if (connection.iceGatheringState === 'complete') return Promise.resolve()
    return new Promise((resolve) => {
      const late = window.setTimeout(resolve, gatherTimeoutMs)
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
      // The server's DTLS close_notify; the peer connection itself would keep trying to reconnect.
      const transport = transceiver.sender.transport
      transport?.addEventListener('statechange', () => transport.state === 'closed' && !isClosed && onLink('gone'))
      await playAt(audio, speaker)
      play()
    },
    setMicrophone(track) {
      if (track === source) return
      source = track
      // A copy, because each call is muted separately.
      transceiver.sender.track?.stop()
      const copy = track?.clone() ?? null
      if (copy) copy.enabled = !isMuted
      transceiver.sender.replaceTrack(copy).catch(() => copy?.stop())
    },
    setMuted(muted, isSilent) {
      isMuted = muted
      audio.muted = isSilent
      if (transceiver.sender.track) transceiver.sender.track.enabled = !muted
    },
    play,
    async sample() {
      const stats = await connection.getStats(transceiver.receiver.track)
      const reports: Record<string, unknown>[] = []
      // biome-ignore lint/suspicious/useIterableCallbackReturn: RTCStatsReport has only forEach in its types
      stats.forEach((report) => reports.push(report))
      return sampleOf(reports)
    },
    close() {
      window.clearTimeout(timer)
      connection.onconnectionstatechange = null
      isClosed = true
      transceiver.sender.track?.stop()
      connection.close()
      audio.srcObject = null
    },
  }
}
