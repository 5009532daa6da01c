import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type RtpPeer, rtpPeer } from './rtp-peer.ts'
import { answerTo, bodyOf, type Caller, caller, fresh, headerOf, message, newBranch } from './sip-peer.ts'

// A carrier on loopback with many concurrent calls. It answers OPTIONS, BYE and outbound calls automatically, as
// configured.

export interface Carrier {
  readonly port: number
  /** Calls that number and sends a tone once answered. */
  call(to: string, from?: string): Promise<CarrierCall>
  /** Sounds of called parties that have answered, in order. */
  readonly calleeSounds: readonly RtpPeer[]
  /** How called parties behave from now on. */
  callees: { picksUp: 'busy' | 'unavailable' | 'never' | { afterMs: number } }
  /** Resolves when a request sent now was answered: earlier messages have been processed. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface CarrierCall {
  readonly sound: RtpPeer
  /** Resolves with the 200. */
  readonly answered: Promise<string>
  /** The message that ended it: a BYE or a rejection. */
  readonly over: Promise<string>
  /** All received BYEs. */
  readonly byes: readonly string[]
  /** One of the two ends has hung up, or the call was rejected. */
  hasEnded(): boolean
  /** Sends BYE, or CANCEL before the answer. */
  hangUp(): void
}

export interface CarrierWays {
  /** False: BYEs stay unanswered, as if lost. */
  answersBye?: boolean
  /** Its own address; 127.0.0.1 by default. */
  address?: string
  /** Address of the system or the proxy that it calls; 127.0.0.1 by default. */
  towards?: string
  /** RTCP is sent to the port of RTP. */
  takesReports?: boolean
}

export async function openCarrier(
  to: () => number,
  { answersBye = true, address = '127.0.0.1', towards = '127.0.0.1', takesReports = false }: CarrierWays = {},
): Promise<Carrier> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  const { port } = socket.address()
  /** Handlers of calls by Call-ID. */
  const dialogs = new Map<string, (text: string) => void>()
  const sounds = new Set<RtpPeer>()
  const calleeSounds: RtpPeer[] = []
  const bodyWith = ({ port }: RtpPeer) => describe(port, address) + (takesReports ? `a=rtcp:${port}\r\n` : '')
  const callees: Carrier['callees'] = { picksUp: { afterMs: 0 } }
  const timers = new Set<NodeJS.Timeout>()

  /** Several line nodes have a port each: a dialog stays with the one it came from. */
  const portOf = new Map<string, number>()
  function send(lines: string): void {
    const text = lines.replace(/\r?\n/g, '\r\n')
    socket.send(Buffer.from(text), portOf.get(headerOf(text, 'call-id')) ?? to(), towards)
  }
  const contact = `Contact: <sip:carrier@${address}:${port}>`

  socket.on('message', (bytes, from) => {
    const text = bytes.toString('utf8')
    portOf.set(headerOf(text, 'call-id'), from.port)
    if (text.startsWith('OPTIONS')) return send(answerTo(text, '200 OK', { tag: fresh('tag') }))
    const handle = dialogs.get(headerOf(text, 'call-id'))
    if (handle) return handle(text)
    if (text.startsWith('INVITE')) return void pickUp(text)
    if (text.startsWith('BYE')) send(answerTo(text, '481 Call Does Not Exist'))
  })

  async function speaker(): Promise<RtpPeer> {
    const sound = await rtpPeer('caller', { address })
    sounds.add(sound)
    return sound
  }

  function closeSound(sound: RtpPeer): void {
    if (sounds.delete(sound)) sound.close()
  }

  /** Outbound calls of the system. */
  async function pickUp(invite: string): Promise<void> {
    const callId = headerOf(invite, 'call-id')
    const { picksUp } = callees
    const tag = fresh('tag')
    if (picksUp === 'busy' || picksUp === 'unavailable') {
      dialogs.set(callId, () => {})
      return send(answerTo(invite, picksUp === 'busy' ? '486 Busy Here' : '503 Service Unavailable', { tag }))
    }
    let isOpen = true
    let sound: RtpPeer | undefined
    dialogs.set(callId, (text) => {
      if (text.startsWith('CANCEL') && isOpen) {
        isOpen = false
        send(answerTo(text, '200 OK', { tag }))
        send(answerTo(invite, '487 Request Terminated', { tag }))
      }
      if (text.startsWith('ACK') && isOpen) sound?.sendTone(portIn(invite), hostIn(invite))
      if (!text.startsWith('BYE')) return
      isOpen = false
      if (sound) closeSound(sound)
      send(answerTo(text, '200 OK'))
    })
    send(answerTo(invite, '180 Ringing', { tag, headers: [contact] }))
    if (picksUp === 'never') return
    after(picksUp.afterMs, async () => {
      sound = await speaker()
      calleeSounds.push(sound)
      if (isOpen) send(answerTo(invite, '200 OK', { tag, headers: [contact], body: bodyWith(sound) }))
    })
  }

  function after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, ms)
    timers.add(timer)
  }

  async function call(number: string, from = '+14155550199'): Promise<CarrierCall> {
    const sound = await speaker()
    const far = caller({ transport: 'UDP', port, from, to: number, host: address })
    const byes: string[] = []
    let isAnswered = false
    let isOver = false
    let isCancelled = false
    let isProceeding = false
    let [answer, end]: [(ok: string) => void, (with_: string) => void] = [() => {}, () => {}]
    const answered = new Promise<string>((resolve) => {
      answer = resolve
    })
    const over = new Promise<string>((resolve) => {
      end = resolve
    })
    dialogs.set(far.callId, (text) => {
      const [, code = '', method = ''] = /^(?:SIP\/2\.0 (\d+)|(\w+) )/.exec(text) ?? []
      isProceeding = true
      if (method === 'BYE') {
        byes.push(text)
        if (answersBye) send(answerTo(text, '200 OK'))
      }
      if (Number(code) >= 300 && headerOf(text, 'cseq').endsWith('INVITE')) {
        far.learnTarget(text)
        send(far.ofInvite('ACK'))
      }
      if (code === '200' && headerOf(text, 'cseq').endsWith('INVITE')) take(far, text)
      if (method === 'BYE' || Number(code) >= 300) {
        isOver = true
        closeSound(sound)
        end(text)
      }
    })
    function take(one: Caller, ok: string) {
      one.learnTarget(ok)
      send(one.request('ACK'))
      if (isAnswered || isOver) return
      isAnswered = true
      answer(ok)
      // The answer has crossed its CANCEL.
      if (isCancelled) return hangUp()
      sound.sendTone(portIn(ok), hostIn(ok))
    }
    function hangUp() {
      if (isOver) return
      isOver = isAnswered
      isCancelled = !isAnswered
      if (isCancelled) return send(far.ofInvite('CANCEL'))
      closeSound(sound)
      send(far.request('BYE'))
    }
    const invite = far.invite({ body: bodyWith(sound) })
    /** Until the first response (RFC 3261 §17.1.1.2). */
    function sendInvite(againAfterMs: number): void {
      if (isProceeding) return
      send(invite)
      if (againAfterMs < 32_000) after(againAfterMs, () => sendInvite(2 * againAfterMs))
    }
    sendInvite(500)
    return {
      sound,
      answered,
      over,
      byes,
      hasEnded: () => isOver,
      hangUp,
    }
  }

  return {
    port,
    call,
    calleeSounds,
    callees,
    settle() {
      const callId = fresh('question')
      const options = message('OPTIONS sip:127.0.0.1 SIP/2.0', [
        `Via: SIP/2.0/UDP ${address}:${port};branch=${newBranch()};rport`,
        'Max-Forwards: 70',
        `From: <sip:carrier@127.0.0.1>;tag=${fresh('from')}`,
        'To: <sip:127.0.0.1>',
        `Call-ID: ${callId}`,
        'CSeq: 1 OPTIONS',
      ])
      return new Promise((resolve) => {
        let isAnswered = false
        dialogs.set(callId, () => {
          isAnswered = true
          resolve()
        })
        /** Until the response (RFC 3261 §17.1.2.2): the other end may not have opened its port yet. */
        function sendOptions(againAfterMs: number): void {
          if (isAnswered) return
          send(options)
          after(againAfterMs, () => sendOptions(Math.min(2 * againAfterMs, 4_000)))
        }
        sendOptions(500)
      })
    },
    async close() {
      for (const timer of timers) clearTimeout(timer)
      for (const sound of sounds) sound.close()
      await new Promise<void>((resolve) => socket.close(() => resolve()))
    },
  }
}

export const describe = (port: number, address = '127.0.0.1') =>
  [
    'v=0',
    `o=far 1 1 IN ${family(address)} ${address}`,
    's=-',
    `c=IN ${family(address)} ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 0 101`,
    'a=rtpmap:101 telephone-event/8000',
    'a=sendrecv',
    '',
  ].join('\r\n')

const family = (address: string) => (address.includes(':') ? 'IP6' : 'IP4')

const hostIn = (text: string) => /^c=IN IP[46] (\S+)/m.exec(bodyOf(text))?.[1]

export const portIn = (text: string) => Number(/^m=audio (\d+)/m.exec(bodyOf(text))?.[1])
