import { expect, test } from 'vitest'
import { version } from '../../src/lib/version.ts'
import { hookswitch } from './program.ts'

test('help lists all commands and shows the usage of one', async () => {
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
  expect(one.stdout).toMatch(
    /^Usage: hookswitch keys create \[--name NAME\] .*\[--company ID\]\n {2}Create an API key and print it\.\n {2}Scopes: read, /,
  )
  expect(family.stdout.match(/^Usage: hookswitch numbers /gm)).toHaveLength(5)
})

test('version prints the version, as text or as JSON', async () => {
  expect((await hookswitch(['version'], {})).stdout).toBe(`${version}\n`)
  expect((await hookswitch(['--version'], {})).stdout).toBe(`${version}\n`)
  expect((await hookswitch(['version', '--json'], {})).json).toEqual({ version })
})

test.each([
  [['nonsense'], 'Unknown command nonsense; run `hookswitch help` for a list'],
  [['keys'], 'Missing subcommand: keys list, keys create, keys rotate, keys revoke, keys rotate-installation'],
  [['help', 'nonsense'], 'Unknown command nonsense; run `hookswitch help` for a list'],
  [['keys', 'list', '--nam'], "Unknown option '--nam'. Usage: hookswitch keys list [--company ID]"],
  [['keys', 'revoke'], 'Missing argument. Usage: hookswitch keys revoke ID [--company ID]'],
  [['keys', 'revoke', '1', '2'], 'Unexpected argument 2. Usage: hookswitch keys revoke ID [--company ID]'],
  [['company', 'create', '--name', 'Acme'], '--name and --owner-email are required'],
  [
    ['numbers', 'link', '+33199000404'],
    'Missing argument. Usage: hookswitch numbers link +DIGITS|ID USER… [--company ID]',
  ],
  [['seed', '--seed', 'x'], '--seed must be an integer'],
  [['listen', '--forward-to', 'localhost:4000'], '--forward-to must start with http:// or https://'],
  [['listen', '--replay-since', '1w'], '--replay-since must be a duration such as 30m, 1h or 2d, at most 30d'],
  [['listen', '--after', '1', '--replay-since', '1h'], 'Use either --after or --replay-since'],
  [['trigger', 'contact.created', '--api-id', 'x'], '--api-id and --api-token must be used together'],
  [['start', '--port', '1'], "Unknown option '--port'. Usage: hookswitch start"],
  [['backup'], 'Missing argument. Usage: hookswitch backup FILE'],
])('%j is a usage error: exit code 2 and one line', async (words, line) => {
  const ran = await hookswitch(words, {})

  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: `hookswitch: ${line}\n` })
})
