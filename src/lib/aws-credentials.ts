import { readFile } from 'node:fs/promises'
import { Agent } from 'undici'
import { type Clock, delay, minute, second } from './clock.ts'

export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  /** Of temporary credentials. */
  sessionToken?: string | undefined
}

/** Where credentials come from: the configuration, the role of a container, or the role of an EC2 instance. */
export type CredentialSource =
  | ({ kind: 'static' } & AwsCredentials)
  | { kind: 'container'; url: string; token?: string | undefined; tokenFile?: string | undefined }
  | { kind: 'instance'; endpoint: string }

/** Temporary credentials are renewed this long before they expire, in the background until the deadline. */
const renewalMs = 5 * minute
const deadlineMs = minute
const pauses = [0.2 * second, second]

type RoleSource = Exclude<CredentialSource, { kind: 'static' }>
type Temporary = AwsCredentials & { expiresAt: number }

/** Returns a function that resolves to valid credentials; those of a role are cached until shortly before they expire. */
export function credentialsFrom(source: CredentialSource, clock: Clock): () => Promise<AwsCredentials> {
  return source.kind === 'static' ? async () => source : roleCredentials(source, clock)
}

function roleCredentials(source: RoleSource, clock: Clock): () => Promise<AwsCredentials> {
  const agent = new Agent({ connect: { timeout: second }, headersTimeout: 5 * second, bodyTimeout: 5 * second })
  let current: Temporary | undefined
  let renewal: Promise<Temporary> | undefined

  async function renew(): Promise<Temporary> {
    try {
      current = await withRetries(clock, () => fetchCredentials(agent, source))
      return current
    } catch (error) {
      throw new Error(`no credentials for the file store: ${error instanceof Error ? error.message : error}`)
    } finally {
      renewal = undefined
    }
  }

  const renewed = () => {
    renewal ??= renew()
    return renewal
  }

  return async () => {
    const left = (current?.expiresAt ?? 0) - clock.machineNow()
    if (current && left > renewalMs) return current
    const next = renewed()
    if (current && left > deadlineMs) {
      // The next request tries again.
      next.catch(() => {})
      return current
    }
    return next
  }
}

async function withRetries<T>(clock: Clock, run: () => Promise<T>): Promise<T> {
  for (const pause of pauses) {
    try {
      return await run()
    } catch {
      await delay(clock, pause)
    }
  }
  return run()
}

const fetchCredentials = (agent: Agent, source: RoleSource) =>
  source.kind === 'container' ? ofContainer(agent, source) : ofInstance(agent, source.endpoint)

async function ofContainer(agent: Agent, { url, token, tokenFile }: RoleSource & { kind: 'container' }) {
  // The platform replaces the token in the file before it expires.
  const authorization = tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim()
  return parse(await request(agent, 'GET', url, authorization === undefined ? {} : { authorization }))
}

/** IMDSv2: requests carry a session token, which a server-side request forgery cannot obtain. */
async function ofInstance(agent: Agent, endpoint: string): Promise<Temporary> {
  const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': '300' }
  const token = await request(agent, 'PUT', `${endpoint}/latest/api/token`, ttl)
  const roles = `${endpoint}/latest/meta-data/iam/security-credentials/`
  const headers = { 'x-aws-ec2-metadata-token': token }
  const role = (await request(agent, 'GET', roles, headers)).split('\n', 1)[0]?.trim()
  if (!role) throw new Error('the instance has no role')
  return parse(await request(agent, 'GET', roles + encodeURIComponent(role), headers))
}

const maxLength = 20_000

/** Redirects are not followed. */
async function request(agent: Agent, method: 'GET' | 'PUT', url: string, headers: Record<string, string>) {
  const { origin, pathname, search } = new URL(url)
  const reply = await agent.request({ origin, path: pathname + search, method, headers }).catch((error: Error) => {
    throw new Error(`${origin} cannot be reached (${'code' in error ? error.code : 'no response'})`)
  })
  const text = (await reply.body.text()).slice(0, maxLength)
  if (reply.statusCode !== 200) throw new Error(`${origin} answered ${method} with ${reply.statusCode}`)
  return text
}

function parse(text: string): Temporary {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = fieldsOf(text)
  const expiresAt = typeof Expiration === 'string' ? Date.parse(Expiration) : Number.NaN
  if (!isText(AccessKeyId) || !isText(SecretAccessKey) || !isText(Token) || Number.isNaN(expiresAt)) {
    throw new Error('the response with the credentials of the role is invalid')
  }
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token, expiresAt }
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
