import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { relevantPassages } from '../../src/domain/ai-agent/knowledge.ts'
import { startEmbedding } from '../../src/features/voice-agents/knowledge/documents.ts'
import { createPassageCache } from '../../src/features/voice-agents/knowledge/passage-cache.ts'
import type { Ai } from '../../src/services.ts'
import { onBothDatabases } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { openOffice } from '../kit/phone.ts'
import { addAgent } from './agents.ts'

let page = ''
const server = createServer((_request, response) => response.setHeader('content-type', 'text/plain').end(page))
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

onBothDatabases('passages of AI agents in memory', (open) => {
  const opened = async (embed?: Ai['embed']) => {
    const { ai } = testEngines({ thoughts: [] })
    const office = await openOffice((options) => open({ ...options, ai: { ...ai, ...(embed && { embed }) } }))
    const agent = await addAgent(office, { name: 'Robin', brain: 'llm', first_message: 'Hello.' })
    const documents = `/v1/ai_voice_agents/${agent}/documents`
    const add = async (name: string, text: string): Promise<string> => {
      const made = await office.a.own('POST', documents, { name, data: Buffer.from(text).toString('base64') })
      return made.json.document.id
    }
    return { office, agent, documents, add }
  }

  test('are read once, and again after each change of a document, in every process', async () => {
    const { office, agent, documents, add } = await opened()
    const { a, db } = office
    const processes = [createPassageCache(db), createPassageCache(db)]
    const found = async (query: string) => {
      const all = await Promise.all(processes.map((one) => one.passagesFor(a.id, agent)))
      const texts = all.map(({ index }) => relevantPassages([index], query).map(({ text }) => text))
      expect(texts[0]).toEqual(texts[1])
      return texts[0]
    }
    expect(await found('returns')).toEqual([])

    const file = await add('returns.txt', 'Returns are free for 30 days.')
    expect(await found('returns')).toEqual(['Returns are free for 30 days.'])
    const [first] = processes
    const before = await first?.passagesFor(a.id, agent)
    expect((await first?.passagesFor(a.id, agent))?.index).toBe(before?.index)

    // A new text of the same length, at the same instant.
    page = 'Repairs take 1 week.'
    const { json } = await a.own('POST', documents, {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    })
    await office.app.settle()
    expect(await found('repairs')).toEqual(['Repairs take 1 week.'])
    page = 'Repairs take 9 week.'
    await a.own('POST', `${documents}/${json.document.id}/refresh`, {})
    await office.app.settle()
    expect(await found('repairs')).toEqual(['Repairs take 9 week.'])

    await a.own('DELETE', `${documents}/${file}`)
    expect(await found('returns')).toEqual([])
    expect(await createPassageCache(db).passagesFor(office.b.id, agent)).toMatchObject({ index: { passages: [] } })
  })

  test('have their vectors once these have been computed', async () => {
    let isInstalled = false
    const vectors = async (texts: readonly string[]) => texts.map(() => new Float32Array(384).fill(0.05))
    const { office, agent, add } = await opened(async (texts) => (isInstalled ? vectors(texts) : undefined))
    const { app, clock, db, a } = office
    const cache = createPassageCache(db)
    const file = await add('returns.txt', 'Returns are free for 30 days.')
    await app.settle()
    expect((await cache.passagesFor(a.id, agent)).withoutVectors).toEqual([file])

    isInstalled = true
    await startEmbedding(db, a.id, file, clock.now())
    await app.settle()

    const { index, withoutVectors } = await cache.passagesFor(a.id, agent)
    expect(withoutVectors).toEqual([])
    expect(index.passages[0]?.vector).toHaveLength(384)
  })

  test('of the AI agents that were used last are kept, up to a limit', async () => {
    const { office, agent, add } = await opened()
    const other = await addAgent(office, { name: 'Jo', brain: 'llm', first_message: 'Hello.' })
    const data = Buffer.from('Parcels take five days.').toString('base64')
    await add('returns.txt', 'Returns are free for 30 days.')
    await office.a.own('POST', `/v1/ai_voice_agents/${other}/documents`, { name: 'parcels.txt', data })
    const cache = createPassageCache(office.db, 1)
    const of = async (id: string) => (await cache.passagesFor(office.a.id, id)).index

    const first = await of(agent)
    expect(await of(agent)).toBe(first)
    const second = await of(other)
    expect(await of(other)).toBe(second)
    expect(await of(agent)).not.toBe(first)
    expect(await of(agent)).toEqual(first)
  })
})
