import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { testApp } from '../kit/app.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { type Env, hookswitch } from './program.ts'

type Document = Record<string, unknown>

/** A company, its commands, and a file for its configuration. */
async function company() {
  const world = await testApp()
  const { a, base } = world
  const folder = await temporaryFolder()
  const file = path.join(folder, 'company.yaml')
  const env: Env = { HOME: folder, HOOKSWITCH_URL: base, HOOKSWITCH_API_ID: a.apiId, HOOKSWITCH_API_TOKEN: a.apiToken }
  return {
    ...world,
    file,
    env,
    command: (words: string[], more: Env = {}) => hookswitch(words, { ...env, ...more }),
    write: (text: string) => writeFileSync(file, text),
    edit(change: (document: Document) => void) {
      const document: Document = parse(readFileSync(file, 'utf8'))
      change(document)
      writeFileSync(file, stringify(document))
    },
    configuration: async () => (await a.api('GET', '/v1/admin/configuration')).json.configuration,
  }
}

test('export, edit, diff, apply, and there are no differences', async () => {
  const { command, file, edit, a } = await company()
  await a.own('POST', '/v1/numbers', { digits: '+33199000801', name: 'Reception' })

  const exported = await command(['export', file])
  const same = await command(['diff', file])
  edit((document) => {
    document.tags = [{ name: 'Order', color: '#00B388' }]
    Object.assign((document.numbers as Document[])[0] ?? {}, { name: 'Front desk' })
  })
  const diff = await command(['diff', file])
  const asJson = await command(['diff', file, '--json'])
  const applied = await command(['apply', file, '--yes'])
  const after = await command(['diff', file])
  const again = await command(['apply', file])

  expect(exported).toMatchObject({ code: 0, stdout: `Configuration written to ${file}.\n` })
  expect(same).toMatchObject({ code: 0, stdout: 'No differences.\n' })
  expect(diff).toMatchObject({ code: 3, stderr: '' })
  expect(diff.stdout.split('\n')).toEqual([
    '+ tags Order',
    '    name: "Order"',
    '    color: "#00B388"',
    '~ numbers +33199000801',
    '    name: "Reception" → "Front desk"',
    '1 to create, 1 to change, 0 to delete',
    '',
  ])
  expect(JSON.parse(asJson.stdout).map(({ action }: Document) => action)).toEqual(['create', 'change'])
  expect(applied).toMatchObject({ code: 0, stdout: `${diff.stdout}Applied.\n` })
  expect(after).toMatchObject({ code: 0, stdout: 'No differences.\n' })
  expect(again).toMatchObject({ code: 0, stdout: 'No differences.\n' })
})

test('without a terminal a plan needs --yes, and one that deletes also needs --allow-deletes', async () => {
  const { command, write, file, a, configuration } = await company()
  await a.api('POST', '/v1/tags', { name: 'Old', color: '#ff0000' })
  const before = await configuration()

  write('retention:\n  calls: 90\n')
  const shorter = await command(['apply', file, '--yes'])
  write('tags: []\n')
  const silent = await command(['apply', file])
  const yes = await command(['apply', file, '--yes'])
  const deletes = await command(['apply', file, '--allow-deletes'])

  expect(shorter).toMatchObject({ code: 1, stderr: expect.stringContaining('use --yes --allow-deletes') })
  for (const refused of [silent, yes]) {
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('- tags Old\n')
    expect(refused.stderr).toContain(
      'nothing was changed; to apply this plan without a terminal, use --yes --allow-deletes',
    )
  }
  expect(deletes).toMatchObject({ code: 1, stderr: expect.stringContaining('use --yes\n') })
  expect(await configuration()).toEqual(before)
  expect(await command(['apply', file, '--yes', '--allow-deletes'])).toMatchObject({ code: 0 })
  expect((await configuration()).tags).toEqual([])
})

const hasTerminal = spawnSync('script', ['--version']).status === 0

test.skipIf(!hasTerminal)('in a terminal, a plan that deletes is confirmed by a typed word', async () => {
  const { write, file, env, a, configuration } = await company()
  await a.api('POST', '/v1/tags', { name: 'Old', color: '#ff0000' })

  write('tags: []\n')
  const refused = await typed(env, file, /Type delete to apply it: /, 'y')
  expect(refused).toContain('Nothing was changed.')
  expect((await configuration()).tags).toHaveLength(1)
  expect(await typed(env, file, /Type delete to apply it: /, 'delete')).toContain('Applied.')
  expect((await configuration()).tags).toEqual([])

  write('tags:\n  - name: New\n    color: "#00ff00"\n')
  expect(await typed(env, file, /Apply\? \[y\/N\] /, '')).toContain('Nothing was changed.')
  expect(await typed(env, file, /Apply\? \[y\/N\] /, 'y')).toContain('Applied.')
})

/** Runs `apply` in a terminal and answers its question. */
async function typed(env: Env, file: string, question: RegExp, answer: string): Promise<string> {
  const program = path.resolve(import.meta.dirname, '../../dist/main.js')
  const line = `'${process.execPath}' '${program}' apply '${file}'`
  const child = spawn('script', ['-qec', line, '/dev/null'], { env: { PATH: process.env.PATH, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  let isAnswered = false
  child.stdout.on('data', (part: Buffer) => {
    shown += part
    if (isAnswered || !question.test(shown)) return
    isAnswered = true
    child.stdin.write(`${answer}\n`)
  })
  await new Promise((resolve) => child.once('close', resolve))
  return shown
}

test('mistakes are named with file and line, and change nothing', async () => {
  const { command, write, file, configuration } = await company()
  const before = await configuration()
  const refusal = async (text: string | Buffer) => {
    writeFileSync(file, text)
    const { code, stdout, stderr } = await command(['apply', file, '--yes', '--allow-deletes'])
    expect([code, stdout]).toEqual([1, ''])
    return stderr.replace(`hookswitch: ${file}:`, '').trimEnd()
  }
  write('')

  expect(await refusal('tags:\n  - name: Order\n    colour: "#00ff00"\n')).toBe(
    '3: tags[0].colour: is unknown; did you mean color?',
  )
  expect(await refusal('version: 1\nnubmers: []\n')).toBe('2: nubmers: is unknown; did you mean numbers?')
  expect(await refusal('tags: []\nversion: 2\n')).toBe(
    '2: version: is 2, but this server reads version 1; upgrade the server',
  )
  expect(await refusal('teams:\n  - name: Sales\n    users:\n      - nobody@example.test\n')).toBe(
    '4: teams[0].users[0]: there is no user nobody@example.test',
  )
  const widget = 'nodes:\n        end:\n          type: hang_up\n          medai: null\n'
  expect(
    await refusal(`numbers:\n  - digits: "+33199000801"\n    name: A\n    flow:\n      start: end\n      ${widget}`),
  ).toBe('7: numbers[0]: Node "end": "medai" is no field of this type')
  expect(await refusal('tags:\n  - name: [\n')).toMatch(/^[23]: /)
  expect(await refusal('tags: []\ntags: []\n')).toMatch(/^2: Map keys must be unique/)
  expect(await refusal('')).toContain('1: must contain the parts of a configuration')
  expect(await refusal('- tags\n')).toContain('1: must contain the parts of a configuration')
  expect(await refusal(bomb)).toContain('Excessive alias count')
  expect(await refusal(Buffer.alloc(9 * 1_048_576, 'x'))).toContain('is larger than 8 MiB')
  const missing = await command(['diff', `${file}.missing`])
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be read (ENOENT)') })
  expect(await command(['diff'])).toMatchObject({ code: 2 })
  expect(await configuration()).toEqual(before)
})

const bomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 8 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(', ')}]`),
].join('\n')

test('secrets come from the environment and are neither exported nor shown', async () => {
  const { command, write, file, a, db } = await company()
  const trunk = 'trunks:\n  - name: Main\n    host: 192.0.2.1\n    enabled: false\n    username: acme\n'
  write(`${trunk}    password: \${TRUNK_PASSWORD}\n`)

  const unset = await command(['apply', file, '--yes'])
  const applied = await command(['apply', file, '--yes'], { TRUNK_PASSWORD: 'correct-horse' })
  const kept = await command(['diff', file])
  const same = await command(['diff', file], { TRUNK_PASSWORD: 'correct-horse' })
  const other = await command(['diff', file], { TRUNK_PASSWORD: 'battery-staple' })
  const exported = await command(['export'])

  expect(unset.stderr).toContain(
    `${file}:6: trunks[0].password: the environment variable in \${TRUNK_PASSWORD} is not set`,
  )
  expect(applied.code).toBe(0)
  expect([kept.stdout, same.stdout]).toEqual(['No differences.\n', 'No differences.\n'])
  expect(other.stdout).toContain('password: "(secret)" → "(secret)"')
  expect(parse(exported.stdout).trunks[0].password).toBe(`\${TRUNKS_MAIN_PASSWORD}`)
  const shown = [applied, kept, same, other, exported].map(({ stdout, stderr }) => stdout + stderr).join()
  expect(shown).not.toMatch(/correct-horse|battery-staple/)
  const rows = await db.selectFrom('audit').selectAll().where('company_id', '=', a.id).execute()
  expect(JSON.stringify(rows)).not.toContain('correct-horse')
})

test('the example of the documentation can be applied as it is', async () => {
  const { command, write, file, configuration } = await company()
  const page = readFileSync(new URL('../../docs/pages/configuration-as-code.md', import.meta.url), 'utf8')
  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  write(example)

  expect(await command(['apply', file, '--yes', '--allow-deletes'])).toMatchObject({ code: 0, stderr: '' })
  expect(await command(['diff', file])).toMatchObject({ code: 0, stdout: 'No differences.\n' })
  expect((await configuration()).numbers).toMatchObject([{ digits: '+33199000811', name: 'Reception' }])
  // Parts and the table of the page are the same.
  const named = [...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
  expect(named.sort()).toEqual(
    Object.keys(await configuration())
      .filter((name) => name !== 'version')
      .sort(),
  )
})
