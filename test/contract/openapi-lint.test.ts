import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import openapiTypes from 'openapi-typescript'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isFullRun } from '../kit/depth.ts'

// The tools of integrators accept the public document without an error or a warning. None of them uses the network.

const file = new URL('../../docs/openapi.json', import.meta.url)

describe('the public document', () => {
  test('passes the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] })

    const problems = await lint({ ref: file.pathname, config })

    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([])
  })

  // Takes a minute.
  if (isFullRun) {
    test('passes the OpenAPI rules of Spectral', async () => {
      const linter = new spectral.Spectral()
      linter.setRuleset({ extends: [[oas, 'recommended']] } as RulesetDefinition)

      const problems = await linter.run(JSON.parse(readFileSync(file, 'utf8')))

      expect(problems.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)).toEqual([])
    })
  }

  test('becomes TypeScript types that compile, with operations, schemas and events', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'hookswitch-types-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(path.join(folder, 'api.ts'), await openapiTypes(file))
    writeFileSync(path.join(folder, 'use.ts'), usage)

    const compiler = path.join(import.meta.dirname, '../../node_modules/typescript/lib/tsc.js')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler']

    expect(() => execFileSync(process.execPath, [compiler, ...options, 'use.ts'], { cwd: folder })).not.toThrow()
  })
})

const usage = `import type { components, operations, webhooks } from './api.ts'

type Created = operations['createContact']['responses']['201']['content']['application/json']
type Ended = webhooks['call.ended']['post']['requestBody']['content']['application/json']

export const nameOf = ({ contact }: Created): string => contact.first_name ?? ''
export const lasted = ({ event, data }: Ended): ['call.ended', number] => [event, data.duration]
export const statusOf = ({ status }: components['schemas']['Call']): 'initial' | 'answered' | 'done' => status
`
