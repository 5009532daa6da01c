import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { SettingReader } from './setting-reader.ts'

export function readHost(read: SettingReader): string {
  const host = read.text('HOST') ?? '127.0.0.1'
  if (isHost(host)) return host
  read.problems.push('HOST must be an address or a host name')
  return '127.0.0.1'
}

const isHost = (text: string) => isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)

export function readAddress(read: SettingReader, name: string): string | undefined {
  const value = read.text(name)
  if (value !== undefined && isIP(value) === 0) read.problems.push(`${name} must be an address`)
  return value
}

export function readTlsSettings(read: SettingReader): { certFile: string; keyFile: string } | undefined {
  const certFile = read.text('TLS_CERT')
  const keyFile = read.text('TLS_KEY')
  if (!certFile && !keyFile) return undefined
  if (!certFile || !keyFile) {
    read.problems.push('TLS_CERT and TLS_KEY go together')
    return undefined
  }
  try {
    createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    read.problems.push(`TLS_CERT and TLS_KEY cannot be used (${reason})`)
  }
  return { certFile, keyFile }
}

export function readRanges(read: SettingReader, name: string): string[] {
  const ranges = read.list(name)
  for (const range of ranges)
    if (!isRange(range)) read.problems.push(`${name} holds ${range}, which is no address or range`)
  return ranges
}

function isRange(range: string): boolean {
  const [address = '', bits] = range.split('/')
  const family = isIP(address)
  return family !== 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
}

// Private address ranges, and the addresses of cloud metadata services inside them.
const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', 'fc00::/7']
const metadata = ['100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254']

/** Allows private ranges named by the operator, never loopback, link-local or metadata addresses. */
export function readAllowedRanges(read: SettingReader): string[] {
  const ranges = readRanges(read, 'WEBHOOK_ALLOW_CIDRS')
  for (const range of ranges.filter(isRange)) {
    const isPrivate = privateRanges.some((whole) => holds(whole, range))
    if (isPrivate && !metadata.some((address) => holds(range, address))) continue
    read.problems.push(`WEBHOOK_ALLOW_CIDRS must name private ranges only, not ${range}`)
  }
  return ranges
}

/** Whether the second range is inside the first. */
function holds(whole: string, part: string): boolean {
  const [net = '', bits = ''] = whole.split('/')
  const [address = '', partBits] = part.split('/')
  const family = isIP(net) === 4 ? 'ipv4' : 'ipv6'
  const addressBits = family === 'ipv4' ? 32 : 128
  if (isIP(address) !== isIP(net) || Number(partBits ?? addressBits) < Number(bits || addressBits)) return false
  const list = new BlockList()
  list.addSubnet(net, Number(bits || addressBits), family)
  return list.check(address, family)
}

export function readAdmin(read: SettingReader, production: boolean): { host: string; port: number } | undefined {
  const text = read.text('ADMIN_PORT') ?? (production ? '9090' : undefined)
  if (text === undefined) return undefined
  const [, address = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? []
  const host = address.replace(/^\[(.*)\]$/, '$1')
  if (port === '' || Number(port) > 65_535 || !isHost(host)) {
    read.problems.push('ADMIN_PORT must be a port, or ADDRESS:PORT')
    return undefined
  }
  return { host, port: Number(port) }
}

export function readHeaderPrefix(read: SettingReader): string {
  const prefix = read.text('API_HEADER_PREFIX') ?? 'X-HookswitchApi'
  if (!/^[A-Za-z][A-Za-z0-9-]{0,40}$/.test(prefix))
    read.problems.push('API_HEADER_PREFIX must be letters, digits and -')
  return prefix
}

export const listensOnLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')
