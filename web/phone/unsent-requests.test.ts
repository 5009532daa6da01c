import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CallShown, ReplyMessage, ServerMessage } from '../../src/live/protocol.ts'
import type { Request } from '../kit/live.ts'
import { createStore } from './store.ts'
import { hangUp, sendUnsent } from './unsent-requests.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const call = { key: 'k1', call_id: 7, state: 'on_call', external: '+33199000777', muted: false } as CallShown
const greeting = {
  type: 'hello',
  session: 's',
  user_id: 4,
  position: 1,
  presence: 'in_call',
  now: 1,
  calls: [call],
  ice_servers: [],
  voice: 'real',
  emergency: false,
} satisfies ServerMessage
const accepted: ReplyMessage = { type: 'reply', id: 1, ok: true }
const refused: ReplyMessage = { type: 'reply', id: 1, ok: false, why: 'The call has ended' }

/** A phone on a call; `reply` is the server. */
function openCall(reply: (request: Request) => ReplyMessage | Promise<ReplyMessage> = () => accepted) {
  const store = createStore()
  const asked: string[] = []
  const live = {
    ask: async (request: Request) => {
      if (store.get().connection !== 'open') throw new Error('Not connected')
      asked.push(request.type)
      return reply(request)
    },
  }
  const connect = () => {
    store.dispatch({ type: 'connection', connection: 'open' })
    store.dispatch({ type: 'message', message: greeting, at: 0 })
  }
  sendUnsent({ store, live })
  connect()
  return {
    store,
    asked,
    connect,
    cut: () => store.dispatch({ type: 'connection', connection: 'lost' }),
    hangUp: () => hangUp({ store, live }, 'k1'),
    mute: (isMuted: boolean) => store.dispatch({ type: 'mute_selected', key: 'k1', isMuted }),
  }
}

test('hanging up without a connection ends the call here at once, and on the server when it is back', async () => {
  const phone = openCall()

  phone.cut()
  await phone.hangUp()
  expect(phone.store.get().talks).toEqual([])
  expect(phone.asked).toEqual([])
  phone.connect()
  await vi.runAllTimersAsync()

  expect(phone.asked).toEqual(['hang_up'])
  expect(phone.store.get().unsent.left).toEqual([])
})

test('a server that does not respond does not keep the agent on the call', async () => {
  const phone = openCall(() => new Promise(() => {}))

  const done = phone.hangUp()
  await vi.advanceTimersByTimeAsync(1_500)
  await done

  expect(phone.store.get().talks).toEqual([])
})

test('hanging up is repeated until the server no longer lists the call', async () => {
  let isAdopted = false
  const phone = openCall(({ type }) => {
    if (type === 'calls') return { ...accepted, now: 1, calls: isAdopted ? [] : [call] }
    return isAdopted ? accepted : refused
  })

  await phone.hangUp()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(phone.store.get().unsent.left).toEqual(['k1'])
  isAdopted = true
  await vi.advanceTimersByTimeAsync(2_000)

  expect(phone.store.get().unsent.left).toEqual([])
})

test('mute is sent when the connection is back, once, with the last selection', async () => {
  const phone = openCall()

  phone.cut()
  phone.mute(true)
  phone.mute(false)
  phone.mute(true)
  phone.connect()
  await vi.runAllTimersAsync()

  expect(phone.asked).toEqual(['mute'])
  expect(phone.store.get()).toMatchObject({ unsent: { mutes: {} }, talks: [{ muted: true }] })
})

test('an unmute that is selected while the mute is being sent follows it', async () => {
  const phone = openCall()

  phone.mute(true)
  phone.mute(false)
  await vi.runAllTimersAsync()

  expect(phone.asked).toEqual(['mute', 'unmute'])
  expect(phone.store.get().talks).toMatchObject([{ muted: false }])
})

test('a declined ring is declined again when the connection was lost', async () => {
  const phone = openCall()
  phone.cut()

  phone.store.dispatch({ type: 'declined', key: 'k1' })
  phone.store.dispatch({ type: 'connection', connection: 'open' })
  await vi.runAllTimersAsync()
  phone.mute(true)
  await vi.runAllTimersAsync()

  expect(phone.asked).toEqual(['decline', 'mute'])
})
