import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAddress, parseUri, parseVia, tagOf } from './address.ts'
import { createFramer } from './framing.ts'
import { header, headerList, parseMessage, type SipMessage, splitOutside, writeMessage } from './message.ts'
import { isUsable, validateRequest } from './validity.ts'

const wire = (...lines: string[]) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
const parsed = (bytes: Buffer): SipMessage => {
  const found = parseMessage(bytes)
  if (!found.ok) throw new Error(found.problem)
  return found.message
}

test('compact names, folded lines and lists are read as one', () => {
  const message = parsed(
    wire(
      'BYE sip:a@b.test SIP/2.0',
      'v: SIP/2.0/UDP a;branch=1,',
      ' SIP/2.0/UDP b;branch=2',
      'Via: SIP/2.0/UDP c',
      'F: x',
    ),
  )

  expect(headerList(message, 'via')).toEqual(['SIP/2.0/UDP a;branch=1', 'SIP/2.0/UDP b;branch=2', 'SIP/2.0/UDP c'])
  expect(header(message, 'from')).toBe('x')
})

test('separators in quotes and brackets separate nothing', () => {
  expect(splitOutside('"a,b" <sip:c,d@e>;x=",", f', ',')).toEqual(['"a,b" <sip:c,d@e>;x=","', 'f'])
  expect(splitOutside('"a\\",b", c', ',')).toEqual(['"a\\",b"', 'c'])
})

test('what is written is read the same', () => {
  const message: SipMessage = {
    kind: 'request',
    method: 'INVITE',
    uri: 'sip:a@b.test',
    headers: [
      { name: 'via', value: 'SIP/2.0/UDP a' },
      { name: 'call-id', value: 'x' },
    ],
    body: 'v=0\r\ns=é\r\n',
  }

  const bytes = writeMessage(message)

  expect(bytes.toString()).toContain('Content-Length: 11\r\n')
  expect(parsed(bytes)).toMatchObject({ method: 'INVITE', body: 'v=0\r\ns=é\r\n' })
})

test('no control character is ever written', () => {
  const evil = (value: string): SipMessage => ({
    kind: 'response',
    status: 200,
    phrase: 'OK',
    headers: [{ name: 'x-a', value }],
    body: '',
  })

  for (const value of ['a\r\nVia: b', 'a\nb', 'a\rb', 'a\0b'])
    expect(() => writeMessage(evil(value))).toThrow('control')
  expect(() => writeMessage({ ...evil('a'), headers: [{ name: 'x\r\ny', value: 'b' }] })).toThrow('control')
})

test.each([
  ['sip:alice@b.test', { user: 'alice', host: 'b.test' }],
  ['sip:b.test:5070;transport=TCP', { user: '', host: 'b.test', port: 5070 }],
  ['sips:a%20b:pw@[2001:db8::1]:5061;lr?x=y', { scheme: 'sips', user: 'a b', host: '2001:db8::1', port: 5061 }],
  ['tel:+33-1-55;ext=5', { scheme: 'tel', user: '+33-1-55' }],
])('%s is an address', (text, expected) => {
  expect(parseUri(text)).toMatchObject(expected)
})

test.each([
  '',
  'sip:',
  'sip:@b.test',
  'sip:a@',
  'sip:a@b c',
  'sip:a@b:0',
  'sip:a@b:70000',
  'sip:a@[zz]',
  'http://x',
  'sip:%@b',
])('%j is none', (text) => {
  expect(parseUri(text)).toBeUndefined()
})

test('names, brackets and tags', () => {
  expect(parseAddress('"A \\"B\\"" <sip:a@b;x=1>;tag=7')).toMatchObject({ display: 'A "B"', uri: 'sip:a@b;x=1' })
  expect(parseAddress('sip:a@b;tag=7')).toMatchObject({ uri: 'sip:a@b' })
  expect(tagOf('<sip:a@b;tag=inner>;TAG=outer')).toBe('outer')
  expect(tagOf('<sip:a@b;tag=inner>')).toBeUndefined()
  expect(parseVia('SIP/2.0/UDP [::1]:5060;rport;branch=x')?.params.get('rport')).toBe('')
})

// Random bytes and well-formed messages with random wounds.
const whole = wire(
  'INVITE sip:a@b.test SIP/2.0',
  'Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bKx;rport',
  'From: "A" <sip:a@b.test>;tag=1',
  'To: <sip:c@d.test>',
  'Call-ID: x',
  'CSeq: 1 INVITE',
  'Contact: <sip:a@127.0.0.1>',
  'Content-Length: 0',
)
const wounded = fc
  .array(fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) }), { minLength: 1, maxLength: 8 })
  .map((wounds) => {
    const bytes = Buffer.from(whole)
    for (const { at, byte } of wounds) bytes[at] = byte
    return bytes
  })

test('whatever comes, the parser answers and never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        wounded,
        fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
      ),
      (bytes) => {
        const found = parseMessage(bytes)
        if (!found.ok) return
        if (found.message.kind === 'request') validateRequest(found.message)
        else isUsable(found.message)
        createFramer().push(bytes)
      },
    ),
    { numRuns: 3_000 },
  )
})

test('a stream is cut into the same messages however it comes', () => {
  const stream = Buffer.concat([whole, Buffer.from('\r\n\r\n'), whole, Buffer.from('\r\n'), whole])
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const framer = createFramer()
      const points = [0, ...cuts.sort((a, b) => a - b), stream.length]
      const found = points.slice(1).flatMap((to, i) => framer.push(stream.subarray(points[i], to)).messages)
      expect(found.map(String)).toEqual([whole, whole, whole].map(String))
    }),
  )
})

test('a stream without lengths, or with too long ones, is broken', () => {
  const without = wire('OPTIONS sip:a@b SIP/2.0', 'Via: x')
  const long = wire('OPTIONS sip:a@b SIP/2.0', 'Content-Length: 999999')

  expect(createFramer().push(without).broken).toBe(true)
  expect(createFramer().push(long).broken).toBe(true)
  expect(createFramer().push(Buffer.alloc(70_000, 'x')).broken).toBe(true)
})
