// Embeds the phone app into a page: loads it into an iframe and exchanges messages {name, value} with it. No dependencies.

export interface PhoneUser {
  email: string
  first_name: string
  last_name: string
  company_name: string
}

export interface LoginFacts {
  user: PhoneUser
  /** Only with `integrationToLoad`. */
  settings?: Record<string, unknown>
}

export type ErrorCode =
  | 'no_event_name'
  | 'not_ready'
  | 'no_answer'
  | 'does_not_exists'
  | 'invalid_response'
  | 'unknown_error'
  /** Errors returned by the phone. */
  | 'in_call'
  | 'not_in_keyboard'

export interface SendError {
  code: ErrorCode
  message: string
}

export type SendCallback = (success: boolean, dataOrError: unknown) => void

/** Events of the phone; `call_id` is the id of the call in the API, phone numbers are in E.164 format. */
export interface PhoneEvents {
  incoming_call: { from: string; to: string; call_id: number }
  outgoing_call: { from: string; to: string; call_id: number }
  /** Inbound calls only. */
  call_end_ringtone: { answer_status: 'answered' | 'disconnected' | 'refused'; call_id: number }
  outgoing_answered: { call_id: number }
  /** In seconds. */
  call_ended: { duration: number; call_id: number }
  comment_saved: { comment: string; call_id: number }
  external_dial: { phone_number: string }
  powerdialer_updated: undefined
  redirect_event: { type: string; id: number }
}

/** Requests to the phone. */
export interface PhoneRequests {
  dial_number: { phone_number: string }
  exit_keyboard: undefined
  is_logged_in: undefined
}

export interface PhoneOptions {
  onLogin?: (facts: LoginFacts) => void
  onLogout?: () => void
  /** CSS selector of the element that receives the iframe; without it only the messages are handled. */
  domToLoadWorkspace?: string
  integrationToLoad?: string
  /** 376 × 666, 376 × 600, or the size of the element. */
  size?: 'big' | 'small' | 'auto'
  /** Logs messages to the console. Default: true. */
  debug?: boolean
  /** URL of the phone app. Default: `/phone` on the server that served this script. */
  workspaceUrl?: string
  path?: string
  /** The window that receives messages; tests pass their own. */
  window?: Window
}

const sizes = {
  big: { width: '376px', height: '666px' },
  small: { width: '376px', height: '600px' },
  auto: { width: '100%', height: '100%' },
}

const responseTimeoutMs = 2_000
const framePermissions = 'microphone; autoplay; clipboard-read; clipboard-write; hid'

const messages: Record<ErrorCode, string> = {
  no_event_name: 'The event name is missing',
  not_ready: 'The phone is not loaded, or no user is signed in',
  no_answer: 'The phone did not respond',
  does_not_exists: 'The phone does not support this event',
  invalid_response: 'The phone returned an invalid response',
  unknown_error: 'Something went wrong',
  in_call: 'The user is on a call',
  not_in_keyboard: 'The keypad is not open',
}

export default class HookswitchPhone {
  readonly #options: PhoneOptions
  readonly #window: Window
  readonly #url: URL
  readonly #listeners = new Map<string, (data: unknown) => void>()
  readonly #pending = new Map<string, (value: unknown) => void>()
  #frame: Window | null = null
  #user: PhoneUser | null = null

  constructor(options: PhoneOptions = {}) {
    this.#options = options
    this.#window = options.window ?? window
    this.#url = new URL(options.workspaceUrl ?? defaultUrl, this.#window.location.href)
    this.#window.addEventListener('message', (event) => this.#onMessage(event))
    if (options.domToLoadWorkspace !== undefined) this.#load(options.domToLoadWorkspace)
  }

  /** Sets the callback of an event; one per event. */
  on<E extends keyof PhoneEvents>(event: E, callback: (data: PhoneEvents[E]) => void): void
  on(event: string, callback: (data: unknown) => void): void
  on(event: string, callback: (data: never) => void): void {
    if (!event) throw new Error(messages.no_event_name)
    this.#listeners.set(event, callback as (data: unknown) => void)
  }

  /** Returns whether there was one. */
  removeListener(event: string): boolean {
    return this.#listeners.delete(event)
  }

  /** Sends a request to the phone; without a response within two seconds the error is `no_answer`. */
  send<E extends keyof PhoneRequests>(event: E, data: PhoneRequests[E], callback?: SendCallback): void
  send(event: string, callback?: SendCallback): void
  send(event: string, data: unknown, callback?: SendCallback): void
  send(event: string, first?: unknown, second?: SendCallback) {
    const isShort = typeof first === 'function'
    const data = isShort ? undefined : first
    const callback = (isShort ? (first as SendCallback) : second) ?? (() => {})
    const fail = (code: ErrorCode, message = messages[code]) => {
      this.#log(`${event}: ${code}`)
      callback(false, { code, message, errorCode: code, errorMessage: message })
    }
    if (!event) return fail('no_event_name')
    if (!this.#frame || (!this.#user && event !== 'is_logged_in')) return fail('not_ready')
    const response = `apm_phone_${event}_response`
    const timer = this.#window.setTimeout(() => {
      this.#pending.delete(response)
      fail('no_answer')
    }, responseTimeoutMs)
    this.#pending.set(response, (value) => {
      this.#window.clearTimeout(timer)
      const reply = readReply(value)
      if (!reply) fail('invalid_response')
      else if (reply.success) callback(true, reply.data)
      else fail(reply.code, reply.message)
    })
    this.#post(`apm_app_${event}`, data)
  }

  isLoggedIn(callback: (isLoggedIn: boolean) => void): void {
    this.send('is_logged_in', (success) => callback(success))
  }

  getUrlToLoad(): string {
    const url = new URL(this.#url)
    url.searchParams.set('integration', this.#options.integrationToLoad ?? 'generic')
    return url.href
  }

  #load(selector: string) {
    const element = this.#window.document.querySelector(selector)
    if (!element) return this.#log(`no element matches ${selector}`)
    const { width, height } = sizes[this.#options.size ?? 'big']
    const frame = this.#window.document.createElement('iframe')
    frame.setAttribute('allow', framePermissions)
    frame.setAttribute('title', 'Phone')
    frame.setAttribute('src', this.getUrlToLoad())
    Object.assign(frame.style, { width, height, border: '0' })
    element.replaceChildren(frame)
    this.#frame = frame.contentWindow
  }

  #onMessage({ data, origin, source }: MessageEvent) {
    if (origin !== this.#url.origin || !isMessage(data)) return
    // If the page has created the iframe itself, the first message identifies it.
    if (!this.#options.domToLoadWorkspace && source) this.#frame ??= source as Window
    if (source !== this.#frame) return
    const { name, value } = data
    this.#log(name, value)
    const pending = this.#pending.get(name)
    if (pending) {
      this.#pending.delete(name)
      return pending(value)
    }
    if (name === 'apm_phone_loaded') return this.#loaded(value as PhoneUser)
    if (name === 'apm_phone_integration_settings') return this.#loggedIn(value as Record<string, unknown>)
    if (name === 'apm_phone_logout') {
      this.#user = null
      return this.#options.onLogout?.()
    }
    this.#listeners.get(name.slice('apm_phone_'.length))?.(value)
  }

  #loaded(user: PhoneUser): void {
    const { integrationToLoad, path } = this.#options
    this.#user = user
    this.#post('apm_app_isready', {
      name: integrationToLoad ?? 'generic',
      path: path ?? this.#window.location.pathname,
    })
    if (integrationToLoad === undefined) this.#loggedIn()
    else this.#post('apm_app_get_settings', integrationToLoad)
  }

  #loggedIn(settings?: Record<string, unknown>): void {
    if (this.#user) this.#options.onLogin?.({ user: this.#user, ...(settings && { settings }) })
  }

  #post(name: string, value: unknown): void {
    this.#log(name, value)
    this.#frame?.postMessage({ name, value }, this.#url.origin)
  }

  #log(...parts: unknown[]): void {
    if (this.#options.debug ?? true) console.info('[hookswitch]', ...parts)
  }
}

/** Set only while the script is executed for the first time. */
const script = typeof document === 'undefined' ? null : document.currentScript
const defaultUrl = script && 'src' in script ? new URL('/phone', script.src).href : '/phone'

const isMessage = (data: unknown): data is { name: string; value?: unknown } =>
  typeof data === 'object' &&
  data !== null &&
  'name' in data &&
  typeof data.name === 'string' &&
  data.name.startsWith('apm_phone_')

type Reply = { success: true; data: unknown } | { success: false; code: ErrorCode; message: string }

function readReply(value: unknown): Reply | undefined {
  if (typeof value !== 'object' || value === null || !('success' in value)) return undefined
  if (value.success === true) return { success: true, data: 'data' in value ? value.data : undefined }
  if (value.success !== false) return undefined
  const code = 'errorCode' in value && isCode(value.errorCode) ? value.errorCode : 'unknown_error'
  const message =
    'errorMessage' in value && typeof value.errorMessage === 'string' ? value.errorMessage : messages[code]
  return { success: false, code, message }
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(messages, code)
