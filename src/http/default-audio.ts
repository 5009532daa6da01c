import { toWav } from '../media/formats.ts'
import { type Tone, tones } from '../media/pcm.ts'
import type { Page } from './server.ts'

const sampleRate = 8_000
const note = (frequency: number, ms: number): Tone => ({ frequency, ms })
const rest = (ms: number): Tone => note(0, ms)

/** Default audio of a Number: short, distinguishable tone sequences. */
const figures: Record<string, Tone[]> = {
  welcome: [note(523, 180), note(659, 180), note(784, 320)],
  waiting: [note(392, 400), rest(200), note(440, 400), rest(200), note(494, 400), rest(400), note(440, 600), rest(800)],
  ivr: [note(659, 150), rest(60), note(659, 150)],
  voicemail: [note(784, 180), note(659, 180), note(523, 320), rest(300), note(1_000, 400)],
  closed: [note(440, 300), note(349, 500)],
  callback_later: [note(440, 200), note(523, 200), note(440, 400)],
  unanswered_call: [note(392, 300), rest(100), note(392, 500)],
  after_hours: [note(523, 250), note(440, 250), note(349, 500)],
  ringing_tone: [note(440, 1_000), rest(2_000)],
}

const files = new Map<string, Buffer>()

function fileOf(name: string): Buffer | undefined {
  const figure = Object.hasOwn(figures, name) ? figures[name] : undefined
  if (!figure) return undefined
  const file = files.get(name) ?? toWav(tones(figure, sampleRate), sampleRate)
  files.set(name, file)
  return file
}

export const defaultAudio: Page = (server) => {
  server.get<{ Params: { file: string } }>('/audio/:file', async (request, reply) => {
    const { file } = request.params
    const bytes = file.endsWith('.wav') ? fileOf(file.slice(0, -4)) : undefined
    if (!bytes) return reply.callNotFound()
    return reply.header('content-type', 'audio/wav').header('cache-control', 'public, max-age=86400').send(bytes)
  })
}
