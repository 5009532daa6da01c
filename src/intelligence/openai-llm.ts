import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { ChatMessage, LlmEngine, TokenUse, Tool, ToolCall } from '../domain/intelligence/engines.ts'
import { firstJson, withoutThoughts } from '../domain/intelligence/first-json.ts'
import { type JsonSchema, problemIn } from '../domain/intelligence/json-schema.ts'
import { type EngineReply, type EngineServer, EngineTrouble, errorOfReply, isSuccessReply, jsonIn } from './server.ts'
import { sseReader } from './sse.ts'

const maxBytes = 4 * 1_048_576

/** Ways to request structured output, strictest first. A 200 guarantees nothing, so every answer is validated. */
const rungs = ['json_schema', 'json_object', 'plain'] as const
type Rung = (typeof rungs)[number]

interface Asked {
  system: string
  user: string
  schema: object
  name: string
  isUsable?(value: unknown): boolean
  onResponse?(use: TokenUse): void
}

/** Any server with the OpenAI chat API. */
export function openaiLlm(line: ServerLine, model: string, server: EngineServer): LlmEngine {
  // The first way that worked: ways that the server rejected or ignored are not tried again.
  let lowest = 0
  // Servers that reject the option report no tokens of streamed responses.
  let reportsUse = true
  const temperature = line.options.temperature
  const common = { model, ...(temperature !== undefined && { temperature: Number(temperature) }) }

  const post = (body: object, signal: AbortSignal, take?: (chunk: Buffer) => void) =>
    server.request({
      path: '/chat/completions',
      type: 'application/json',
      body: JSON.stringify({ ...common, ...body }),
      maxBytes,
      signal,
      ...(take && { take }),
    })

  async function send(messages: readonly object[], rung: Rung, asked: Asked, signal: AbortSignal) {
    const reply = await post({ messages, ...formatOf(rung, asked) }, signal)
    asked.onResponse?.(isSuccessReply(reply) ? useIn(jsonIn(reply.bytes.toString('utf8'))) : noUse)
    if (isSuccessReply(reply)) return { text: textIn(reply) }
    if (rung !== 'plain' && isFormatRefused(reply)) return { refused: true as const }
    throw errorOfReply(reply)
  }

  /** Undefined: try the next way. */
  async function atRung(rung: Rung, asked: Asked, signal: AbortSignal): Promise<{ value: unknown } | undefined> {
    const messages: object[] = [
      { role: 'system', content: rung === 'json_schema' ? asked.system : withSchema(asked) },
      { role: 'user', content: asked.user },
    ]
    const first = await send(messages, rung, asked, signal)
    if ('refused' in first) return undefined
    const answer = checked(first.text, asked)
    if ('value' in answer) return answer
    // The server accepted the schema but ignored it: put it into the prompt.
    if (rung === 'json_schema') return undefined
    messages.push(
      { role: 'assistant', content: first.text.slice(0, 20_000) },
      { role: 'user', content: `That does not fit: ${answer.problem}. Answer with the JSON object alone, mended.` },
    )
    const second = await send(messages, rung, asked, signal)
    if ('refused' in second) return undefined
    const mended = checked(second.text, asked)
    return 'value' in mended ? mended : { value: null }
  }

  return {
    id: `openai:${model}`,
    async json({ signal, ...asked }) {
      for (let at = lowest; at < rungs.length; at++) {
        const answer = await atRung(rungs[at] ?? 'plain', asked, signal)
        if (!answer) continue
        if (answer.value !== null) lowest = at
        return answer.value
      }
      return null
    },
    async *chat({ messages, tools, signal, onResponse }) {
      const body = {
        messages: messages.map(messageView),
        ...(tools?.length && { tools: tools.map(toolView) }),
        stream: true,
      }
      for (;;) {
        const use = { ...noUse }
        const isRefused = yield* streamed(body, signal, use)
        onResponse?.(use)
        if (!isRefused) return
        reportsUse = false
      }
    },
  }

  /** Returns true if the server rejects the report of tokens. */
  async function* streamed(body: object, signal: AbortSignal, use: TokenUse) {
    const queue = sseReader()
    let isRefused = false
    // A consumer that stops early aborts the request.
    const leaving = new AbortController()
    const asked = { ...body, ...(reportsUse && { stream_options: { include_usage: true } }) }
    const asking = post(asked, AbortSignal.any([signal, leaving.signal]), queue.take).then(
      (reply) => {
        isRefused = reportsUse && isUseRefused(reply)
        queue.end(isRefused || isSuccessReply(reply) ? undefined : errorOfReply(reply))
      },
      (error: unknown) => queue.end(error),
    )
    try {
      yield* pieces(queue.events, use)
      await asking
    } finally {
      leaving.abort()
    }
    return isRefused
  }
}

const noUse: TokenUse = { input: 0, output: 0 }

const isUseRefused = ({ status, bytes }: EngineReply) =>
  (status === 400 || status === 422) && bytes.toString('utf8', 0, 4_096).includes('stream_options')

function useIn(body: unknown): TokenUse {
  const { usage } = (body ?? {}) as { usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null }
  const count = (value: unknown) => (typeof value === 'number' && value >= 0 ? Math.round(value) : 0)
  return { input: count(usage?.prompt_tokens), output: count(usage?.completion_tokens) }
}

/** A prompt that exceeds the context is too long in every format. */
const isFormatRefused = ({ status, bytes }: EngineReply) =>
  (status === 400 && !/context[ _](size|length|window)/i.test(bytes.toString('utf8', 0, 4_096))) ||
  status === 422 ||
  status === 501

function formatOf(rung: Rung, { name, schema }: Asked): object {
  if (rung === 'plain') return {}
  if (rung === 'json_object') return { response_format: { type: 'json_object' } }
  return { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } }
}

const withSchema = ({ system, schema }: Asked) =>
  `${system}\n\nAnswer with one JSON object that keeps to this JSON Schema, and nothing else:\n${JSON.stringify(schema)}`

function textIn({ bytes }: EngineReply): string {
  const body = jsonIn(bytes.toString('utf8')) as { choices?: { message?: { content?: unknown } }[] } | undefined
  const content = body?.choices?.[0]?.message?.content
  if (typeof content !== 'string') throw new EngineTrouble('The server’s response contains no message.', false)
  return content
}

function checked(text: string, { schema, isUsable }: Asked): { value: unknown } | { problem: string } {
  const value = firstJson(withoutThoughts(text))
  if (value === undefined) return { problem: 'there is no JSON object in it' }
  if (isUsable?.(value)) return { value }
  const problem = problemIn(schema as JsonSchema, value)
  return problem ? { problem } : { value }
}

const messageView = ({ role, content, toolCalls, toolCallId }: ChatMessage) => ({
  role,
  content,
  ...(toolCalls?.length && {
    tool_calls: toolCalls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  }),
  ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
})

const toolView = ({ name, description, parameters }: Tool) => ({
  type: 'function',
  function: { name, description, parameters },
})

interface Delta {
  content?: unknown
  tool_calls?: { index?: number; id?: unknown; function?: { name?: unknown; arguments?: unknown } }[]
}

interface Building {
  id: string
  name: string
  args: string
}

/** Streams text without reasoning; tool calls when they are complete. */
async function* pieces(
  events: AsyncIterable<string>,
  use: TokenUse,
): AsyncIterable<{ text?: string; toolCall?: ToolCall }> {
  const calls = new Map<number, Building>()
  const speech = thoughtless()
  for await (const data of events) {
    if (data === '[DONE]') break
    const event = jsonIn(data) ?? {}
    const { choices, error } = event as { choices?: { delta?: Delta }[]; error?: { message?: unknown } }
    // Some servers report it once, others with every event.
    const { input, output } = useIn(event)
    Object.assign(use, { input: Math.max(use.input, input), output: Math.max(use.output, output) })
    if (error) throw new EngineTrouble(`The server reported: ${String(error.message).slice(0, 200)}`, true)
    const delta = choices?.[0]?.delta
    if (typeof delta?.content === 'string') {
      const text = speech(delta.content)
      if (text !== '') yield { text }
    }
    for (const [place, part] of (delta?.tool_calls ?? []).entries()) {
      const at = part.index ?? place
      const known = calls.get(at) ?? { id: '', name: '', args: '' }
      calls.set(at, {
        id: typeof part.id === 'string' && part.id !== '' ? part.id : known.id,
        name: known.name + (typeof part.function?.name === 'string' ? part.function.name : ''),
        args: known.args + (typeof part.function?.arguments === 'string' ? part.function.arguments : ''),
      })
    }
  }
  for (const [at, { id, name, args }] of calls) {
    yield { toolCall: { id: id === '' ? `call_${at}` : id, name, args: args === '' ? {} : jsonIn(args) } }
  }
}

/** Removes the reasoning at the beginning, between <think> tags that may be split over chunks. */
function thoughtless(): (piece: string) => string {
  let held = ''
  let state: 'maybe' | 'thinking' | 'speaking' = 'maybe'
  return (piece) => {
    if (state === 'speaking') return piece
    held += piece
    if (state === 'maybe') {
      const text = held.trimStart()
      if ('<think>'.startsWith(text.slice(0, 7)) && text.length < 7) return ''
      state = text.startsWith('<think>') ? 'thinking' : 'speaking'
      if (state === 'speaking') return held
    }
    const end = held.indexOf('</think>')
    if (end < 0) return ''
    state = 'speaking'
    return held.slice(end + '</think>'.length).trimStart()
  }
}
