import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commandsPage } from '../../scripts/commands-markdown.ts'
import { usageOf } from '../../src/cli/command.ts'
import { cliCommands } from '../../src/cli/commands.ts'

// The manual has every command with every option.

const read = (page: string) => readFileSync(new URL(`../../docs/pages/${page}.md`, import.meta.url), 'utf8')

test('the page of all commands is what the commands explain; otherwise run `npm run commands`', () => {
  expect(read('commands')).toBe(commandsPage())
})

test.each(cliCommands)('`hookswitch $name` explains each of its options', (command) => {
  const { options = {}, details = '' } = command
  const explanation = `${usageOf(command)}\n${details}`
  const missing = Object.entries(options).filter(([option, { short }]) => {
    const names = [`--${option}`, ...(short === undefined ? [] : [`-${short}`])]
    return !names.some((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(explanation))
  })

  expect(missing.map(([option]) => option)).toEqual([])
})

test('the overview of the commands names each of them', () => {
  const page = read('operating')
  const overview = page.slice(page.indexOf('## Commands'), page.indexOf('## Monitoring'))
  const named = [...overview.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replace(/^npx hookswitch /, ''))
  const families = [...new Set(cliCommands.map(({ name }) => name.split(' ')[0]))]

  expect(families.filter((family) => !named.some((text) => text.split(' ')[0] === family))).toEqual([])
})
