import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { colleague, linkMailedTo, password, visitor } from '../../../../test/kit/visitor.ts'

const refusal = 'Your account is deactivated; ask an owner or admin of your company to reactivate it'

onAnyDatabase('deactivating a user', (open) => {
  test('ends every session, refuses the sign-in with a reason, and can be undone', async () => {
    const app = await open()
    const admin = await colleague(app, app.a, 'admin')
    const ada = await colleague(app, app.a, 'agent')

    const done = await admin.ask('POST', `/v1/users/${ada.id}/deactivate`)
    const again = await admin.ask('POST', `/v1/users/${ada.id}/deactivate`)

    expect([done.status, again.status]).toEqual([200, 200])
    expect(done.json.profile.active).toBe(false)
    expect((await ada.ask('GET', '/v1/session')).status).toBe(403)
    const refused = await visitor(app).signIn(ada.email, password)
    expect([refused.status, refused.json.troubleshoot]).toEqual([403, refusal])
    const guess = await visitor(app).signIn(ada.email, 'a wrong password')
    expect(guess.json.troubleshoot).toBe('The email address or password is incorrect')
    await admin.ask('POST', `/v1/users/${ada.id}/reactivate`)
    expect((await visitor(app).signIn(ada.email, password)).status).toBe(200)
    const { audit_log } = (await app.a.own('GET', '/v1/audit_log?per_page=20&order=desc')).json
    const actions = audit_log.map(({ action }: { action: string }) => action)
    expect(actions.filter((action: string) => action.startsWith('user.'))).toEqual(
      expect.arrayContaining(['user.deactivated', 'user.reactivated']),
    )
    expect(actions.filter((action: string) => action === 'user.deactivated')).toHaveLength(1)
  })

  test('is refused for oneself, for the last owner and for an invited user', async () => {
    const app = await open()
    const owner = await colleague(app, app.a, 'owner')
    const admin = await colleague(app, app.a, 'admin')
    const invited = await app.a.api('POST', '/v2/users', { email: 'new@example.test', first_name: 'N', last_name: 'W' })
    const deactivate = (by: typeof owner, id: number) => by.ask('POST', `/v1/users/${id}/deactivate`)
    await app.db.updateTable('user').set({ confirmed_at: 1 }).where('id', '=', app.a.ownerId).execute()

    const answers = [
      await deactivate(owner, owner.id),
      await deactivate(admin, owner.id),
      await deactivate(admin, invited.json.user.id),
      await deactivate(owner, app.a.ownerId),
      await deactivate(admin, admin.id),
      await app.b.own('POST', `/v1/users/${admin.id}/deactivate`),
    ]

    expect(answers.map(({ status }) => status)).toEqual([422, 403, 422, 200, 422, 404])
    // The other owner is deactivated and does not count.
    const demoted = await owner.ask('PUT', `/v2/users/${owner.id}`, { role_ids: ['agent'] })
    expect([demoted.status, demoted.json.troubleshoot]).toEqual([422, expect.stringContaining('last owner')])
  })

  test('invalidates links that were sent and sends no new ones', async () => {
    const app = await open()
    const ada = await colleague(app, app.a, 'agent')
    await visitor(app).ask('POST', '/v1/password_resets', { email: ada.email })
    const token = await linkMailedTo(app, ada.email, 'password')
    const mails = () => app.db.selectFrom('mail').select('id').where('recipient', '=', ada.email).execute()

    await app.a.own('POST', `/v1/users/${ada.id}/deactivate`)
    const count = (await mails()).length
    const used = await visitor(app).ask('POST', '/v1/account_links/use', { token, password: 'another long password' })
    await visitor(app).ask('POST', '/v1/password_resets', { email: ada.email })
    await app.app.settle()

    expect(used.status).toBe(400)
    expect(await mails()).toHaveLength(count)
  })
})
