import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { readEngineLine, type ServerLine } from '../../src/domain/intelligence/engine-line.ts'
import { objectOf, string } from '../../src/domain/intelligence/json-schema.ts'
import { openaiLlm } from '../../src/intelligence/openai-llm.ts'
import { createEngineServer } from '../../src/intelligence/server.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createSafeFetch } from '../../src/lib/safe-fetch.ts'
import { all, replies, streams } from '../kit/openai-stand-in.ts'
import { type Asked, type Reply, standIn } from '../kit/web-stand-in.ts'

// The two local servers of docs/pages/intelligence.md. Their models cannot be had here, so that these servers respond
// as theirs do: the fields, status codes and messages of both programs.

const documented = [
  ...readFileSync(new URL('../../docs/pages/intelligence.md', import.meta.url), 'utf8').matchAll(
    /^AI_LLM=(openai\+http:\/\/127\.0\.0\.1:(?:11434|8080)\/\S+)/gm,
  ),
].map(([, line]) => line ?? '')

/** The documented setting, with the port of a server of the test. */
async function engineOf(documentedLine: string | undefined, how: (asked: Asked) => Reply) {
  const server = await standIn(how)
  const text = (documentedLine ?? '').replace(/http:\/\/127\.0\.0\.1:\d+/, server.base)
  const read = readEngineLine('llm', text)
  if ('problem' in read) throw new Error(read.problem)
  const line = read.line as ServerLine
  const clock = systemClock()
  const http = createSafeFetch({ clock, loopback: false, allowRanges: [], ownNames: [], ownPorts: [], trusted: true })
  onTestFinished(() => http.close())
  return { server, engine: openaiLlm(line, line.model, createEngineServer({ http, line, key: undefined })) }
}

const { signal } = new AbortController()
const question = { system: 'Be brief.', user: 'Why?', schema: objectOf({ reason: string }), name: 'reason', signal }
const messages = [{ role: 'user' as const, content: 'Sales, please' }]
const tools = [{ name: 'transfer', description: 'Transfers the call', parameters: { type: 'object' } }]

test('both servers are documented', () => {
  expect(documented).toHaveLength(2)
})

test('ollama: the schema is kept, no key is sent, and reasoning is in a field of its own', async () => {
  const { server, engine } = await engineOf(documented[0], ({ json }) =>
    json.stream
      ? streams(
          { role: 'assistant', content: '', reasoning: 'The caller wants Sales.' },
          { role: 'assistant', content: 'One moment.' },
          // A tool call arrives complete, in one piece.
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              {
                id: 'call_x1',
                index: 0,
                type: 'function',
                function: { name: 'transfer', arguments: '{"team":"Sales"}' },
              },
            ],
          },
        )
      : replies({ reason: 'Broken crates' }),
  )

  expect(await engine.json(question)).toEqual({ reason: 'Broken crates' })
  expect(await all(engine.chat({ messages, tools, signal }))).toEqual([
    { text: 'One moment.' },
    { toolCall: { id: 'call_x1', name: 'transfer', args: { team: 'Sales' } } },
  ])
  expect(server.got.map(({ path, json, headers }) => [path, json.model, headers.authorization])).toEqual([
    ['/v1/chat/completions', 'qwen3:8b', undefined],
    ['/v1/chat/completions', 'qwen3:8b', undefined],
  ])
})

test('ollama: a model that was not pulled is reported with the words of the server, and not asked again', async () => {
  const message = 'model "qwen3:8b" not found, try pulling it first'
  const { server, engine } = await engineOf(documented[0], () => ({
    status: 404,
    json: { error: { message, type: 'api_error', param: null, code: null } },
  }))

  await expect(engine.json(question)).rejects.toMatchObject({
    message: `The server answered 404: ${message}`,
    passing: false,
  })
  expect(server.got).toHaveLength(1)
})

test('llama-server: a model that is loading is asked again later', async () => {
  const { server, engine } = await engineOf(documented[1], () => ({
    status: 503,
    json: { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
  }))
  await expect(engine.json(question)).rejects.toMatchObject({
    message: 'The server answered 503: Loading model',
    passing: true,
  })

  server.answer(() => replies({ reason: 'Broken crates' }))
  expect(await engine.json(question)).toEqual({ reason: 'Broken crates' })
})

test('llama-server: a prompt beyond the context is refused once, not once per response format', async () => {
  const message = 'the request exceeds the available context size, try increasing it'
  const { server, engine } = await engineOf(documented[1], () => ({
    status: 400,
    json: { error: { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: 9_000, n_ctx: 4_096 } },
  }))

  await expect(engine.json(question)).rejects.toMatchObject({
    message: `The server answered 400: ${message}`,
    passing: false,
  })
  expect(server.got).toHaveLength(1)
})

test('llama-server: tools without --jinja are reported, and reasoning is in a field of its own', async () => {
  const { server, engine } = await engineOf(documented[1], ({ json }) =>
    json.tools
      ? {
          status: 500,
          json: { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
        }
      : streams({ role: 'assistant', content: null }, { reasoning_content: 'Hm.' }, { content: 'Hello.' }),
  )

  await expect(all(engine.chat({ messages, tools, signal }))).rejects.toMatchObject({
    message: 'The server answered 500: tools param requires --jinja flag',
  })
  expect(await all(engine.chat({ messages, signal }))).toEqual([{ text: 'Hello.' }])
  expect(server.got).toHaveLength(2)
})
