import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import HookswitchPhone, { type PhoneOptions } from './embed.ts'

// The script in a fake page: an element for the iframe, and an iframe that records messages.

const phone = 'https://phone.example'
const user = { email: 'dario@example.test', first_name: 'Dario', last_name: 'Ortega', company_name: 'Demo' }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function fakePage(options: Partial<PhoneOptions> = {}) {
  const posted: { name: string; value: unknown; origin: string }[] = []
  const frameWindow = {
    postMessage: (message: { name: string; value: unknown }, origin: string) => posted.push({ ...message, origin }),
  }
  const attributes: Record<string, string> = {}
  const frame = {
    style: {} as Record<string, string>,
    contentWindow: frameWindow,
    setAttribute: (name: string, value: string) => {
      attributes[name] = value
    },
  }
  const placed: unknown[] = []
  const listeners: ((event: unknown) => void)[] = []
  const fake = {
    location: { href: 'https://crm.example/contacts', pathname: '/contacts' },
    document: {
      querySelector: (selector: string) =>
        selector === '#phone' ? { replaceChildren: (child: unknown) => placed.push(child) } : null,
      createElement: () => frame,
    },
    addEventListener: (_name: string, listener: (event: unknown) => void) => listeners.push(listener),
    setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
    clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
  }
  const sdk = new HookswitchPhone({
    domToLoadWorkspace: '#phone',
    workspaceUrl: `${phone}/phone`,
    debug: false,
    window: fake as unknown as Window,
    ...options,
  })
  const receive = (name: string, value?: unknown, origin = phone, source: unknown = frameWindow) => {
    for (const listener of listeners) listener({ data: { name, value }, origin, source })
  }
  return { sdk, receive, posted, placed, frame, attributes }
}

test('the phone is loaded into the element, in the requested size', () => {
  const { placed, frame, attributes, sdk } = fakePage()

  expect(placed).toEqual([frame])
  expect(frame.style).toMatchObject({ width: '376px', height: '666px' })
  expect(attributes).toMatchObject({
    src: 'https://phone.example/phone?integration=generic',
    allow: 'microphone; autoplay; clipboard-read; clipboard-write; hid',
  })
  expect(sdk.getUrlToLoad()).toBe(attributes.src)
  expect(fakePage({ size: 'small' }).frame.style.height).toBe('600px')
  expect(fakePage({ size: 'auto', integrationToLoad: 'crm' })).toMatchObject({
    frame: { style: { width: '100%', height: '100%' } },
    attributes: { src: 'https://phone.example/phone?integration=crm' },
  })
})

test('a sign-in is acknowledged and reported, with settings if an integration is loaded', () => {
  const onLogin = vi.fn()
  const plain = fakePage({ onLogin })
  plain.receive('apm_phone_loaded', user)
  expect(plain.posted).toEqual([
    { name: 'apm_app_isready', value: { name: 'generic', path: '/contacts' }, origin: phone },
  ])
  expect(onLogin).toHaveBeenLastCalledWith({ user })

  const crm = fakePage({ onLogin, integrationToLoad: 'crm', path: '/crm' })
  crm.receive('apm_phone_loaded', user)
  expect(crm.posted).toEqual([
    { name: 'apm_app_isready', value: { name: 'crm', path: '/crm' }, origin: phone },
    { name: 'apm_app_get_settings', value: 'crm', origin: phone },
  ])
  crm.receive('apm_phone_integration_settings', { language: 'en' })
  expect(onLogin).toHaveBeenLastCalledWith({ user, settings: { language: 'en' } })
})

test('events reach their listener until it is removed', () => {
  const { sdk, receive } = fakePage()
  const listener = vi.fn()
  sdk.on('incoming_call', listener)

  receive('apm_phone_incoming_call', { from: '+33123456789', to: '+33199000101', call_id: 7 })
  expect(listener).toHaveBeenCalledWith({ from: '+33123456789', to: '+33199000101', call_id: 7 })

  expect(sdk.removeListener('incoming_call')).toBe(true)
  expect(sdk.removeListener('incoming_call')).toBe(false)
  receive('apm_phone_incoming_call', {})
  expect(listener).toHaveBeenCalledTimes(1)
})

test('messages of other senders are ignored', () => {
  const onLogin = vi.fn()
  const { receive } = fakePage({ onLogin })

  receive('apm_phone_loaded', user, 'https://evil.example')
  receive('apm_phone_loaded', user, phone, {})

  expect(onLogin).not.toHaveBeenCalled()
})

test('a request returns its data or an error', () => {
  const { sdk, receive, posted } = fakePage()
  const answer = vi.fn()
  const code = () => answer.mock.lastCall?.[1].code

  sdk.send('', answer)
  expect(code()).toBe('no_event_name')
  sdk.send('dial_number', { phone_number: '+33123456789' }, answer)
  expect(code()).toBe('not_ready')

  receive('apm_phone_loaded', user)
  sdk.send('dial_number', { phone_number: '+33123456789' }, answer)
  expect(posted.at(-1)).toEqual({
    name: 'apm_app_dial_number',
    value: { phone_number: '+33123456789' },
    origin: phone,
  })
  receive('apm_phone_dial_number_response', { success: true, data: 'done' })
  expect(answer).toHaveBeenLastCalledWith(true, 'done')

  sdk.send('dial_number', {}, answer)
  receive('apm_phone_dial_number_response', { success: false, errorCode: 'in_call', errorMessage: 'Busy' })
  expect(answer.mock.lastCall).toMatchObject([false, { code: 'in_call', message: 'Busy' }])

  sdk.send('dial_number', {}, answer)
  receive('apm_phone_dial_number_response', 'what?')
  expect(code()).toBe('invalid_response')

  sdk.send('exit_keyboard', answer)
  vi.advanceTimersByTime(1_999)
  expect(answer).toHaveBeenCalledTimes(5)
  vi.advanceTimersByTime(1)
  expect(code()).toBe('no_answer')
})

test('the sign-in state can be queried, and a sign-out is reported', () => {
  const onLogout = vi.fn()
  const { sdk, receive } = fakePage({ onLogout })
  const isIn = vi.fn()

  sdk.isLoggedIn(isIn)
  vi.advanceTimersByTime(2_000)
  expect(isIn).toHaveBeenLastCalledWith(false)

  receive('apm_phone_loaded', user)
  sdk.isLoggedIn(isIn)
  receive('apm_phone_is_logged_in_response', { success: true })
  expect(isIn).toHaveBeenLastCalledWith(true)

  receive('apm_phone_logout')
  expect(onLogout).toHaveBeenCalledOnce()
})
