import { expect, test } from 'vitest'
import { addAgent } from '../ai-agents/agents.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { openPhone } from '../live/phone-app.ts'

const encoded = (content: string) => Buffer.from(content).toString('base64')
const handbook = `# Error 14

Error 14 means that the pump has no pressure. Empty the water tank, fill it again and restart the machine.

# Descaling

Descale the machine every three months with the tablets from the supply shop. <b>Never</b> use vinegar.

# Opening hours

The service hotline is open on weekdays from eight to six, and on Saturdays until noon.`

/** Directions of words: texts that share one have a similar meaning. */
const embed = async (texts: readonly string[]) =>
  texts.map((text) => {
    const vector = new Float32Array(384)
    for (const [index, words] of [
      /pump|pressure|does not brew/i,
      /tablet|limescale|descal/i,
      /open|saturday/i,
    ].entries())
      if (words.test(text)) vector[index] = 1
    const length = Math.hypot(...vector) || 1
    return vector.map((x) => x / length)
  })

onAnyDatabase('passages of documents during a call', (open) => {
  const opened = async ({ language = 'en-GB', ai = {} }: { language?: string; ai?: object } = {}) => {
    const office = await openOffice((options) => open({ ...options, ai: { ...testEngines().ai, ...ai } }))
    const { a, ada } = office
    await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language, numbers: [] })
    const agent = await addAgent(office, { name: 'Robin', first_message: 'Hello.', active: false })
    const add = (name: string, content: string) =>
      a.own('POST', `/v1/ai_voice_agents/${agent}/documents`, { name, data: encoded(content) })
    expect((await add('handbook.md', handbook)).status).toBe(201)
    await office.connect(ada)
    await office.pass(1)
    const choose = (team_ids: number[] | null = null) =>
      a.own('PUT', '/v1/intelligence/suggestions', { sources: [{ ai_voice_agent_id: agent, team_ids }] })
    /** A call in which the customer says these lines; the suggestions that Ada's phone has received. */
    const talk = async (...lines: string[]) => {
      const phone = await openPhone(office, { userId: ada })
      const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
      const said = lines.flatMap((say) => [{ say, seconds: 3 }, { wait: 4 }])
      const id = await office.call(line, { script: [{ hear: 2 }, ...said, { hang_up: true }] })
      await office.pass(3)
      await office.does(ada, { kind: 'answer' })
      await office.pass(8 * lines.length + 30)
      const shown = () =>
        phone.received
          .filter(({ type, call_id }) => type === 'suggestion' && call_id === id)
          .map(({ suggestion }) => suggestion)
      return { id, phone, shown, path: `/v1/calls/${id}/suggestions` }
    }
    return { office, agent, add, choose, talk }
  }
  const headings = (all: { heading: string }[]) => all.map(({ heading }) => heading)

  test('appear in the phone app of the agent when the customer speaks about them, each once', async () => {
    const { office, choose, talk } = await opened()
    await choose()

    const { id, shown, path } = await talk(
      'Good morning, my name is Sarah Miller.',
      'The display of my coffee machine says error 14, the pump is loud.',
      'Yes, please.',
      'Error 14 again, the pump!',
      'Do you have tablets for descaling?',
    )

    await expect.poll(() => headings(shown())).toEqual(['Error 14', 'Descaling'])
    expect(shown()[0]).toEqual({
      id: 1,
      at: expect.any(Number),
      heading: 'Error 14',
      text: 'Error 14 means that the pump has no pressure. Empty the water tank, fill it again and restart the machine.',
      document: 'handbook.md',
      url: null,
      by: 'words',
    })
    expect(shown()[1].text).toContain('<b>Never</b> use vinegar.')
    expect((await office.a.own('GET', path)).json.suggestions).toEqual(shown())
    const stored = await office.db.selectFrom('insight').select('kind').where('call_id', '=', id).execute()
    expect(stored).toContainEqual({ kind: 'suggestions' })
  })

  test('are found by their meaning where the English embedding model is installed', async () => {
    const { choose, talk } = await opened({ ai: { embed } })
    await choose()

    const { shown } = await talk('My espresso maker does not brew since Tuesday.', 'It tastes like limescale, too.')

    await expect
      .poll(() => shown().map(({ heading, by }) => [heading, by]))
      .toEqual([
        ['Error 14', 'meaning'],
        ['Descaling', 'meaning'],
      ])
  })

  test('are found by words in other languages, and after an error of the model', async () => {
    const broken = async () => {
      throw new Error('the model is gone')
    }
    const { choose, talk, add } = await opened({ language: 'de-DE', ai: { embed: broken } })
    await add('lieferung.md', '# Lieferung\n\nPakete nach Österreich dauern fünf Werktage und sind ab 50 Euro frei.')
    await choose()

    const { shown } = await talk('Guten Tag, wie lange dauern denn Pakete nach Österreich?', 'Ja, vielen Dank.')

    await expect.poll(() => headings(shown())).toEqual(['Lieferung'])
  })

  test('go to the chosen teams only, and agents read those of their own calls', async () => {
    const { office, choose, talk } = await opened()
    const { a, ada, bea } = office
    const team = async (name: string, userId: number) => {
      const { id } = (await a.api('POST', '/v1/teams', { name })).json.team
      await a.api('POST', `/v1/teams/${id}/users/${userId}`)
      return id
    }
    const [repairs, sales] = [await team('Repairs', ada), await team('Sales', bea)]
    const said = 'My machine shows error 14 and the pump is loud.'

    await choose([sales])
    const first = await talk(said)
    await choose([repairs])
    const second = await talk(said)

    await expect.poll(() => headings(second.shown())).toEqual(['Error 14'])
    expect(first.shown()).toEqual([])
    expect((await a.own('GET', first.path)).json.suggestions).toEqual([])
    expect((await a.own('GET', second.path)).json.suggestions).toHaveLength(1)
  })

  test('are off until documents are chosen, and where the AI agent is deleted', async () => {
    const { office, agent, choose, talk } = await opened()
    const { a, db } = office
    const said = 'My machine shows error 14 and the pump is loud.'
    const before = await talk(said)
    await choose()
    const settings = (await a.own('GET', '/v1/intelligence/suggestions')).json
    await db.updateTable('company').set({ plan: 'custom', ai_package: 'assist-pro' }).execute()
    const foreign = { sources: [{ ai_voice_agent_id: agent, team_ids: null }] }
    expect((await office.b.own('PUT', '/v1/intelligence/suggestions', foreign)).status).toBe(400)
    expect((await a.own('DELETE', `/v1/ai_voice_agents/${agent}`)).status).toBe(204)
    const after = await talk(said)

    expect([before.shown(), after.shown()]).toEqual([[], []])
    expect(settings.sources).toEqual([{ ai_voice_agent_id: agent, team_ids: null, name: 'Robin', documents: 1 }])
    expect((await a.own('GET', '/v1/intelligence/suggestions')).json.sources).toEqual([])
    expect(await db.selectFrom('suggestion_source').selectAll().execute()).toEqual([])
    const unknown = { sources: [{ ai_voice_agent_id: agent, team_ids: null }] }
    expect((await a.own('PUT', '/v1/intelligence/suggestions', unknown)).status).toBe(400)
  })
})
