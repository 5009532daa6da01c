import { expect, test } from 'vitest'
import { version } from '../../src/lib/version.ts'
import { hookswitch } from './program.ts'

test('help shows every command, and how to use one', async () => {
  const overview = await hookswitch(['help'], {})
  const same = await hookswitch(['--help'], {})
  const one = await hookswitch(['keys', 'create', '--help'], {})
  const family = await hookswitch(['help', 'numbers'], {})

  expect(overview).toMatchObject({ code: 0, stderr: '' })
  for (const command of [
    'start',
    'company create',
    'keys revoke',
    'numbers link',
    'listen',
    'trigger',
    'replay',
    'call',
    'scenario',
    'test-flows',
    'seed',
    'migrate',
    'backup',
    'restore',
  ]) {
    expect(overview.stdout).toContain(`\n  ${command} `)
  }
  expect(same.stdout).toBe(overview.stdout)
  expect(one.stdout).toBe(
    'Usage: hookswitch keys create [--name NAME] [--company ID]\n  Make an API key and print it, once.\n',
  )
  expect(family.stdout.match(/^Usage: hookswitch numbers /gm)).toHaveLength(5)
})

test('version prints the version, as text or as JSON', async () => {
  expect((await hookswitch(['version'], {})).stdout).toBe(`${version}\n`)
  expect((await hookswitch(['--version'], {})).stdout).toBe(`${version}\n`)
  expect((await hookswitch(['version', '--json'], {})).json).toEqual({ version })
})

test.each([
  [['nonsense'], 'There is no command nonsense; `hookswitch help` shows all'],
  [['keys'], 'Say what to do: keys list, keys create, keys revoke'],
  [['help', 'nonsense'], 'There is no command nonsense; `hookswitch help` shows all'],
  [['keys', 'list', '--nam'], "Unknown option '--nam'. Usage: hookswitch keys list [--company ID]"],
  [['keys', 'revoke'], 'Something is missing. Usage: hookswitch keys revoke ID [--company ID]'],
  [['keys', 'revoke', '1', '2'], 'Unexpected 2. Usage: hookswitch keys revoke ID [--company ID]'],
  [['company', 'create', '--name', 'Acme'], 'Say --name and --owner-email'],
  [
    ['numbers', 'link', '+33199000404'],
    'Something is missing. Usage: hookswitch numbers link +DIGITS|ID USER… [--company ID]',
  ],
  [['seed', '--seed', 'x'], '--seed must be a whole number'],
  [['listen', '--forward-to', 'localhost:4000'], '--forward-to must begin with http:// or https://'],
  [['listen', '--replay-since', '1w'], '--replay-since must be like 30m, 1h or 2d, at most 30d'],
  [['listen', '--after', '1', '--replay-since', '1h'], 'Say either --after or --replay-since'],
  [['trigger', 'contact.created', '--api-id', 'x'], 'Say both --api-id and --api-token'],
  [['start', '--port', '1'], "Unknown option '--port'. Usage: hookswitch start"],
  [['backup'], 'Something is missing. Usage: hookswitch backup FILE'],
])('%j is not understood: exit code 2 and one line', async (words, line) => {
  const ran = await hookswitch(words, {})

  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: `hookswitch: ${line}\n` })
})
