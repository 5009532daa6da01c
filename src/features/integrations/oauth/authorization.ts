import type { Services } from '../../../services.ts'
import { findClient, type OauthApp } from './store.ts'

// Parses the authorization request of an app: when the page is opened, and again when the user has decided.
// RFC 6749 §4.1.1, RFC 7636 §4.3.

export type AuthorizationReading =
  /** The app cannot be identified: no redirect. */
  | { kind: 'refused'; advice: string }
  /** The error is returned to the registered redirect_uri. */
  | { kind: 'answered'; to: string }
  | { kind: 'asked'; app: OauthApp; challenge: string; answer: Answerer }

/** The redirect_uri with the response parameters; `state` is returned unchanged. */
type Answerer = (answer: { code: string } | { error: Refusal }) => string
type Refusal = 'access_denied' | 'invalid_request' | 'invalid_scope' | 'unsupported_response_type'

export async function readAuthorization({ db, rules }: Services, search: string): Promise<AuthorizationReading> {
  const [clientId, ...others] = new URLSearchParams(search).getAll('client_id')
  const app = clientId && others.length === 0 ? await findClient(db, clientId) : undefined
  if (!app) return refused('The client_id in the link is not a registered app.')
  const rest = withoutRedirect(search, app.redirectUri)
  if (rest === undefined) return refused(`The redirect_uri in the link is not the one that ${app.name} has registered.`)
  // Registered while the installation was a sandbox.
  if (!rules.sandbox && !app.redirectUri.startsWith('https:'))
    return refused(`The redirect_uri that ${app.name} has registered is not https.`)

  const once = new URLSearchParams(rest)
  const repeated = parameters.filter((name) => once.getAll(name).length > 1)
  const answer = answererFor(app.redirectUri, repeated.includes('state') ? undefined : rawState(rest))
  const redirectWith = (error: Refusal): AuthorizationReading => ({ kind: 'answered', to: answer({ error }) })
  const responseType = once.get('response_type')
  if (repeated.length > 0 || !responseType) return redirectWith('invalid_request')
  if (responseType !== 'code') return redirectWith('unsupported_response_type')
  if (once.get('scope') !== 'public_api') return redirectWith('invalid_scope')
  const challenge = once.get('code_challenge')
  if (challenge === null) return { kind: 'asked', app, challenge: '', answer }
  // RFC 9700 §2.1.1: a plain challenge exposes the verifier, and plain is the default without a method.
  if (once.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    return redirectWith('invalid_request')
  return { kind: 'asked', app, challenge, answer }
}

const refused = (advice: string): AuthorizationReading => ({ kind: 'refused', advice })

const parameters = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'] as const

/** The query without its redirect_uri, if that occurs once and equals the registered one exactly. */
function withoutRedirect(search: string, registered: string): string | undefined {
  const given = new URLSearchParams(search).getAll('redirect_uri')
  if (given.length !== 1) return undefined
  // Some clients send it without percent-encoding: it may then contain an &.
  const plain = `&redirect_uri=${registered}&`
  const framed = `&${search}&`
  if (framed.includes(plain)) return framed.replace(plain, () => '&').slice(1, -1)
  return given[0] === registered ? search : undefined
}

/** Returned exactly as sent: clients differ in how they encode spaces. */
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
