import { expect, test } from 'vitest'
import { eventsIn, type SourceEvent } from '../../src/cli/event-source.ts'

async function read(...pieces: (string | Uint8Array)[]): Promise<SourceEvent[]> {
  const read: SourceEvent[] = []
  const chunks = async function* () {
    for (const piece of pieces) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
  }
  for await (const event of eventsIn(chunks())) read.push(event)
  return read
}

const stream =
  '\uFEFFevent: listener\ndata: {"position":3}\n\n: still here\n\nid: 4\ndata: çà – 📞\ndata:two\n\ndata\n\n'
const meant = [
  { event: 'listener', data: '{"position":3}', id: '' },
  { event: 'message', data: 'çà – 📞\ntwo', id: '4' },
  { event: 'message', data: '', id: '4' },
]

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('a stream with %s reads the same wherever it is cut', async (_name, lineEnd) => {
  const bytes = new TextEncoder().encode(stream.replaceAll('\n', lineEnd))

  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await read(bytes.slice(0, cut), bytes.slice(cut)), `cut at ${cut}`).toEqual(meant)
  }
  expect(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(meant)
})

test('only one space after the colon is dropped, and a line without a colon is a field without a value', async () => {
  expect(await read('data:  a\ndata\ndata: b: c\n\n')).toEqual([{ event: 'message', data: ' a\n\nb: c', id: '' }])
})

test('comments, unknown fields and messages without data are skipped, but their id is kept', async () => {
  expect(await read(': hello\nretry: 10\nwhat: ever\n\nid: 7\nevent: x\n\ndata: a\n\n')).toEqual([
    { event: 'message', data: 'a', id: '7' },
  ])
})

test('an id with a NUL is ignored', async () => {
  expect(await read('id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n')).toMatchObject([{ id: '7' }, { id: '7' }])
})

test('a message that is cut off before its empty line is ignored', async () => {
  expect(await read('data: a\n\ndata: b\n')).toMatchObject([{ data: 'a' }])
  expect(await read('id: 1\ndata: {"half":')).toEqual([])
})
