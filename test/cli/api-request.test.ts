import { execFileSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/databases.ts'
import { seeded } from './installation.ts'
import { api, hookswitch, serve } from './program.ts'

test('api sends requests to the server on DATA_DIR, follows pages, and repeats a change safely', async () => {
  const env = { ...(await seeded('embedded')), HOME: await temporaryFolder() }
  await serve(env)
  const tag = JSON.stringify({ name: 'From the command line', color: '#00B388' })
  const post = (...more: string[]) => hookswitch(['api', 'post', '/v1/tags', '-d', tag, ...more, '--json'], env)

  const ping = await hookswitch(['api', 'get', '/v1/ping', '--json'], env)
  const created = await post('--idempotency-key', 'cli-1')
  const again = await post('--idempotency-key', 'cli-1')
  const twice = await post()
  const page = await hookswitch(['api', 'get', '/v1/contacts?per_page=1', '--json'], env)
  const all = await hookswitch(['api', 'get', '/v1/contacts?per_page=20', '--all', '--json'], env)
  const removed = await hookswitch(['api', 'delete', `/v1/tags/${created.json.tag.id}`, '--json'], env)

  expect(ping.json).toEqual({ ping: 'pong' })
  expect(again.json).toEqual(created.json)
  expect(twice).toMatchObject({ code: 1, stdout: '' })
  expect(all.json.contacts).toHaveLength(page.json.meta.total)
  expect(removed).toMatchObject({ code: 0, json: {} })
  expect(await hookswitch(['api', 'get', 'v1/ping'], env)).toMatchObject({ code: 2 })
  expect(await hookswitch(['api', 'post', '/v1/tags', '-d', '{'], env)).toMatchObject({ code: 2 })
})

test('a key is created with scopes, and rotated with an overlap', async () => {
  const env = await seeded('embedded')
  const server = await serve(env)
  const keys = (...words: string[]) => hookswitch(['keys', ...words, '--company', '1', '--json'], env)

  const reader = await keys('create', '--name', 'ro', '--scopes', 'read', '--expires', '90d', '--allow', '127.0.0.0/8')
  const demo = await hookswitch(['keys', 'create', '--name', 'demo', '--scopes', 'read', '--json'], env)
  const wrong = await keys('create', '--scopes', 'everything')
  const rotated = await keys('rotate', String(reader.json.id), '--overlap', '1h')
  const after = [api(server.base, reader.json), api(server.base, rotated.json)]

  expect(reader.json).toMatchObject({ name: 'ro', scopes: ['read'], allowed_ips: ['127.0.0.0/8'] })
  expect((await api(server.base, demo.json)('GET', '/v1/company')).json.company.name).toBe('Demo Company')
  expect(wrong.stderr).toContain('--scopes must be a list of read, calls:write')
  for (const client of after) {
    expect((await client('GET', '/v1/users')).status).toBe(200)
    expect((await client('POST', '/v1/tags', { name: 'No', color: '#00B388' })).status).toBe(403)
  }
  const { keys: list } = (await keys('list')).json
  expect(list.find(({ id }: { id: number }) => id === reader.json.id)).toMatchObject({ scopes: ['read'] })
})

test('profiles select a server, and their file is private', async () => {
  const env = await seeded('embedded')
  const server = await serve(env)
  const made = (await hookswitch(['keys', 'create', '--company', '1', '--json'], env)).json
  // Nothing of the installation is known here.
  const HOME = await temporaryFolder()
  const here = { HOME, DATA_DIR: path.join(HOME, 'data') }
  const file = path.join(HOME, '.config/hookswitch/profiles.json')
  const add = (name: string) =>
    hookswitch(
      ['profiles', 'add', name, '--url', server.base, '--api-id', made.api_id, '--api-token', made.api_token],
      here,
    )

  expect((await hookswitch(['api', 'get', '/v1/ping'], here)).code).toBe(78)
  await add('first')
  await add('second')
  await hookswitch(['profiles', 'use', 'second'], here)
  const list = await hookswitch(['profiles', 'list', '--json'], here)
  const ping = await hookswitch(['api', 'get', '/v1/ping', '--json'], here)
  const named = await hookswitch(['api', 'get', '/v1/ping', '--profile', 'first', '--json'], here)
  const unknown = await hookswitch(['api', 'get', '/v1/ping', '--profile', 'third'], here)

  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(list.json.profiles.map((one: { name: string; selected: boolean }) => [one.name, one.selected])).toEqual([
    ['first', false],
    ['second', true],
  ])
  expect(list.stdout).not.toContain(made.api_token)
  expect([ping.json, named.json]).toEqual([{ ping: 'pong' }, { ping: 'pong' }])
  expect(unknown.code).toBe(78)
  chmodSync(file, 0o644)
  expect((await hookswitch(['api', 'get', '/v1/ping'], here)).stderr).toContain('readable by other users')
})

test('completion scripts offer commands and options', async () => {
  const [bash, zsh, fish] = await Promise.all(
    ['bash', 'zsh', 'fish'].map(async (shell) => (await hookswitch(['completion', shell], {})).stdout),
  )
  const complete = (...words: string[]) =>
    execFileSync('bash', [
      '-c',
      `${bash}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=${words.length - 1}; _hookswitch; echo "\${COMPREPLY[*]}"`,
    ])
      .toString()
      .trim()

  expect(complete('hookswitch', 'ke')).toBe('keys')
  expect(complete('hookswitch', 'keys', '').split(' ')).toEqual([
    'list',
    'create',
    'rotate',
    'revoke',
    'rotate-installation',
  ])
  expect(complete('hookswitch', 'keys', 'create', '--sc')).toBe('--scopes')
  expect(complete('hookswitch', 'status', '--j')).toBe('--json')
  expect(zsh).toContain('#compdef hookswitch')
  expect(fish).toContain('complete -c hookswitch')
  expect((await hookswitch(['completion', 'tcsh'], {})).code).toBe(2)
})
