import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto'

// Web Push: encryption of messages for a browser (RFC 8291, RFC 8188) and identification of this server to push services
// (VAPID, RFC 8292).

export interface PushKeys {
  /** Public key of the browser: an uncompressed P-256 point, base64url. */
  p256dh: string
  /** 16 bytes, base64url. */
  auth: string
}

/** The key pair of the server; both base64url. */
export interface VapidKeys {
  publicKey: string
  privateKey: string
}

const curve = 'prime256v1'
const recordSize = 4_096
/** One record: header, padding delimiter and authentication tag come on top. */
export const maxPushBytes = 3_000

/** `fixed` only for the test vectors of the RFC. */
export function encryptPush(
  text: string,
  { p256dh, auth }: PushKeys,
  fixed?: { privateKey: Buffer; salt: Buffer },
): Buffer {
  const salt = fixed?.salt ?? randomBytes(16)
  const own = createECDH(curve)
  if (fixed) own.setPrivateKey(fixed.privateKey)
  else own.generateKeys()
  const ownPublic = own.getPublicKey()
  const theirPublic = bytesOf(p256dh)
  // RFC 8291 §3.4
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirPublic, ownPublic])
  const input = hkdf(own.computeSecret(theirPublic), bytesOf(auth), info, 32)
  const key = hkdf(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = hkdf(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // RFC 8188 §2: the delimiter 2 marks the last record.
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.update(Buffer.of(2)), cipher.final()])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(recordSize)
  return Buffer.concat([salt, size, Buffer.of(ownPublic.length), ownPublic, body, cipher.getAuthTag()])
}

/** Why a browser's keys are not usable; undefined when they are. */
export function pushKeyProblem({ p256dh, auth }: PushKeys): string | undefined {
  if (bytesOf(auth).length !== 16) return '`auth` must be 16 bytes in base64url'
  try {
    const point = bytesOf(p256dh)
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', ...coordinates(point) }, format: 'jwk' })
    return point.length === 65 && point[0] === 4 ? undefined : '`p256dh` must be an uncompressed P-256 key'
  } catch {
    return '`p256dh` must be an uncompressed P-256 key'
  }
}

export function newVapidKeys(): VapidKeys {
  const { x, y, d } = generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ format: 'jwk' })
  if (!x || !y || !d) throw new Error('an EC key has three parameters')
  const publicKey = Buffer.concat([Buffer.of(4), bytesOf(x), bytesOf(y)]).toString('base64url')
  return { publicKey, privateKey: d }
}

/** The Authorization header of a request to the push service at `endpoint`; `expires` is in UNIX seconds. */
export function vapidHeader(
  { publicKey, privateKey }: VapidKeys,
  { endpoint, subject, expires }: { endpoint: string; subject: string; expires: number },
): string {
  const claims = { aud: new URL(endpoint).origin, exp: expires, sub: subject }
  const unsigned = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const jwk = { kty: 'EC', crv: 'P-256', ...coordinates(bytesOf(publicKey)), d: privateKey }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${unsigned}.${signature.toString('base64url')}, k=${publicKey}`
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url')

const coordinates = (point: Buffer) => ({
  x: point.subarray(1, 33).toString('base64url'),
  y: point.subarray(33).toString('base64url'),
})

const hkdf = (key: Buffer, salt: Buffer, info: Buffer, length: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length))
