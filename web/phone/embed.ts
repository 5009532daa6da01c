import type { Session } from '../kit/session.tsx'
import { embedEvents } from './embed-events.ts'
import { numberIn } from './links.ts'
import { viewOf } from './model.ts'
import type { Store } from './store.ts'

// The phone inside another page: what the two say to each other. Only pages the company has allowed are spoken to, and
// each is addressed by its origin.

export interface Embedding {
  /** `name` without its beginning. */
  tell(name: string, value?: unknown): void
  close(): void
}

/** What the bridge needs of the browser. */
export interface Surroundings {
  parent: { postMessage(message: unknown, targetOrigin: string): void } | null
  /** The origin of the page around, where the browser tells it. */
  parentOrigin: string | undefined
  listen(hear: (message: Incoming) => void): () => void
}

export interface Incoming {
  data: unknown
  origin: string
  isFromParent: boolean
}

type Facts = Pick<Session, 'user' | 'company'>

const silent: Embedding = { tell() {}, close() {} }

export function openEmbedding(
  store: Store,
  facts: Facts,
  allowed: readonly string[],
  around = surroundings(),
): Embedding {
  const { parent, parentOrigin, listen } = around
  if (!parent) return silent
  let known = parentOrigin !== undefined && allowed.includes(parentOrigin) ? parentOrigin : undefined
  // A page whose origin the browser hides is one of those that may show us, or nobody we talk to.
  const targets = () => (known ? [known] : parentOrigin === undefined ? allowed : [])

  function tell(name: string, value?: unknown): void {
    for (const origin of targets()) parent?.postMessage({ name: `apm_phone_${name}`, value }, origin)
  }

  const unlisten = listen(({ data, origin, isFromParent }) => {
    if (!isFromParent || !allowed.includes(origin) || !isRequest(data)) return
    known = origin
    const name = data.name.slice('apm_app_'.length)
    if (name === 'isready') return
    if (name === 'get_settings') return tell('integration_settings', settingsFor(facts, data.value))
    tell(`${name}_response`, answerTo(store, name, data.value))
  })
  const unwatch = store.watch((before, after, event) => {
    for (const { name, value } of embedEvents(before, after, event)) tell(name, value)
  })
  const { email, first_name, last_name } = facts.user
  tell('loaded', { email, first_name, last_name, company_name: facts.company.name })
  return {
    tell,
    close() {
      unlisten()
      unwatch()
    },
  }
}

function surroundings(): Surroundings {
  const isFramed = window.parent !== window
  const told =
    window.location.ancestorOrigins?.[0] ?? (document.referrer ? new URL(document.referrer).origin : undefined)
  return {
    parent: isFramed ? window.parent : null,
    parentOrigin: isFramed ? told : undefined,
    listen(hear) {
      const heard = ({ data, origin, source }: MessageEvent) =>
        hear({ data, origin, isFromParent: source === window.parent })
      window.addEventListener('message', heard)
      return () => window.removeEventListener('message', heard)
    },
  }
}

const isRequest = (data: unknown): data is { name: string; value?: unknown } =>
  typeof data === 'object' &&
  data !== null &&
  'name' in data &&
  typeof data.name === 'string' &&
  data.name.startsWith('apm_app_')

const settingsFor = ({ user, company }: Facts, integration: unknown) => ({
  integration: typeof integration === 'string' ? integration : 'generic',
  user_id: user.id,
  company_id: company.id,
  language: user.language,
  time_zone: user.time_zone,
  default_number_id: user.default_number_id,
})

const refused = (errorCode: string, errorMessage: string) => ({ success: false, errorCode, errorMessage })
const done = (data?: unknown) => ({ success: true, data })

function answerTo(store: Store, name: string, value: unknown) {
  switch (name) {
    case 'is_logged_in':
      return done()
    case 'dial_number':
      return dialNumber(store, value)
    case 'exit_keyboard':
      return exitKeyboard(store)
    default:
      return refused('does_not_exists', 'The phone does not know this event')
  }
}

const isBusy = (store: Store) => store.get().talks.length + store.get().rings.length > 0
const inCall = () => refused('in_call', 'The user is in a call')

function dialNumber(store: Store, value: unknown) {
  if (isBusy(store)) return inCall()
  const given = typeof value === 'object' && value !== null && 'phone_number' in value ? value.phone_number : undefined
  const number = typeof given === 'string' ? numberIn(given) : undefined
  if (!number) return refused('unknown_error', 'phone_number must be E.164, such as +33123456789')
  store.dispatch({ type: 'prefilled', to: number })
  return done()
}

function exitKeyboard(store: Store) {
  if (isBusy(store)) return inCall()
  const now = viewOf(store.get())
  if (now.view !== 'idle' || now.screen !== 'keypad') return refused('not_in_keyboard', 'The keypad is not open')
  store.dispatch({ type: 'typed', text: '' })
  store.dispatch({ type: 'screen', screen: 'history' })
  return done()
}
