import type { DeviceServer } from '../../../services.ts'

// Settings in the formats of two families of desk phones: XML and CFG (one `key = value` per line).

export interface SetupSettings {
  displayName: string
  label: string
  username: string
  password: string
  srtp: boolean
  server: DeviceServer
}

const expiresSeconds = 300

/** SRTP without TLS would send its keys in clear text. */
function transportOf({ srtp, server }: SetupSettings) {
  const isTls = srtp && server.tlsPort !== null
  return { transport: isTls ? 'tls' : 'udp', port: isTls ? (server.tlsPort ?? server.port) : server.port } as const
}

export function xmlSetup(settings: SetupSettings): string {
  const { transport, port } = transportOf(settings)
  const { host } = settings.server
  const fields: [name: string, value: string][] = [
    ['user_active', 'on'],
    ['user_realname', settings.displayName],
    ['user_idle_text', settings.label],
    ['user_name', settings.username],
    ['user_pname', settings.username],
    ['user_pass', settings.password],
    ['user_host', host],
    ['user_outbound', `sip:${host}:${port};transport=${transport}`],
    ['user_expiry', String(expiresSeconds)],
    ['user_srtp', settings.srtp ? 'on' : 'off'],
    ['user_savp', settings.srtp ? 'mandatory' : 'off'],
  ]
  const lines = fields.map(([name, value]) => `    <${name} idx="1" perm="">${escaped(value)}</${name}>`)
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<settings>',
    '  <phone-settings e="2">',
    ...lines,
    '  </phone-settings>',
    '</settings>',
    '',
  ].join('\n')
}

const escaped = (text: string) =>
  plain(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export function cfgSetup(settings: SetupSettings): string {
  const { transport, port } = transportOf(settings)
  const account: [key: string, value: string][] = [
    ['enable', '1'],
    ['label', settings.label],
    ['display_name', settings.displayName],
    ['user_name', settings.username],
    ['auth_name', settings.username],
    ['password', settings.password],
    ['sip_server.1.address', settings.server.host],
    ['sip_server.1.port', String(port)],
    ['sip_server.1.transport_type', transport === 'tls' ? '2' : '0'],
    ['sip_server.1.expires', String(expiresSeconds)],
    ['nat.udp_update_enable', '1'],
    ['srtp_encryption', settings.srtp ? '2' : '0'],
  ]
  return ['#!version:1.0.0.1', ...account.map(([key, value]) => `account.1.${key} = ${plain(value)}`), ''].join('\n')
}

/** One line: a name must not add a setting. */
const plain = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim()
