import { expect, test } from 'vitest'
import { encode } from '../media/g711.ts'
import { writeKeyTone } from './digits.ts'
import { writeRtpHeader } from './rtp.ts'
import { RtpStream } from './stream.ts'

// A far end without telephone events, which presses keys for 100 ms each. Pauses are 100 ms.

function farEnd() {
  const digits: string[] = []
  const stream = new RtpStream(
    () => {},
    (digit) => digits.push(digit),
  )
  stream.agree({ codec: 'PCMU', payloadType: 0, telephoneEvent: null })
  let frames = 0
  const frame = new Int16Array(160)
  return {
    digits,
    /** Frames of 20 ms of a key, or of silence. */
    send(key: string, count: number): void {
      for (let n = 0; n < count; n++, frames++) {
        if (key === '') frame.fill(0)
        else writeKeyTone('0123456789*#'.indexOf(key), frames * 160, frame)
        const packet = Buffer.concat([Buffer.alloc(12), encode('PCMU', frame)])
        writeRtpHeader(packet, 0, false, frames, frames * 160, 7)
        stream.receive(packet, frames * 20)
      }
    },
    /** The time passes in which frames are lost, or not sent because of silence. */
    skip(count: number): void {
      frames += count
    },
    play(ticks: number): void {
      for (let n = 0; n < ticks; n++) stream.take(new Int16Array(160))
    },
  }
}

test('keys that arrive in one burst are all detected, although most of their sound is not played', () => {
  const { digits, send, play } = farEnd()

  for (const key of ['4', '#', '7', '7']) {
    send(key, 5)
    send('', 5)
  }
  play(20)

  expect(digits).toEqual(['4', '#', '7', '7'])
})

test('a key counts once if the network delays a part of it', () => {
  const { digits, send, play } = farEnd()

  send('4', 3)
  play(20)
  send('4', 2)
  send('', 5)
  play(20)

  expect(digits).toEqual(['4'])
})

test('a lost packet does not split a key, and a pause without packets separates two', () => {
  const { digits, send, skip, play } = farEnd()

  send('4', 3)
  skip(1)
  send('4', 3)
  skip(5)
  send('4', 5)
  play(20)

  expect(digits).toEqual(['4', '4'])
})
