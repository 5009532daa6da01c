import type { Session } from '../kit/session.tsx'
import { embedEvents } from './embed-events.ts'
import { numberIn } from './links.ts'
import { viewOf } from './selectors.ts'
import type { Store } from './store.ts'

// The messages between the phone and the page that embeds it. Messages are exchanged only with origins that the company has
// allowed.

export interface Embedding {
  /** `name` without the prefix `apm_phone_`. */
  send(name: string, value?: unknown): void
  close(): void
}

/** The browser functions that the bridge uses. */
export interface EmbedHost {
  parent: { postMessage(message: unknown, targetOrigin: string): void } | null
  /** The origin of the embedding page, if the browser reveals it. */
  parentOrigin: string | undefined
  listen(onMessage: (message: Incoming) => void): () => void
}

export interface Incoming {
  data: unknown
  origin: string
  isFromParent: boolean
}

type SessionInfo = Pick<Session, 'user' | 'company'>

const notEmbedded: Embedding = { send() {}, close() {} }

export function openEmbedding(
  store: Store,
  session: SessionInfo,
  allowed: readonly string[],
  host = browserHost(),
): Embedding {
  const { parent, parentOrigin, listen } = host
  if (!parent) return notEmbedded
  let known = parentOrigin !== undefined && allowed.includes(parentOrigin) ? parentOrigin : undefined
  // If the browser hides the origin, messages go to every allowed origin; only the matching one receives them.
  const targets = () => (known ? [known] : parentOrigin === undefined ? allowed : [])

  function send(name: string, value?: unknown): void {
    for (const origin of targets()) parent?.postMessage({ name: `apm_phone_${name}`, value }, origin)
  }

  const unlisten = listen(({ data, origin, isFromParent }) => {
    if (!isFromParent || !allowed.includes(origin) || !isRequest(data)) return
    known = origin
    const name = data.name.slice('apm_app_'.length)
    if (name === 'isready') return
    if (name === 'get_settings') return send('integration_settings', settingsFor(session, data.value))
    send(`${name}_response`, responseTo(store, name, data.value))
  })
  const unwatch = store.watch((before, after, event) => {
    for (const { name, value } of embedEvents(before, after, event)) send(name, value)
  })
  const { email, first_name, last_name } = session.user
  send('loaded', { email, first_name, last_name, company_name: session.company.name })
  return {
    send,
    close() {
      unlisten()
      unwatch()
    },
  }
}

function browserHost(): EmbedHost {
  const isFramed = window.parent !== window
  const ancestorOrigin =
    window.location.ancestorOrigins?.[0] ?? (document.referrer ? new URL(document.referrer).origin : undefined)
  return {
    parent: isFramed ? window.parent : null,
    parentOrigin: isFramed ? ancestorOrigin : undefined,
    listen(onMessage) {
      const listener = ({ data, origin, source }: MessageEvent) =>
        onMessage({ data, origin, isFromParent: source === window.parent })
      window.addEventListener('message', listener)
      return () => window.removeEventListener('message', listener)
    },
  }
}

const isRequest = (data: unknown): data is { name: string; value?: unknown } =>
  typeof data === 'object' &&
  data !== null &&
  'name' in data &&
  typeof data.name === 'string' &&
  data.name.startsWith('apm_app_')

const settingsFor = ({ user, company }: SessionInfo, integration: unknown) => ({
  integration: typeof integration === 'string' ? integration : 'generic',
  user_id: user.id,
  company_id: company.id,
  language: user.language,
  time_zone: user.time_zone,
  default_number_id: user.default_number_id,
})

const refused = (errorCode: string, errorMessage: string) => ({ success: false, errorCode, errorMessage })
const done = (data?: unknown) => ({ success: true, data })

function responseTo(store: Store, name: string, value: unknown) {
  switch (name) {
    case 'is_logged_in':
      return done()
    case 'dial_number':
      return dialNumber(store, value)
    case 'exit_keyboard':
      return exitKeyboard(store)
    default:
      return refused('does_not_exists', 'The phone does not support this event')
  }
}

const isBusy = (store: Store) => store.get().talks.length + store.get().rings.length > 0
const inCall = () => refused('in_call', 'The user is on a call')

function dialNumber(store: Store, value: unknown) {
  if (isBusy(store)) return inCall()
  const given = typeof value === 'object' && value !== null && 'phone_number' in value ? value.phone_number : undefined
  const number = typeof given === 'string' ? numberIn(given) : undefined
  if (!number) return refused('unknown_error', 'phone_number must be in E.164 format, for example +33123456789')
  store.dispatch({ type: 'prefilled', to: number })
  return done()
}

function exitKeyboard(store: Store) {
  if (isBusy(store)) return inCall()
  const now = viewOf(store.get())
  if (now.kind !== 'idle' || now.screen !== 'keypad') return refused('not_in_keyboard', 'The keypad is not open')
  store.dispatch({ type: 'typed', text: '' })
  store.dispatch({ type: 'screen', screen: 'history' })
  return done()
}
