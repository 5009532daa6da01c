import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, portIn } from '../../test/kit/carrier.ts'
import { answerTo, caller, fresh, headerOf } from '../../test/kit/sip-peer.ts'

/** The far end of the trunk: answers OPTIONS and places calls whose RTP is sent elsewhere. */
export interface FleetCarrier {
  port: number
  /** `answered` resolves with our RTP port. */
  call(sipPort: number, to: string, rtpPort: number): CarrierCall
  close(): void
}

interface CarrierCall {
  answered: Promise<number>
  hangUp(): Promise<void>
}

export async function openFleetCarrier(): Promise<FleetCarrier> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1_000_000 })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const dialogs = new Map<string, (text: string) => void>()
  const send = (text: string, to: number) => socket.send(Buffer.from(text.replace(/\r?\n/g, '\r\n')), to, '127.0.0.1')

  socket.on('message', (bytes, from) => {
    const text = bytes.toString('utf8')
    if (/^(OPTIONS|BYE)/.test(text)) send(answerTo(text, '200 OK', { tag: fresh('tag') }), from.port)
    dialogs.get(headerOf(text, 'call-id'))?.(text)
  })

  return {
    port,
    call(sipPort, to, rtpPort) {
      const far = caller({ transport: 'UDP', port, from: '+14155550199', to })
      let [answer, fail, over] = [(_port: number) => {}, (_error: Error) => {}, () => {}]
      const answered = new Promise<number>((resolve, reject) => {
        answer = resolve
        fail = reject
      })
      const ended = new Promise<void>((resolve) => {
        over = resolve
      })
      dialogs.set(far.callId, (text) => {
        const [, code = '0'] = /^SIP\/2\.0 (\d+)/.exec(text) ?? []
        const method = headerOf(text, 'cseq').split(' ')[1]
        if (text.startsWith('BYE') || method === 'BYE') over()
        if (method !== 'INVITE' || Number(code) < 200) return
        if (Number(code) >= 300) return fail(new Error(`the call was rejected: ${text.split('\r\n', 1)[0]}`))
        far.learnTarget(text)
        send(far.request('ACK'), sipPort)
        answer(portIn(text))
      })
      send(far.invite({ body: describe(rtpPort) }), sipPort)
      return {
        answered,
        async hangUp() {
          send(far.request('BYE'), sipPort)
          await ended
        },
      }
    },
    close: () => socket.close(),
  }
}
