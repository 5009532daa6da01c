import { describe, expect, test } from 'vitest'
import { findUrlProblem, isLoopbackHost, isPublicAddress, isPublicHost, plainHost } from './public-url.ts'

const strict = { schemes: ['https:'], loopback: false }
const developer = { schemes: ['https:'], loopback: true }
const audio = { schemes: ['http:', 'https:'], loopback: false }

describe('an address of the public Internet', () => {
  test.each([
    'https://example.com',
    'https://EXAMPLE.com:8443/a/b?c=d#e',
    'https://example.com./hook',
    'https://xn--mnchen-3ya.example.com',
    'https://münchen.example.com',
    'https://8.8.8.8/hook',
    'https://[2606:4700:4700::1111]/hook',
    'https://localhost.example.com',
    'https://internal-tools.example.com',
    'https://example.com/my hook',
  ])('%s may be called', (url) => {
    expect(findUrlProblem(url, strict)).toBeUndefined()
  })

  test('a private one may be called where it is admitted, and with the same form', () => {
    const admitting = { ...strict, admits: (address: string) => address === '10.0.0.1' || address === 'fd00::1' }

    expect(findUrlProblem('https://10.0.0.1/hook', admitting)).toBeUndefined()
    expect(findUrlProblem('https://[FD00::1]/hook', admitting)).toBeUndefined()
    expect(findUrlProblem('http://10.0.0.1/hook', admitting)).toBe('must begin with https://')
    expect(findUrlProblem('https://10.0.0.2/hook', admitting)).toBe('must name a public host')
  })

  test('http must be allowed explicitly', () => {
    expect(findUrlProblem('http://example.com/a.mp3', audio)).toBeUndefined()
    expect(findUrlProblem('http://example.com/a.mp3', strict)).toBe('must begin with https://')
    expect(findUrlProblem('ftp://example.com/a.mp3', audio)).toBe('must begin with http:// or https://')
  })
})

describe('an address that is not', () => {
  test.each([
    ['decimal', '2130706433'],
    ['hexadecimal', '0x7f000001'],
    ['octal', '017700000001'],
    ['octal parts', '0177.0.0.1'],
    ['hexadecimal parts', '0x7f.0.0.0x1'],
    ['short', '127.1'],
    ['trailing dot', '127.0.0.1.'],
    ['circled digits', '①②⑦.⓪.⓪.①'],
    ['wide digits', '１２７．０．０．１'],
    ['ideographic dots', '127。0。0。1'],
    ['percent-encoded', '%31%32%37.0.0.1'],
    ['zero', '0'],
    ['this network', '0.0.0.0'],
    ['private 10', '10.255.0.1'],
    ['private 172', '172.31.255.254'],
    ['private 192', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['link-local', '169.254.1.1'],
    ['metadata', '169.254.169.254'],
    ['a cloud’s control service', '168.63.129.16'],
    ['benchmark', '198.19.255.255'],
    ['documentation 1', '192.0.2.1'],
    ['documentation 2', '198.51.100.1'],
    ['documentation 3', '203.0.113.1'],
    ['protocol assignments', '192.0.0.8'],
    ['6to4 relay', '192.88.99.1'],
    ['multicast', '239.1.1.1'],
    ['reserved', '250.1.1.1'],
    ['broadcast', '255.255.255.255'],
    ['IPv6 loopback', '[::1]'],
    ['IPv6 loopback in full', '[0:0:0:0:0:0:0:1]'],
    ['IPv6 unspecified', '[::]'],
    ['IPv4-mapped', '[::ffff:127.0.0.1]'],
    ['IPv4-mapped, hexadecimal', '[::ffff:7f00:1]'],
    ['IPv4-mapped of a public address', '[::ffff:8.8.8.8]'],
    ['IPv4-compatible', '[::127.0.0.1]'],
    ['NAT64', '[64:ff9b::7f00:1]'],
    ['local NAT64', '[64:ff9b:1::1]'],
    ['6to4', '[2002:7f00:1::1]'],
    ['Teredo', '[2001:0:1::1]'],
    ['unique local', '[fc00::1]'],
    ['unique local, the other half', '[fdff::1]'],
    ['IPv6 link-local', '[fe80::1]'],
    ['site-local', '[fec0::1]'],
    ['IPv6 multicast', '[ff02::1]'],
    ['IPv6 documentation', '[2001:db8::1]'],
    ['IPv6 documentation, the new range', '[3fff::1]'],
    ['discard', '[100::1]'],
    ['localhost', 'localhost'],
    ['localhost, shouting', 'LOCALHOST'],
    ['localhost with a dot', 'localhost.'],
    ['localhost with two dots', 'localhost..'],
    ['an address with two dots', '127.0.0.1..'],
    ['a hexadecimal one with two dots', '0x7f.1..'],
    ['a name with two dots', 'example.com..'],
    ['a name with a hole', 'example..com'],
    ['a dot', '.'],
    ['two dots', '..'],
    ['under localhost', 'app.localhost'],
    ['a name without a dot', 'intranet'],
    ['multicast DNS', 'printer.local'],
    ['a cloud’s metadata by name', 'metadata.google.internal'],
    ['home network', 'nas.home.arpa'],
    ['LAN', 'nas.lan'],
  ])('%s: %s', (_, host) => {
    expect(findUrlProblem(`https://${host}/hook`, strict)).toBe('must name a public host')
  })

  test.each([
    '',
    'hook',
    '/hook',
    '//example.com/hook',
    'example.com/hook',
    'https:',
    'https://',
    'https:///example.com/hook',
    'https:example.com',
    'https:/example.com',
    'https:\\\\example.com\\hook',
    'https://?x',
    'https://exa mple.com',
    'https://[::1',
    'https://example.com:99999',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
    ' https://example.com',
    'https://example.com ',
    'https://example.com/\nhook',
    'https://exam\tple.com',
    'mailto:ada@example.com',
    'javascript:alert(1)',
  ])('%j is no absolute URL', (url) => {
    expect(findUrlProblem(url, audio)).toBe('must be an absolute URL')
  })

  test.each([
    'https://user@example.com',
    'https://user:secret@example.com',
    'https://:secret@example.com',
    'https://@example.com',
  ])('%s holds credentials', (url) => {
    expect(findUrlProblem(url, developer)).toBe('must not hold credentials')
  })

  test('a very long one is refused at the 2,049th character', () => {
    const long = (length: number) => 'https://example.com/'.padEnd(length, 'a')

    expect(findUrlProblem(long(2_048), strict)).toBeUndefined()
    expect(findUrlProblem(long(2_049), strict)).toContain('2,048')
  })
})

describe('the machine of a developer', () => {
  test.each([
    'http://127.0.0.1:3000/hook',
    'https://127.8.8.8',
    'http://localhost:3000',
    'http://LOCALHOST.',
    'http://[::1]:3000',
    'http://2130706433',
  ])('%s may be called, where that is allowed', (url) => {
    expect(findUrlProblem(url, developer)).toBeUndefined()
    expect(findUrlProblem(url, strict)).toBeDefined()
  })

  test.each([
    'ftp://127.0.0.1',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://app.localhost',
    'http://[::ffff:127.0.0.1]',
    'http://127.0.0.1.example.com',
  ])('%s may not', (url) => {
    expect(findUrlProblem(url, developer)).toBeDefined()
  })
})

describe('what a name leads to', () => {
  test('is judged by its address alone', () => {
    expect(['1.1.1.1', '2606:4700::1111', '100.63.255.255', '172.32.0.1'].map(isPublicAddress)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(['127.0.0.1', '::1', '::ffff:1.1.1.1', 'nonsense', ''].map(isPublicAddress)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
    expect(['example.com', 'Printer.LOCAL', 'x'].map(isPublicHost)).toEqual([true, false, false])
  })

  test('is compared in one spelling', () => {
    expect(['EXAMPLE.com.', '[::1]', '127.0.0.1.'].map(plainHost)).toEqual(['example.com', '::1', '127.0.0.1'])
    expect(['localhost', '::1', '127.8.9.1'].map(isLoopbackHost)).toEqual([true, true, true])
    expect(['127.example.com', 'app.localhost', '128.0.0.1'].map(isLoopbackHost)).toEqual([false, false, false])
  })
})
