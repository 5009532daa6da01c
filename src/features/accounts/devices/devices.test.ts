import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { hour } from '../../../lib/clock.ts'

onAnyDatabase('the devices of a user', (open) => {
  test('have a password that is shown once, and settings for provisioning behind links that expire', async () => {
    const { a, clock, app } = await open()
    const user = (
      await a.api('POST', '/v2/users', { email: 'ada@example.test', first_name: 'A<d>a', last_name: 'A&B' })
    ).json.user

    const made = await a.own('POST', `/v1/users/${user.id}/devices`, { name: 'Desk "1"' })
    expect(made.status, made.text).toBe(201)
    const { device, password, setup_urls } = made.json
    expect(device).toMatchObject({ name: 'Desk "1"', registered: false, srtp: false, user_id: user.id })
    expect(device.username).toMatch(/^[a-z2-9]{10}$/)
    expect((await a.own('GET', `/v1/users/${user.id}/devices`)).text).not.toContain(password)
    const stored = JSON.stringify(await app.services.db.selectFrom('device').selectAll().execute())
    expect(stored).not.toContain(password)

    const xml = await fetch(setup_urls.xml)
    expect(xml.headers.get('content-type')).toMatch(/^application\/xml/)
    const text = await xml.text()
    expect(text).toContain(`<user_pass idx="1" perm="">${password}</user_pass>`)
    expect(text).toContain('<user_realname idx="1" perm="">A&lt;d&gt;a A&amp;B</user_realname>')
    const cfg = await (await fetch(setup_urls.cfg)).text()
    expect(cfg).toContain(`account.1.user_name = ${device.username}\n`)
    expect((await fetch(setup_urls.cfg.replace(/[0-9a-f]{8}\.cfg$/, '00000000.cfg'))).status).toBe(404)
    for (let load = 2; load < 10; load++) expect((await fetch(setup_urls.cfg)).status).toBe(200)
    expect((await fetch(setup_urls.cfg)).status).toBe(404)

    const renewed = (await a.own('POST', `/v1/devices/${device.id}/password`)).json
    expect(renewed.password).not.toBe(password)
    expect((await fetch(renewed.setup_urls.xml)).status).toBe(200)
    await clock.advance(25 * hour)
    expect((await fetch(renewed.setup_urls.xml)).status).toBe(404)
  })

  test('are limited to ten, are renamed and deleted, and every change is audited without the password', async () => {
    const { a } = await open()
    const user = (await a.api('POST', '/v2/users', { email: 'ada@example.test', first_name: 'Ada', last_name: 'A' }))
      .json.user
    const create = () => a.own('POST', `/v1/users/${user.id}/devices`, { name: 'Phone' })
    const first = (await create()).json
    for (let n = 1; n < 10; n++) expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(400)

    const renamed = await a.own('PUT', `/v1/devices/${first.device.id}`, { name: 'Kitchen', srtp: true })
    expect(renamed.json.device).toMatchObject({ name: 'Kitchen', srtp: true, username: first.device.username })
    expect((await a.own('DELETE', `/v1/devices/${first.device.id}`)).status).toBe(204)
    expect((await a.own('DELETE', `/v1/devices/${first.device.id}`)).status).toBe(404)
    expect((await create()).status).toBe(201)

    const log = (await a.own('GET', '/v1/audit_log')).text
    expect(log).toContain('device.deleted')
    expect(log).not.toContain(first.password)
  })

  test('forwarding needs a number in E.164', async () => {
    const { a } = await open()
    const user = (await a.api('POST', '/v2/users', { email: 'ada@example.test', first_name: 'Ada', last_name: 'A' }))
      .json.user
    const put = (body: object) => a.own('PUT', `/v1/users/${user.id}/call_forwarding`, body)

    expect((await put({ mode: 'always' })).status).toBe(422)
    expect((await put({ mode: 'always', phone: '0612345678' })).status).toBe(400)
    expect((await put({ mode: 'always', phone: '+33612345678' })).json.call_forwarding).toEqual({
      mode: 'always',
      phone: '+33612345678',
    })
    expect((await put({ mode: 'offline' })).json.call_forwarding.phone).toBe('+33612345678')
  })
})
