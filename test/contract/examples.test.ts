import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exampleToken } from '../../src/http/docs/example.ts'
import { serverPlaceholder } from '../../src/http/docs/recorded-examples.ts'
import type { OpenApi } from '../../src/http/openapi.ts'
import { inData, seeded } from '../cli/installation.ts'
import { api, serve } from '../cli/program.ts'
import { type ExampleRequest, exampleRequests, type Known } from './example-requests.ts'

const file = new URL('../../src/http/docs/recorded-examples.json', import.meta.url)

/** Why the demo company has no example of an operation. */
const withoutExample = {
  createAccessToken: 'needs the code of a person who has just consented',
  getRealtimeTranscription: 'exists during calls with a speech provider',
  streamEvents: 'does not end',
}

/** `npm run examples` records the responses again. */
test('a fresh sandbox accepts the example of every operation', async () => {
  const env = await seeded('embedded', { RATE_LIMIT_PER_MINUTE: '10000' })
  const { base } = await serve(env)
  const send = api(base, JSON.parse(readFileSync(inData(env, 'demo.json'), 'utf8')))
  const document: OpenApi = (await send('GET', '/openapi.json')).json
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const known: Known = {}
  const recorded: Record<string, object> = {}

  for (const request of exampleRequests) {
    const found = operations.find(({ operation }) => operation.operationId === request.operationId)
    if (!found) throw new Error(`${request.operationId} is not in the document`)
    await request.before?.(send, known)
    const { ids, path, body } = filled(request, found.path, known)
    const { status, json } = await send(found.method, path + (request.query ?? ''), body)
    known[request.operationId] = json
    recorded[request.operationId] = {
      ...(ids && { ids }),
      ...(body && { body }),
      ...(json && { response: json }),
    }

    expect(found.operation.responses, `${request.operationId}: ${status} ${json?.troubleshoot}`).toHaveProperty(
      String(status),
    )
    expect(status, `${request.operationId}: ${json?.troubleshoot}`).toBeLessThan(300)
    const shown = found.operation.requestBody?.content['application/json'].example
    // Times of requests are those of the recording.
    if (!process.env.RECORD && typeof request.body !== 'function') expect(shown, request.operationId).toEqual(body)
  }

  if (process.env.RECORD) writeFileSync(file, `${withoutSecrets(JSON.stringify(recorded, null, 2))}\n`)
  const sent = new Set([...exampleRequests.map(({ operationId }) => operationId), ...Object.keys(withoutExample)])
  expect(operations.map(({ operation }) => operation.operationId).filter((id) => !sent.has(id))).toEqual([])
})

function filled({ ids, body }: ExampleRequest, path: string, known: Known) {
  const values = typeof ids === 'function' ? ids(known) : ids
  return {
    ids: values,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => String(values?.[name])),
    body: typeof body === 'function' ? body(known) : body,
  }
}

const withoutSecrets = (text: string) =>
  text
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, serverPlaceholder)
    .replace(/("token": )"[0-9a-f]+"/g, `$1"${exampleToken}"`)
    .replace(/("(?:api_token|client_secret)": )"[^"]+"/g, `$1"${exampleToken}"`)
    .replace(/"whsec_[^"]*"/g, '"whsec_3q2+78r+ur4AAQIDBAUGBwgJCgsMDQ4PEBESExQVFhc="')
