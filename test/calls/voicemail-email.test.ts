import { expect, test } from 'vitest'
import type { CallerStep } from '../../src/services.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { onEverywhere } from '../kit/conversations.ts'
import { type Line, type Office, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'

onAnyDatabase('a voicemail by e-mail', (open) => {
  test('goes to the users of the number, with caller, time, duration and a link', async () => {
    const office = await openOffice(open)
    const { a, ada, bea } = office
    await a.api('POST', '/v1/contacts', {
      first_name: 'Ines',
      last_name: 'Bond',
      phone_numbers: [{ label: 'Mobile', value: '+33612345678' }],
    })
    await office.db.updateTable('user').set({ time_zone: 'America/New_York' }).where('id', '=', bea).execute()
    const line = await office.line({ ring: ringTo([toUser(ada), toUser(bea)]), box: voicemail })

    const id = await leave(office, line)

    const mails = await mailsOf(office)
    expect(mails.map(({ recipient, subject }) => [recipient, subject])).toEqual([
      ['ada@example.test', 'Voicemail from Ines Bond on Line 1'],
      ['bea@example.test', 'Voicemail from Ines Bond on Line 1'],
    ])
    const [first, second] = mails
    expect(first?.text).toContain('Ines Bond (06 12 34 56 78) left a voicemail on Line 1')
    expect(first?.text).toContain('Duration: 0:12')
    expect(first?.text).toContain(`/phone?call=${id}`)
    expect(second?.text).toContain('(America/New_York)')
  })

  test('is off for a user, or for all users of a number', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, db } = office
    const line = await office.line({ ring: ringTo([toUser(ada), toUser(bea)]), box: voicemail })
    await db.updateTable('user').set({ voicemail_email: 0 }).where('id', '=', ada).execute()

    await leave(office, line)
    expect((await mailsOf(office)).map(({ recipient }) => recipient)).toEqual(['bea@example.test'])
    const { json } = await a.own('PUT', `/v1/numbers/${line.id}/settings`, { voicemail_emails: false })
    expect(json.voicemail_emails).toBe(false)
    await leave(office, line)

    expect(await mailsOf(office)).toHaveLength(1)
  })

  test('waits for the transcript', async () => {
    const office = await openOffice(open)
    const { ada } = office
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail })
    await office.a.own('PUT', '/v1/intelligence/settings', onEverywhere)

    await leave(office, line, [{ wait: 4.5 }, { say: 'Please call me back', seconds: 6 }, { hang_up: true }])

    const [mail] = await mailsOf(office)
    expect(mail?.text).toContain('Transcript:\nPlease call me back')
  })

  test('is not sent once the voicemail was deleted', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail })
    const id = await office.call(line, { script: [{ voicemail: 12 }] })
    await pass(40)
    await a.api('DELETE', `/v1/calls/${id}/voicemail`)

    await pass(240)

    expect(await mailsOf(office)).toEqual([])
  })
})

async function leave(office: Office, line: Line, script: CallerStep[] = [{ voicemail: 12 }]): Promise<number> {
  const id = await office.call(line, { script })
  await office.pass(240)
  await office.settle()
  return id
}

async function mailsOf({ db, app }: Office) {
  const rows = await db.selectFrom('mail').selectAll().where('subject', 'like', 'Voicemail%').orderBy('id').execute()
  return rows.map(({ recipient, subject, text_sealed }) => ({
    recipient,
    subject,
    text: app.services.vault.open(text_sealed),
  }))
}
