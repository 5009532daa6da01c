import { type Asked, type Reply, type StandIn, standIn } from './web-stand-in.ts'

// A server with the OpenAI API that imitates the quirks of real servers.

export interface OpenaiStandIn extends StandIn {
  /** For AI_LLM and its like: `openai+http://…/v1#model`. */
  line(model?: string): string
}

export async function openaiStandIn(how: (asked: Asked) => Reply): Promise<OpenaiStandIn> {
  const made = await standIn(how)
  return Object.assign(made, { line: (model = 'test-model') => `openai+${made.base}/v1#${model}` })
}

export const replies = (content: unknown, usage?: object): Reply => ({
  status: 200,
  json: {
    choices: [{ message: { content: typeof content === 'string' ? content : JSON.stringify(content) } }],
    ...(usage && { usage }),
  },
})

export const refuses = (status: number, message: string): Reply => ({ status, json: { error: { message } } })

/** As server-sent events, split at awkward places. */
export const streams = (...deltas: object[]): Reply => streamsAll(...deltas.map((delta) => ({ choices: [{ delta }] })))

/** Whole events, such as the last one with the tokens used. */
export const streamsAll = (...events: object[]): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  bytes: Buffer.from(
    [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  ),
})

/** Form fields without the file. */
export function formFields({ raw, headers }: Asked): Record<string, string> {
  const boundary = /boundary=(\w+)/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  return Object.fromEntries(
    raw.split(`--${boundary}`).flatMap((part) => {
      const found = /name="([^"]+)"\r\n\r\n([^\r]*)/.exec(part)
      return found ? [[found[1] ?? '', found[2] ?? '']] : []
    }),
  )
}

export async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const got: T[] = []
  for await (const piece of pieces) got.push(piece)
  return got
}

/** Length of speech that was returned in pieces. */
export const samplesIn = (pieces: readonly Int16Array[]) => pieces.reduce((sum, { length }) => sum + length, 0)
