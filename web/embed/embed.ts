// The phone app inside somebody's page: loads it into a frame, and talks to it by messages {name, value}. No dependencies.

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
  /** Of requests that the phone refuses. */
  | 'in_call'
  | 'not_in_keyboard'

export interface SendError {
  code: ErrorCode
  message: string
}

export type SendCallback = (success: boolean, dataOrError: unknown) => void

/** What the phone tells; `call_id` is that of the API, phone numbers are E.164. */
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

/** What the phone can be asked for. */
export interface PhoneRequests {
  dial_number: { phone_number: string }
  exit_keyboard: undefined
  is_logged_in: undefined
}

export interface PhoneOptions {
  onLogin?: (facts: LoginFacts) => void
  onLogout?: () => void
  /** Selector of the element that gets the frame; without it only the messages are handled. */
  domToLoadWorkspace?: string
  integrationToLoad?: string
  /** 376 x 666, 376 x 600, or as large as the element. */
  size?: 'big' | 'small' | 'auto'
  /** Says in the console what goes on; on unless told otherwise. */
  debug?: boolean
  /** Address of the phone app; that of the server this script came from unless told otherwise. */
  workspaceUrl?: string
  path?: string
  /** The window to listen in; another one in tests. */
  window?: Window
}

const sizes = {
  big: { width: '376px', height: '666px' },
  small: { width: '376px', height: '600px' },
  auto: { width: '100%', height: '100%' },
}

const answerWithinMs = 2_000
const frameRights = 'microphone; autoplay; clipboard-read; clipboard-write; hid'

const words: Record<ErrorCode, string> = {
  no_event_name: 'Give the name of an event',
  not_ready: 'The phone is not loaded, or nobody is signed in',
  no_answer: 'The phone did not answer',
  does_not_exists: 'The phone does not know this event',
  invalid_response: 'The phone gave an answer that cannot be read',
  unknown_error: 'Something went wrong',
  in_call: 'The user is in a call',
  not_in_keyboard: 'The keypad is not open',
}

export default class HookswitchPhone {
  readonly #options: PhoneOptions
  readonly #window: Window
  readonly #url: URL
  readonly #listeners = new Map<string, (data: unknown) => void>()
  readonly #waiting = new Map<string, (value: unknown) => void>()
  #frame: Window | null = null
  #user: PhoneUser | null = null

  constructor(options: PhoneOptions = {}) {
    this.#options = options
    this.#window = options.window ?? window
    this.#url = new URL(options.workspaceUrl ?? defaultUrl, this.#window.location.href)
    this.#window.addEventListener('message', (event) => this.#hear(event))
    if (options.domToLoadWorkspace !== undefined) this.#load(options.domToLoadWorkspace)
  }

  /** The callback of an event of the phone; one per event. */
  on<E extends keyof PhoneEvents>(event: E, callback: (data: PhoneEvents[E]) => void): void
  on(event: string, callback: (data: unknown) => void): void
  on(event: string, callback: (data: never) => void): void {
    if (!event) throw new Error(words.no_event_name)
    this.#listeners.set(event, callback as (data: unknown) => void)
  }

  /** Says whether there was one. */
  removeListener(event: string): boolean {
    return this.#listeners.delete(event)
  }

  /** Asks the phone to do something; without an answer within two seconds the error is `no_answer`. */
  send<E extends keyof PhoneRequests>(event: E, data: PhoneRequests[E], callback?: SendCallback): void
  send(event: string, callback?: SendCallback): void
  send(event: string, data: unknown, callback?: SendCallback): void
  send(event: string, first?: unknown, second?: SendCallback) {
    const isShort = typeof first === 'function'
    const data = isShort ? undefined : first
    const callback = (isShort ? (first as SendCallback) : second) ?? (() => {})
    const fail = (code: ErrorCode, message = words[code]) => {
      this.#log(`${event}: ${code}`)
      callback(false, { code, message, errorCode: code, errorMessage: message })
    }
    if (!event) return fail('no_event_name')
    if (!this.#frame || (!this.#user && event !== 'is_logged_in')) return fail('not_ready')
    const answer = `apm_phone_${event}_response`
    const timer = this.#window.setTimeout(() => {
      this.#waiting.delete(answer)
      fail('no_answer')
    }, answerWithinMs)
    this.#waiting.set(answer, (value) => {
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
    const place = this.#window.document.querySelector(selector)
    if (!place) return this.#log(`there is no element ${selector}`)
    const { width, height } = sizes[this.#options.size ?? 'big']
    const frame = this.#window.document.createElement('iframe')
    frame.setAttribute('allow', frameRights)
    frame.setAttribute('title', 'Phone')
    frame.setAttribute('src', this.getUrlToLoad())
    Object.assign(frame.style, { width, height, border: '0' })
    place.replaceChildren(frame)
    this.#frame = frame.contentWindow
  }

  #hear({ data, origin, source }: MessageEvent) {
    if (origin !== this.#url.origin || !isMessage(data)) return
    // A page that has placed the frame by itself is talked to by the frame first.
    if (!this.#options.domToLoadWorkspace && source) this.#frame ??= source as Window
    if (source !== this.#frame) return
    const { name, value } = data
    this.#log(name, value)
    const waiting = this.#waiting.get(name)
    if (waiting) {
      this.#waiting.delete(name)
      return waiting(value)
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

  #log(...words: unknown[]): void {
    if (this.#options.debug ?? true) console.info('[hookswitch]', ...words)
  }
}

/** Known while the script runs for the first time only. */
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
  const told = 'errorMessage' in value && typeof value.errorMessage === 'string' ? value.errorMessage : words[code]
  return { success: false, code, message: told }
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(words, code)
