import path from 'node:path'
import type { DatabaseOptions } from '../db/database.ts'
import type { CredentialSource } from '../lib/aws-credentials.ts'
import type { S3Place } from '../lib/s3-requests.ts'
import { withoutTrailing } from '../lib/text.ts'
import type { SettingReader } from './setting-reader.ts'

/** Locations of the data: all that backup, restore and migration commands need. */
export interface StoreConfig {
  dataDir: string
  database: DatabaseOptions
  /** Recordings, uploads and exports. */
  files: FilesPlace
  key: Buffer | undefined
}

export type FilesPlace = { kind: 'folder'; folder: string } | ({ kind: 's3' } & S3Place)

export const modelsDirIn = (read: SettingReader) =>
  path.resolve(read.text('AI_MODELS_DIR') ?? path.join(dataDirIn(read), 'models'))

export const dataDirIn = (read: SettingReader) => path.resolve(read.text('DATA_DIR') ?? './data')

export function readStore(read: SettingReader): StoreConfig {
  const dataDir = dataDirIn(read)
  const files = readFilesPlace(read, dataDir)
  return { dataDir, database: readDatabase(read, dataDir), files, key: readKey(read) }
}

function readDatabase(read: SettingReader, folder: string): DatabaseOptions {
  const url = read.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const poolSize = read.integer('DATABASE_POOL_SIZE', 10, 2, 500)
  return url ? { kind: 'postgres', url, poolSize } : { kind: 'embedded', folder }
}

function readFilesPlace(read: SettingReader, dataDir: string): FilesPlace {
  const place = read.text('FILES_URL')
  if (place === undefined) return { kind: 'folder', folder: path.join(dataDir, 'files') }
  if (/^s3:\/\//i.test(place)) return { kind: 's3', ...readS3(read, place) }
  if (/^[a-z0-9]+:\/\//i.test(place)) read.problems.push('FILES_URL must be a folder, or s3://bucket/prefix')
  const folder = path.resolve(place)
  // A restore deletes all files in this folder.
  if (`${dataDir}/`.startsWith(`${withoutTrailing(folder, '/')}/`)) {
    read.problems.push('FILES_URL must be a folder of its own, not one that holds DATA_DIR')
  }
  return { kind: 'folder', folder }
}

const s3Options = ['region', 'endpoint']

/** s3://bucket/prefix?region=…&endpoint=…, with credentials in the URL, in AWS_* variables, or of a role. */
function readS3(read: SettingReader, text: string): S3Place {
  const url = URL.canParse(text) ? new URL(text) : new URL('s3://none')
  const { hostname: bucket, searchParams } = url
  const odd = [...searchParams.keys()].find((name) => !s3Options.includes(name))
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    read.problems.push('FILES_URL must name a bucket: s3://bucket/prefix')
  if (odd !== undefined) read.problems.push(`FILES_URL knows region and endpoint, not ${odd}`)
  const region = searchParams.get('region') ?? 'us-east-1'
  if (!/^[\w-]+$/.test(region)) read.problems.push('FILES_URL names a region of a wrong form')
  const endpoint = withoutTrailing(searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`, '/')
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(endpoint) || !URL.canParse(endpoint))
    read.problems.push('the endpoint in FILES_URL must be an http(s) URL')
  return {
    bucket,
    prefix: unescaped(url.pathname).split('/').filter(Boolean).join('/'),
    region,
    endpoint,
    credentials: readCredentials(read, url),
  }
}

/** In the order of the AWS SDKs: static keys, the role of the container, the role of the instance. */
function readCredentials(read: SettingReader, { username, password }: URL): CredentialSource {
  const accessKeyId = unescaped(username) || read.text('AWS_ACCESS_KEY_ID')
  const secretAccessKey = unescaped(password) || read.text('AWS_SECRET_ACCESS_KEY')
  if (accessKeyId && secretAccessKey) {
    const sessionToken = username === '' ? read.text('AWS_SESSION_TOKEN') : undefined
    return { kind: 'static', accessKeyId, secretAccessKey, sessionToken }
  }
  if (accessKeyId || secretAccessKey)
    read.problems.push('FILES_URL on S3 needs both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither for a role')
  return readContainerRole(read) ?? { kind: 'instance', endpoint: readMetadataEndpoint(read) }
}

function readContainerRole(read: SettingReader): CredentialSource | undefined {
  const path = read.text('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI')
  const full = read.text('AWS_CONTAINER_CREDENTIALS_FULL_URI')
  const url = path === undefined ? full : `http://169.254.170.2${path}`
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !mayReceiveToken(new URL(url))) {
    read.problems.push(
      'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be a path, and AWS_CONTAINER_CREDENTIALS_FULL_URI an https URL or one of this host',
    )
  }
  return {
    kind: 'container',
    url,
    token: read.text('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
    tokenFile: read.text('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
  }
}

/** Over http, loopback and the addresses of ECS and EKS only: the request carries a token, the response a secret. */
const mayReceiveToken = ({ protocol, hostname }: URL) =>
  protocol === 'https:' || (protocol === 'http:' && tokenHosts.test(hostname))

const tokenHosts = /^(localhost|\[::1\]|127(\.\d+){3}|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/

const readMetadataEndpoint = (read: SettingReader) =>
  read.base('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? 'http://169.254.169.254'

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readKey(read: SettingReader): Buffer | undefined {
  const text = read.text('HOOKSWITCH_KEY')
  if (text === undefined) return undefined
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32 || key.toString('base64') !== text)
    read.problems.push('HOOKSWITCH_KEY must be 32 bytes in base64')
  else if (isKnownDefault(key)) read.problems.push('HOOKSWITCH_KEY is a known default; make a random one')
  return key
}

/**
 * Repeated bytes or printable text indicate a key copied from an example; random bytes practically never look like
 * this.
 */
const isKnownDefault = (key: Buffer) => new Set(key).size < 8 || key.every((byte) => byte >= 0x20 && byte < 0x7f)
