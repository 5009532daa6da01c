import { createSipStack } from '../../src/drivers/sip/stack.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { offer } from '../../test/kit/sip-peer.ts'

// The baseline of call set-ups: our SIP stack answers every INVITE itself, without media, engine and database.

const stack = createSipStack({
  clock: systemClock(),
  log: createLog('error'),
  bind: '127.0.0.1',
  ports: { udp: Number(process.env.PORT) },
})
stack.on((event) => {
  if (event.kind !== 'leg.incoming') return
  event.call.on(() => {})
  event.call.answer(offer)
})
await stack.start()
stack.setTrunks([
  {
    id: 'trunk',
    host: '127.0.0.1',
    transport: 'udp',
    register: false,
    allowedIps: ['127.0.0.1'],
    numbers: { countryCode: '1' },
    behindNat: false,
    optionsSeconds: 0,
  },
])
console.log(`ready udp:${process.env.PORT}`)
