import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TtsEngine } from '../domain/intelligence/engines.ts'
import { type Clock, second } from '../lib/clock.ts'
import { EngineTrouble } from './server.ts'
import { at8k } from './spoken.ts'

// Text-to-speech by a local program, which gets the text on stdin and is never run through a shell.

const programs = ['espeak-ng', 'espeak', 'flite'] as const
type Program = (typeof programs)[number]

const timeoutMs = 20 * second
const maxBytes = 32 * 1_048_576
const maxText = 5_000

export interface LocalVoice {
  clock: Clock
  /** Folders to search for the programs. */
  folders: readonly string[]
  options: Readonly<Record<string, string>>
}

/** Undefined if no such program is installed. */
export function localVoice({ clock, folders, options }: LocalVoice): TtsEngine | undefined {
  const wanted = programs.filter((program) => options.program === undefined || program === options.program)
  const found = wanted.flatMap((program) => fileOf(program, folders) ?? [])[0]
  if (!found) return undefined
  return {
    id: `embedded:${found.program}`,
    async *speak(text, { language, voice, signal }) {
      if (found.program === 'flite' && language !== 'en')
        throw new EngineTrouble('This voice supports English only.', false)
      const by = voiceIn(voice) ?? voiceIn(options.voice)
      const spoken = text.slice(0, maxText)
      const wav =
        found.program === 'flite'
          ? await flite(clock, found.file, by ?? 'slt', spoken, signal)
          : await run(clock, found.file, ['--stdin', '--stdout', '-b', '1', '-v', by ?? language], spoken, signal)
      yield await at8k(wav, undefined)
    },
  }
}

function fileOf(program: Program, folders: readonly string[]): { program: Program; file: string } | undefined {
  for (const folder of folders) {
    const file = path.join(folder, program)
    if (isProgram(file)) return { program, file }
  }
  return undefined
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Validates the voice name: it becomes an argument of the program. */
const voiceIn = (voice: string | undefined) =>
  voice && /^[A-Za-z0-9][A-Za-z0-9+_-]{0,40}$/.test(voice) ? voice : undefined

/** flite cannot write to a pipe: it writes a temporary file. */
async function flite(clock: Clock, file: string, voice: string, text: string, signal: AbortSignal): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hookswitch-voice-'))
  try {
    const wav = path.join(folder, 'spoken.wav')
    await run(clock, file, ['-voice', voice, '-o', wav, '-'], text, signal)
    return await readFile(wav)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function run(clock: Clock, file: string, args: string[], text: string, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new EngineTrouble('The request was aborted.', true))
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'], env: {}, shell: false })
    const chunks: Buffer[] = []
    let size = 0
    let failed: EngineTrouble | undefined
    const kill = (why: string) => {
      failed ??= new EngineTrouble(why, true)
      child.kill('SIGKILL')
    }
    const giveUp = () => kill('The request was aborted.')
    const cancelTimer = clock.machineAfter(timeoutMs, () => kill('The speech program timed out.'))
    const end = (error: EngineTrouble | undefined) => {
      cancelTimer()
      signal.removeEventListener('abort', giveUp)
      if (error) reject(error)
      else resolve(Buffer.concat(chunks))
    }
    signal.addEventListener('abort', giveUp)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) kill('The synthesized speech is too long.')
      else chunks.push(chunk)
    })
    child.on('error', () => end(new EngineTrouble('The speech program cannot be started.', false)))
    child.on('close', (code) => {
      end(failed ?? (code === 0 ? undefined : new EngineTrouble(`The speech program exited with code ${code}.`, true)))
    })
    // The program may exit before it has read everything.
    child.stdin.on('error', () => {})
    child.stdin.end(text)
  })
}
