import type { Services } from '../../../services.ts'
import { findClient, type OauthApp } from './store.ts'

// What an app asks for when it sends somebody to /oauth/authorize: read when the page is opened, and once more when the
// person has decided. RFC 6749 §4.1.1, RFC 7636 §4.3.

export type Reading =
  /** Nobody knows who asks, so nobody is sent anywhere. */
  | { kind: 'refused'; advice: string }
  /** The app is told at its registered address. */
  | { kind: 'answered'; to: string }
  | { kind: 'asked'; app: OauthApp; challenge: string; answer: Answerer }

/** The registered address with the answer; the state comes back as it was sent. */
type Answerer = (answer: { code: string } | { error: Refusal }) => string
type Refusal = 'access_denied' | 'invalid_request' | 'invalid_scope' | 'unsupported_response_type'

export async function readAuthorization({ db, rules }: Services, search: string): Promise<Reading> {
  const [clientId, ...others] = new URLSearchParams(search).getAll('client_id')
  const app = clientId && others.length === 0 ? await findClient(db, clientId) : undefined
  if (!app) return refused('The address does not name an app that is registered here (client_id).')
  const rest = withoutRedirect(search, app.redirectUri)
  if (rest === undefined)
    return refused(`The address to go back to (redirect_uri) is not the one that ${app.name} has registered.`)
  // Registered while this was a sandbox.
  if (!rules.sandbox && !app.redirectUri.startsWith('https:'))
    return refused(`The address that ${app.name} has registered (redirect_uri) is not https.`)

  const once = new URLSearchParams(rest)
  const repeated = parameters.filter((name) => once.getAll(name).length > 1)
  const answer = answererFor(app.redirectUri, repeated.includes('state') ? undefined : rawState(rest))
  const redirectWith = (error: Refusal): Reading => ({ kind: 'answered', to: answer({ error }) })
  const responseType = once.get('response_type')
  if (repeated.length > 0 || !responseType) return redirectWith('invalid_request')
  if (responseType !== 'code') return redirectWith('unsupported_response_type')
  if (once.get('scope') !== 'public_api') return redirectWith('invalid_scope')
  const challenge = once.get('code_challenge')
  if (challenge === null) return { kind: 'asked', app, challenge: '', answer }
  // RFC 9700 §2.1.1: a challenge that shows the verifier protects nothing, and without a method it would be such a one.
  if (once.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    return redirectWith('invalid_request')
  return { kind: 'asked', app, challenge, answer }
}

const refused = (advice: string): Reading => ({ kind: 'refused', advice })

const parameters = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'] as const

/** The query without its redirect_uri, when that is there once and is the registered one, letter by letter. */
function withoutRedirect(search: string, registered: string): string | undefined {
  const given = new URLSearchParams(search).getAll('redirect_uri')
  if (given.length !== 1) return undefined
  // Some send it without percent-encoding: then it may hold an & of its own.
  const plain = `&redirect_uri=${registered}&`
  const framed = `&${search}&`
  if (framed.includes(plain)) return framed.replace(plain, () => '&').slice(1, -1)
  return given[0] === registered ? search : undefined
}

/** As it was sent: whoever made it need not agree with us about how a blank is written. */
function rawState(search: string): string | undefined {
  const pair = search.split('&').find((part) => part === 'state' || part.startsWith('state='))
  return pair?.slice('state='.length).replace(/%(?![0-9a-f]{2})|[^\w.~!$'()*+,;=:@/?%-]+/gi, encodeURIComponent)
}

function answererFor(redirectUri: string, state: string | undefined): Answerer {
  return (answer) => {
    const query = new URLSearchParams(answer).toString()
    const returned = state === undefined ? '' : `&state=${state}`
    return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}${returned}`
  }
}
