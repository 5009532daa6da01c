import { expect, test } from 'vitest'
import type { CallShown, ServerMessage } from '../../src/live/protocol.ts'
import { type Incoming, openEmbedding } from './embed.ts'
import { createStore } from './store.ts'

const page = 'https://crm.example'
const at = 1_800_000_000_000

const session = {
  user: {
    id: 4,
    email: 'dario@example.test',
    first_name: 'Dario',
    last_name: 'Ortega',
    name: 'Dario Ortega',
    language: 'en-US',
    time_zone: 'Etc/UTC',
    default_number_id: 1,
    roles: ['agent' as const],
  },
  company: { id: 1, name: 'Demo', plan: 'custom', country: null },
}

const call = (more: Partial<CallShown> = {}): CallShown => ({
  key: 'k1',
  call_id: 7,
  state: 'ringing',
  direction: 'inbound',
  external: '+33199000777',
  number_id: 1,
  purpose: 'inbound',
  phase: 'ringing',
  line: 'simulated',
  sound: false,
  held: false,
  remote_hold: false,
  muted: false,
  recording: 'off',
  started_at: at / 1_000,
  answered_at: null,
  external_display: null,
  contact: null,
  number: { id: 1, name: 'Main line', digits: '+33199000101' },
  menu: null,
  people: [],
  guests: [],
  given_by: null,
  consultation: null,
  ...more,
})

function framed({ allowed = [page], parentOrigin = page, isHidden = false } = {}) {
  const posted: { name: string; value: unknown; origin: string }[] = []
  let onMessage: (message: Incoming) => void = () => {}
  const store = createStore()
  const host = {
    parent: {
      postMessage: (message: unknown, origin: string) =>
        void posted.push({ ...(message as { name: string; value: unknown }), origin }),
    },
    parentOrigin: isHidden ? undefined : parentOrigin,
    listen(listener: typeof onMessage) {
      onMessage = listener
      return () => {}
    },
  }
  const embedding = openEmbedding(store, session, allowed, host)
  const ask = (name: string, value?: unknown, origin = page, isFromParent = true) => {
    posted.length = 0
    onMessage({ data: { name, value }, origin, isFromParent })
    return posted
  }
  const receive = (message: ServerMessage, later = 0) => {
    posted.length = 0
    store.dispatch({ type: 'message', message, at: at + later })
    return posted
  }
  const lines = { voice: 'simulated' as const, emergency: false, ice_servers: [] }
  const hello = (calls: CallShown[] = []) =>
    receive({
      type: 'hello',
      session: 's',
      user_id: 4,
      position: 1,
      presence: 'available',
      now: at / 1_000,
      calls,
      ...lines,
    })
  return { posted, store, embedding, ask, receive, hello }
}

test('the page receives the signed-in user, addressed to its origin', () => {
  const { posted } = framed()

  expect(posted).toEqual([
    {
      name: 'apm_phone_loaded',
      value: { email: 'dario@example.test', first_name: 'Dario', last_name: 'Ortega', company_name: 'Demo' },
      origin: page,
    },
  ])
})

test('a page that the company has not allowed receives nothing and is ignored', () => {
  const { posted, ask, store } = framed({ parentOrigin: 'https://evil.example' })
  expect(posted).toEqual([])

  expect(ask('apm_app_dial_number', { phone_number: '+33123456789' }, 'https://evil.example')).toEqual([])
  expect(ask('apm_app_dial_number', { phone_number: '+33123456789' }, page, false)).toEqual([])
  expect(store.get().dial.text).toBe('')
})

test('if the browser hides the origin, messages go to allowed origins only', () => {
  const { posted } = framed({ isHidden: true, allowed: [page, 'https://desk.example'] })

  expect(posted.map(({ origin }) => origin)).toEqual([page, 'https://desk.example'])
})

test('settings are returned on request', () => {
  const { ask } = framed()

  expect(ask('apm_app_isready', { name: 'crm', path: '/' })).toEqual([])
  expect(ask('apm_app_get_settings', 'crm')).toMatchObject([
    { name: 'apm_phone_integration_settings', value: { integration: 'crm', user_id: 4, company_id: 1 } },
  ])
})

test('a number is entered on the keypad, unless there is a call', () => {
  const { ask, store, hello } = framed()
  hello()

  expect(ask('apm_app_dial_number', { phone_number: '+33123456789' })).toMatchObject([
    { name: 'apm_phone_dial_number_response', value: { success: true } },
  ])
  expect(store.get().dial.text).toBe('+33123456789')
  expect(ask('apm_app_exit_keyboard')).toMatchObject([{ value: { success: true } }])
  expect(ask('apm_app_exit_keyboard')).toMatchObject([{ value: { success: false, errorCode: 'not_in_keyboard' } }])
  expect(ask('apm_app_dial_number', {})).toMatchObject([{ value: { success: false, errorCode: 'unknown_error' } }])
  expect(ask('apm_app_fly')).toMatchObject([{ value: { success: false, errorCode: 'does_not_exists' } }])
  expect(ask('apm_app_is_logged_in')).toMatchObject([{ value: { success: true } }])
  hello([call()])
  expect(ask('apm_app_dial_number', { phone_number: '+33123456789' })).toMatchObject([
    { value: { success: false, errorCode: 'in_call' } },
  ])
})

test('an inbound call is reported from its first ring to its end', () => {
  const { hello, receive } = framed()
  hello()

  expect(
    receive({
      type: 'ring',
      key: 'k1',
      call_id: 7,
      from: '+33199000777',
      number_id: 1,
      purpose: 'inbound',
      line: 'simulated',
    }),
  ).toEqual([])
  expect(hello([call()])).toMatchObject([
    { name: 'apm_phone_incoming_call', value: { from: '+33199000777', to: '+33199000101', call_id: 7 } },
  ])
  expect(receive({ type: 'call', key: 'k1', call_id: 7, state: 'connected' })).toMatchObject([
    { name: 'apm_phone_call_end_ringtone', value: { answer_status: 'answered', call_id: 7 } },
  ])
  expect(receive({ type: 'call', key: 'k1', call_id: 7, state: 'ended' }, 65_000)).toMatchObject([
    { name: 'apm_phone_call_ended', value: { duration: 65, call_id: 7 } },
  ])
})

test.each([
  ['refused', true],
  ['disconnected', false],
])('an unanswered ring is reported as %s', (answer_status, declines) => {
  const { hello, receive, store } = framed()
  hello([call()])

  if (declines) store.dispatch({ type: 'declined', key: 'k1' })

  expect(receive({ type: 'ring_stop', key: 'k1', call_id: 7, why: 'cancelled' })).toMatchObject([
    { name: 'apm_phone_call_end_ringtone', value: { answer_status, call_id: 7 } },
  ])
})

test('an outbound call is reported when it starts and when it is answered', () => {
  const { hello } = framed()
  hello()
  const dialling = call({ state: 'on_call', direction: 'outbound', phase: 'dialling', purpose: null })

  expect(hello([dialling])).toMatchObject([
    { name: 'apm_phone_outgoing_call', value: { from: '+33199000101', to: '+33199000777', call_id: 7 } },
  ])
  expect(hello([{ ...dialling, phase: 'talking' }])).toMatchObject([
    { name: 'apm_phone_outgoing_answered', value: { call_id: 7 } },
  ])
})

test('a call is not reported again after a reload, and internal calls are not reported', () => {
  expect(framed().hello([call({ state: 'on_call', direction: 'outbound', phase: 'talking', purpose: null })])).toEqual(
    [],
  )
  expect(framed().hello([call({ call_id: null, number: null })])).toEqual([])
})

test('dial requests, campaigns and messages of the screens are forwarded', () => {
  const { receive, embedding, posted } = framed()

  expect(receive({ type: 'dial', to: '+33123456789' })).toMatchObject([
    { name: 'apm_phone_external_dial', value: { phone_number: '+33123456789' } },
  ])
  expect(receive({ type: 'dialer_campaign' })).toMatchObject([{ name: 'apm_phone_powerdialer_updated' }])
  posted.length = 0
  embedding.send('comment_saved', { comment: 'x', call_id: 7 })
  expect(posted).toMatchObject([{ name: 'apm_phone_comment_saved', value: { comment: 'x', call_id: 7 } }])
})

test('a phone that is not embedded sends nothing', () => {
  const host = { parent: null, parentOrigin: undefined, listen: () => () => {} }

  expect(() => openEmbedding(createStore(), session, [page], host).send('x')).not.toThrow()
})
