import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { minute } from '../src/lib/clock.ts'
import { testApp } from './kit/app.ts'
import { freePort, temporaryFolder } from './kit/databases.ts'
import { receiver } from './kit/receiver.ts'

// The code of "Your first call in five minutes", as it is on the page.

const page = readFileSync(new URL('../docs/pages/first-call.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, code = '']) => ({ language, code }))
const blockOf = (language: string) => blocks.find((block) => block.language === language)?.code ?? ''
const shell = (containing: string) =>
  blocks.find(({ language, code }) => language === 'sh' && code.includes(containing))?.code ?? ''

interface Receiver {
  language: string
  file: string
  command: (file: string, port: number) => [program: string, ...parts: string[]]
}

const receivers: Receiver[] = [
  { language: 'js', file: 'receiver.mjs', command: (file) => [process.execPath, file] },
  { language: 'python', file: 'receiver.py', command: (file) => ['python3', file] },
  { language: 'php', file: 'receiver.php', command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file] },
]
const installed = receivers.filter(
  ({ language }) => language === 'js' || spawnSync(language === 'php' ? 'php' : 'python3', ['--version']).status === 0,
)

describe('your first call in five minutes', () => {
  test('the page has a receiver in each language', () => {
    for (const { language } of receivers) expect(blockOf(language)).toContain('SIGNING_SECRET')
    expect(installed.length).toBeGreaterThanOrEqual(1)
  })

  test.each(
    installed,
  )('the receiver in $language gets the events of the call and refuses forgeries', async (program) => {
    const { a, base, clock, settle } = await testApp()
    const number = await a.own('POST', '/v1/numbers', { name: 'Main line', digits: '+33199000101' })
    expect(number.status).toBe(201)
    const port = await freePort()
    const onThisPort = (code: string) =>
      code.replaceAll('{{base_url}}', base).replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
    const key = { ...process.env, API_ID: a.apiId, API_TOKEN: a.apiToken }
    const run = async (code: string) =>
      (await promisify(execFile)('bash', ['-c', onThisPort(code)], { env: key })).stdout

    const secret = (await run(`${shell('/v1/webhooks')}\necho "$SIGNING_SECRET"`)).trim()
    const { nextLine } = await start(program, port, secret)
    const called = await run(shell('/sandbox/v1/calls'))
    await clock.advance(2 * minute)
    await settle()

    expect(JSON.parse(called).call_id).toBeGreaterThan(0)
    expect(await nextLine()).toMatch(/^call\.created \d+ inbound initial$/)
    expect(await nextLine()).toMatch(/^call\.hungup \d+ inbound done$/)
    expect(await nextLine()).toMatch(/^call\.ended \d+ inbound done$/)
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1781524800', 'webhook-signature': 'v1,AAAA' }
    const forged = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body: '{}' })
    expect(forged.status).toBe(401)
  })
})

describe('automation tools', () => {
  test('the code for Zapier accepts a delivery and refuses one that was changed', async () => {
    const { a, settle } = await testApp()
    const endpoint = await receiver()
    const made = await a.api('POST', '/v1/webhooks', { url: endpoint.url, events: ['contact.created'] })
    await a.api('POST', '/v1/events/test', { event: 'contact.created' })
    await settle()
    const tools = readFileSync(new URL('../docs/pages/integrations.md', import.meta.url), 'utf8')
    const code = /```js\n([\s\S]*?)```/.exec(tools)?.[1] ?? ''
    const [{ raw: body, headers } = { raw: '', headers: {} as Record<string, string> }] = endpoint.got
    const input = {
      body,
      id: headers['webhook-id'],
      timestamp: headers['webhook-timestamp'],
      signature: headers['webhook-signature'],
      secret: made.json.signing_secret,
    }
    const run = (inputData: object) =>
      runInNewContext(`${code}\noutput`, {
        inputData,
        require: createRequire(import.meta.url),
        Buffer,
        output: undefined,
      })

    expect(run(input)).toMatchObject({ event: 'contact.created' })
    const forged = [
      { ...input, body: `${body} ` },
      { ...input, secret: 'whsec_AAAA' },
      { ...input, timestamp: '1000000000' },
    ]
    for (const one of forged) expect(() => run(one)).toThrow('The signature is not valid')
  })
})

async function start({ language, file, command }: Receiver, port: number, secret: string) {
  const at = path.join(await temporaryFolder(), file)
  writeFileSync(at, blockOf(language))
  const [program, ...parts] = command(at, port)
  const child = spawn(program, parts, { env: { ...process.env, SIGNING_SECRET: secret, PORT: String(port) } })
  onTestFinished(() => void child.kill())
  const lines = linesOf(child, language === 'php' ? 'stderr' : 'stdout')
  const next = async () => (await lines.next()).value as string
  // PHP reports its start in words of its own.
  while (!/Listening|started/.test(await next()));
  const nextLine = async () => {
    let line = await next()
    while (!/^call\./.test(line)) line = await next()
    return line
  }
  return { nextLine }
}

function linesOf(child: ChildProcess, stream: 'stdout' | 'stderr') {
  const source = child[stream]
  if (!source) throw new Error('the process has no output')
  return createInterface({ input: source })[Symbol.asyncIterator]()
}
