import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { onEverywhere } from '../kit/conversations.ts'
import { testEngines } from '../kit/engines.ts'
import { formFields, openaiStandIn, replies } from '../kit/openai-stand-in.ts'
import type { Asked } from '../kit/web-stand-in.ts'

const path = '/v1/intelligence/engines'

onAnyDatabase('the engines of a company', (open) => {
  test('are off or built in by default, and report what is missing', async () => {
    const { a } = await open()

    const { json } = await a.own('GET', path)

    expect(json.settings).toMatchObject({
      external_allowed: false,
      live_languages: [],
      models: [],
      engines: {
        stt: {
          line: null,
          on: false,
          source: 'operator',
          explanation: 'Transcription is off. Run `hookswitch models fetch` to download the models.',
        },
        llm: { on: false, explanation: 'No LLM is used. Built-in rules are used instead.' },
      },
    })
  })

  test('a server of the operator is used only if the company allows it', async () => {
    const server = await openaiStandIn(() => replies({ french: 'Bonjour' }))
    const { a } = await open({ env: { AI_LLM: server.line(), AI_LLM_KEY: 'operators-key' } })
    const { host } = new URL(server.base)

    const before = await a.own('POST', `${path}/test`, { kind: 'llm' })
    const allowed = await a.own('PUT', path, { external_allowed: true })
    const after = await a.own('POST', `${path}/test`, { kind: 'llm' })

    expect(before.json).toMatchObject({ ok: false, engine: null })
    expect(before.json.explanation).toContain(
      `${host} is configured, but this company has not allowed external AI providers`,
    )
    expect(allowed.json.settings.engines.llm).toMatchObject({
      on: true,
      external: true,
      source: 'operator',
      has_key: false,
      explanation: `LLM: test-model at ${host}.`,
    })
    expect(after.json).toMatchObject({ ok: true, engine: 'openai:test-model' })
    expect(after.json.explanation).toContain('Bonjour')
    expect(server.got.map(({ headers }) => headers.authorization)).toEqual(['Bearer operators-key'])
  })

  test('a speech server receives the vocabulary of the company', async () => {
    const server = await openaiStandIn(() => ({ status: 200, json: { text: 'Good morning.' } }))
    const { a } = await open({ env: { AI_STT: server.line() } })
    await a.own('PUT', path, { external_allowed: true })

    await a.own('POST', `${path}/test`, { kind: 'stt' })
    const vocabulary = ['Lovelace', 'Acme GmbH']
    await a.own('PUT', '/v1/intelligence/settings', { ...onEverywhere, vocabulary })
    await a.own('POST', `${path}/test`, { kind: 'stt' })

    const prompts = server.got.map((asked) => formFields(asked as Asked).prompt)
    expect(prompts).toEqual([undefined, 'Lovelace, Acme GmbH'])
  })

  test('a company may have its own, with a key that is never returned', async () => {
    const server = await openaiStandIn(() => replies({ french: 'Bonjour' }))
    const { a, db } = await open()
    const models = [{ task: 'summary', model: 'larger' }]
    const llm = { line: server.line(), key: 'secret-key' }

    const { json } = await a.own('PUT', path, { external_allowed: true, engines: { llm }, models })
    await a.own('POST', `${path}/test`, { kind: 'llm' })

    expect(json.settings).toMatchObject({
      engines: { llm: { line: server.line(), has_key: true, source: 'company' } },
      models,
    })
    expect(JSON.stringify(json)).not.toContain('secret-key')
    expect(JSON.stringify(await db.selectFrom('company_engine').selectAll().execute())).not.toContain('secret-key')
    expect(server.got[0]?.headers.authorization).toBe('Bearer secret-key')
    expect(server.got[0]?.json.model).toBe('larger')

    const moved = await a.own('PUT', path, { engines: { llm: { line: 'openai+https://other.example/v1#m' } } })
    expect(moved.json.settings.engines.llm).toMatchObject({ has_key: false })
    const back = await a.own('PUT', path, { engines: { llm: { line: null } } })
    expect(back.json.settings.engines.llm).toMatchObject({ line: null, source: 'operator', on: false })
  })

  test('a speech-to-speech server that an earlier release stored is ignored, and the next save removes it', async () => {
    const { a, app, db } = await open()
    const agent = 'openai-realtime+wss://host.example/path#model'
    const row = {
      external_allowed: 1 as const,
      settings: JSON.stringify({ lines: { agent }, models: {} }),
      keys_sealed: app.services.vault.seal(JSON.stringify({ agent: 'secret' })),
      updated_at: 0,
    }
    await db
      .insertInto('company_engine')
      .values({ company_id: a.id, ...row })
      .execute()

    const { json } = await a.own('GET', path)
    await a.own('PUT', path, { external_allowed: false })

    expect(Object.keys(json.settings.engines)).toEqual(['stt', 'llm', 'tts'])
    expect(await db.selectFrom('company_engine').select(['settings', 'keys_sealed']).execute()).toEqual([
      { settings: '{"lines":{},"models":{}}', keys_sealed: null },
    ])
  })

  test('name the languages of live transcription', async () => {
    const { a } = await open({ env: { AI_STT: 'openai+https://speech.example/v1#large' } })
    const live = async () => (await a.own('GET', path)).json.settings.live_languages
    expect(await live()).toEqual([])
    await a.own('PUT', path, { external_allowed: true })
    expect(await live()).toBeNull()

    const { ai } = testEngines({})
    const stt = await ai.stt?.(1)
    if (!stt) throw new Error('there is speech-to-text')
    const english = await open({ ai: { ...ai, stt: async () => ({ ...stt, liveLanguages: ['en'] }) } })
    expect((await english.a.own('GET', path)).json.settings.live_languages).toEqual(['en'])
  })

  test('an invalid line, or one that points to the internal network, is rejected with a message', async () => {
    const { a } = await open()
    const put = async (llm: object) => (await a.own('PUT', path, { engines: { llm } })).json.troubleshoot

    expect(await put({ line: 'gpt' })).toBe('`engines.llm.line` must be off, or openai+https://host/path#model')
    expect(await put({ line: 'openai+https://10.0.0.5/v1#m' })).toContain(
      'names an address that must name a public host',
    )
    expect(await put({ line: 'openai+http://llm.example.com/v1#m' })).toContain('must begin with https://')
    expect((await a.own('PUT', path, { engines: { llm: { key: 'two words' } } })).status).toBe(400)
  })
})
