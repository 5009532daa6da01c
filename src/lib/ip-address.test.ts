import { expect, test } from 'vitest'
import { addressForSocket, canonicalAddress, familiesOf, isOfFamily } from './ip-address.ts'

test('every spelling of an IPv6 address becomes the one that sockets report', () => {
  for (const text of ['2001:DB8:0:0::1', '2001:db8::0001', '2001:0db8:0000:0000:0000:0000:0000:0001']) {
    expect(canonicalAddress(text)).toBe('2001:db8::1')
  }
  expect(canonicalAddress('::FFFF:192.0.2.7')).toBe('192.0.2.7')
  expect(canonicalAddress('fe80::1%eth0')).toBe('fe80::1%eth0')
  expect(canonicalAddress('192.0.2.7')).toBe('192.0.2.7')
})

test('a socket on :: reaches both families, IPv4 by mapped addresses', () => {
  expect([familiesOf('::'), familiesOf('::1'), familiesOf('0.0.0.0')]).toEqual([[4, 6], [6], [4]])
  expect([addressForSocket('192.0.2.7', 6), addressForSocket('192.0.2.7', 4), addressForSocket('::1', 6)]).toEqual([
    '::ffff:192.0.2.7',
    '192.0.2.7',
    '::1',
  ])
  expect(isOfFamily('2001:db8::1', familiesOf('127.0.0.1'))).toBe(false)
})
