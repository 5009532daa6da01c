import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { hookswitch, hookswitchProcess, running, sandbox, serve } from './program.ts'

onBothDatabases('hookswitch status', (open) => {
  test('shows processes, calls, trunks, queues and lag of the running server', async () => {
    const office = await openOffice(open)
    const { ada, a, dataDir } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)], { max_wait_seconds: 300 }), box: voicemail })
    await a.own('POST', '/v1/trunks', { name: 'Carrier', host: '127.0.0.1', port: 5060, prefixes: [] })
    await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await office.call(line)
    await office.pass(75)

    const { json } = await hookswitch(['status', '--json'], { DATA_DIR: dataDir })
    const { code, stdout } = await hookswitch(['status'], { DATA_DIR: dataDir })

    expect(code).toBe(0)
    expect(json.processes).toMatchObject([
      { answers: true, roles: ['api', 'calls', 'worker'], state: 'running', calls: 2 },
    ])
    expect(json.calls).toEqual({ inbound: 2, outbound: 0, waiting: 1, longest_wait_seconds: 75 })
    expect(json.queues).toEqual([{ company_id: a.id, target: `user:${ada}`, waiting: 1, longest_wait_seconds: 75 }])
    expect(json.trunks).toMatchObject([{ name: 'Carrier', host: '127.0.0.1', state: 'unknown' }])
    expect(json.lag).toMatchObject({ jobs_seconds: 0, deliveries_seconds: 0 })
    expect(stdout).toContain('Calls: 2 inbound, 0 outbound; 1 waiting, longest wait 1 min 15 s')
    expect(stdout).toMatch(/user:\d+ +1 +1 min 15 s/)
    expect(stdout).toMatch(/unknown +127\.0\.0\.1 +Carrier/)
  })
})

test('the program repeats the status with --watch and ends on a signal', async () => {
  const env = await sandbox()
  await serve(env)

  const watching = running(['status', '--watch', '--json'], env)
  await watching.prints(/\n\{"version".*\n/s)
  watching.signal('SIGINT')

  expect(await watching.ended).toBe(0)
  const [first = ''] = watching.stdout().split('\n')
  expect(JSON.parse(first)).toMatchObject({ mode: 'sandbox', database: 'embedded', calls: { waiting: 0 } })
})

test('without a server the error says how to start one', async () => {
  const env = await sandbox()

  const { code, stderr } = await hookswitchProcess(['status'], env)

  expect(code).toBe(1)
  expect(stderr).toContain(`no server is running on ${env.DATA_DIR}`)
  expect(stderr).toContain('hookswitch start')
})
