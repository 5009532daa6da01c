import { describe, expect, test } from 'vitest'
import { encode } from '../media/g711.ts'
import { ReportExchange } from './report-exchange.ts'
import { join, newParticipant, newRoom, tick } from './rooms.ts'
import { RtpStream } from './stream.ts'
import { Tap } from './tap.ts'
import { SpeechVoice } from './voice.ts'

const soundOf = (samples: number) => encode('PCMU', new Int16Array(samples).fill(2_000))
const frame = new Int16Array(160)

function newVoice() {
  const ends: string[] = []
  return { voice: new SpeechVoice('p1', 'a1', { ended: (cause) => ends.push(cause) }), ends }
}

describe('a voice', () => {
  test('is silent while its words are made, and over when all were said', () => {
    const { voice } = newVoice()
    expect(voice.next(frame)).toBe(true)
    expect([...frame]).toEqual(new Array(160).fill(0))

    voice.feed(soundOf(200), 'Hello there.')
    expect(voice.next(frame)).toBe(true)
    expect(voice.saying?.text).toBe('Hello there.')
    voice.next(frame)
    expect(frame[39]).toBeGreaterThan(1_500)
    expect(frame[40]).toBe(0)
    voice.complete()

    expect(voice.next(frame)).toBe(false)
    expect(voice.said).toBe('Hello there.')
  })

  test('speech that is interrupted reports the words that were played', () => {
    const { voice, ends } = newVoice()
    voice.feed(soundOf(320), 'Good morning.')
    voice.feed(soundOf(320), 'One two')
    voice.feed(soundOf(320))
    voice.complete()

    for (let i = 0; i < 4; i++) voice.next(frame)
    voice.end('stopped')

    expect(voice.said).toBe('Good morning. One')
    expect(ends).toEqual(['stopped'])
  })

  test('does not take more than ten minutes', () => {
    const { voice } = newVoice()
    expect(voice.feed(soundOf(10 * 60 * 8_000), 'Long')).toBe(true)
    expect(voice.feed(soundOf(1))).toBe(false)
  })

  test('is played to the room, not only to the leg it addresses', () => {
    const participantOf = (id: string, side: 'internal' | 'external') => {
      const stream = new RtpStream(
        () => {},
        () => {},
      )
      return newParticipant({
        id,
        side,
        stream,
        maySend: false,
        foreign: 0,
        invalid: 0,
        reports: new ReportExchange(stream, ''),
        report() {},
        close() {},
      })
    }
    const [caller, listener] = [participantOf('caller', 'external'), participantOf('listener', 'internal')]
    const room = newRoom('r')
    join(caller, room, {})
    join(listener, room, { listenOnly: true })
    const { voice } = newVoice()
    voice.feed(soundOf(160), 'Hello.')
    caller.player = voice

    tick(
      new Map([caller, listener].map((participant) => [participant.leg.id, participant])),
      new Map([[room.id, room]]),
      () => {},
    )

    expect(caller.outbound[0]).toBeGreaterThan(1_500)
    expect(listener.outbound[0]).toBe(caller.outbound[0])
  })
})

describe('a tap', () => {
  test('passes on pieces of 100 ms, and silence while listening is not allowed', () => {
    const pieces: Buffer[] = []
    const tap = new Tap('t', (ulaw, taken) => {
      pieces.push(Buffer.from(ulaw, 'base64'))
      taken()
    })

    for (let i = 0; i < 11; i++) tap.write(i < 5 ? new Int16Array(160).fill(2_000) : null)

    expect(pieces.map(({ length }) => length)).toEqual([800, 800])
    expect(pieces[0]?.equals(soundOf(800))).toBe(true)
    expect(pieces[1]?.equals(Buffer.alloc(800, 0xff))).toBe(true)
  })

  test('does not wait for a reader who is five seconds behind', () => {
    const tap = new Tap('t', () => {})
    const fits = Array.from({ length: 255 }, () => tap.write(frame))

    expect(fits.indexOf(false)).toBe(254)
  })
})
