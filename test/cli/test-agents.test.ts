import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/databases.ts'
import { hookswitch } from './program.ts'

const example = path.resolve(import.meta.dirname, '../../examples/agent-tests/robin.yaml')

async function fileWith(text: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'agents.yaml')
  writeFileSync(file, text)
  return file
}

const offline = async (...words: string[]) =>
  hookswitch(['test-agents', '--offline', ...words], { DATA_DIR: await temporaryFolder() })

test('the tests of the demo agent pass without a server', async () => {
  const { code, stdout: out } = await offline(example)

  expect([code, out]).toEqual([0, expect.stringMatching(/✓ A caller who asks for a human.*\n7 passed in \d+ ms\n$/s)])
})

test('a failure prints the expectation with its line and the conversation, and exits with 1', async () => {
  const file = await fileWith(`agent:
  name: Desk
  questions: [{ key: name, ask: What is your name?, kind: name }]
tests:
  - name: Names
    caller:
      lines: [Jo March]
    expect:
      answers:
        name: Amy
`)

  const { code, stdout: out } = await offline(file)
  const asJson = await offline(file, '--json')

  expect(code).toBe(1)
  expect(out).toContain(`✗ Names  ${file}:5`)
  expect(out).toContain(`answers.name: expected "Amy", but it was "Jo March"  ${file}:10`)
  expect(out).toContain('caller  Jo March')
  expect(out).toMatch(/0 passed, 1 failed in \d+ ms\n$/)
  expect(JSON.parse(asJson.stdout)).toMatchObject({ passed: 0, failed: 1, tests: [{ file, line: 5, passed: false }] })
})

test('invalid files exit with 2 and name the line', async () => {
  const of = async (text: string) => {
    const { code, stderr: err } = await offline(await fileWith(text))
    return `${code} ${err}`
  }

  const rest = 'tests: [{ name: x, caller: { lines: [a] }, expect: { says: x } }]\n'
  expect(await of(`agent: Robyn\n${rest}`)).toMatch(
    /^2 .*agents\.yaml:1: agent Robyn is no AI agent of the company; did you mean Robin\?/,
  )
  expect(await of(rest)).toMatch(/^2 .*:1: agent is missing/)
  expect(await of(`agent: { name: 5 }\n${rest}`)).toMatch(/^2 .*:1: agent is invalid: /)
  expect(await of('agent: Robin\ntests:\n  - nam: x\n')).toMatch(
    /^2 .*:3: tests\[0\]\.nam is unknown; did you mean name\?/,
  )
  expect((await offline('/nowhere.yaml')).stderr).toContain('/nowhere.yaml cannot be read (ENOENT)')
})
