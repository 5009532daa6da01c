import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { addCall } from '../../../../test/kit/calls.ts'
import { addNumber, addTeam, addUser } from '../../../../test/kit/flows.ts'
import { openOffice } from '../../../../test/kit/phone.ts'

onAnyDatabase('Numbers and teams that are deleted', (open) => {
  test('past calls keep the Number and the teams they had, in lists, reads and events', async () => {
    const app = await open()
    const { a } = app
    const line = await addNumber(a, { name: 'Old line' })
    const team = await addTeam(a, 'Support', [await addUser(a, 'Grace')])
    const call = await addCall(app, a, { numberId: line.id, teamIds: [team.id] })
    const shown = async () => (await a.api('GET', `/v1/calls/${call.id}`)).json.call
    const before = await shown()

    expect((await a.api('DELETE', `/v1/teams/${team.id}`)).status).toBe(204)
    expect((await a.own('DELETE', `/v1/numbers/${line.id}`)).status).toBe(204)

    expect(before.number).toMatchObject({ id: line.id, name: 'Old line', digits: line.digits })
    expect(before.teams).toMatchObject([{ id: team.id, name: 'Support' }])
    expect(await shown()).toEqual(before)
    expect((await a.api('GET', '/v1/calls')).json.calls[0]).toEqual(before)
    await a.api('POST', `/v1/calls/${call.id}/comments`, { content: 'Later' })
    await app.settle()
    const { json } = await a.api('GET', '/v1/events?per_page=50')
    expect(json.events.at(-1)).toMatchObject({
      event: 'call.commented',
      data: { number: { id: line.id, name: 'Old line' }, teams: [{ id: team.id }] },
    })
    const filter = { timezone: 'Etc/UTC', dateFilter: { relative: 'TODAY' } }
    const asked = await a.api('POST', '/v1/analytics/report/export', { input: { reportName: 'CALLS_HISTORY', filter } })
    await app.settle()
    const report = (await a.api('GET', `/v1/analytics/report/export/${asked.json.exportID}`)).json
    expect(await (await fetch(report.downloadUrl)).text()).toMatch(/,Old line,.*,Support,/)
    expect((await a.api('GET', `/v1/numbers/${line.id}`)).status).toBe(404)
    expect((await a.api('GET', `/v1/teams/${team.id}`)).status).toBe(404)
  })

  test('the digits of a deleted Number and the name of a deleted team can be used again', async () => {
    const app = await open()
    const { a } = app
    const line = await addNumber(a)
    const call = await addCall(app, a, { numberId: line.id })
    const team = await addTeam(a, 'Support')
    await a.own('DELETE', `/v1/numbers/${line.id}`)
    await a.api('DELETE', `/v1/teams/${team.id}`)

    const again = await addNumber(a, { digits: line.digits.replaceAll(' ', ''), name: 'New line' })

    expect(again.id).not.toBe(line.id)
    expect((await addTeam(a, 'support')).id).not.toBe(team.id)
    expect((await a.api('GET', `/v1/calls/${call.id}`)).json.call.number).toMatchObject({
      id: line.id,
      name: 'Main line',
    })
  })

  test('a Number with an active call cannot be deleted', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    await office.connect(ada)
    const line = await office.line()
    const other = await addNumber(a)
    const id = await office.call(line)

    const refused = await a.own('DELETE', `/v1/numbers/${(await office.show(id)).number.id}`)

    expect(refused.status).toBe(422)
    expect(refused.json.troubleshoot).toMatch(/active call/)
    expect((await a.own('DELETE', `/v1/numbers/${other.id}`)).status).toBe(204)
    await office.does(ada, { kind: 'answer' })
    await office.does(ada, { kind: 'hang_up' })
    expect((await a.own('DELETE', `/v1/numbers/${(await office.show(id)).number.id}`)).status).toBe(204)
    expect((await office.show(id)).number).toMatchObject({ digits: expect.any(String) })
  })
})
