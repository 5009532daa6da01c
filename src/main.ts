#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { start } from './cli/start.ts'
import { ConfigError, readConfig } from './config.ts'
import { DatabaseInUse, NewerSchema } from './db/errors.ts'

// sysexits: the configuration is wrong, nothing was started.
const misconfigured = 78

async function main(args: string[]): Promise<void> {
  const [command = 'start'] = args
  if (existsSync('.env')) process.loadEnvFile('.env')
  switch (command) {
    case 'start':
      return start(readConfig(process.env))
    default:
      throw new Error(`unknown command ${command}`)
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof DatabaseInUse || error instanceof NewerSchema
  process.stderr.write(`hookswitch: ${error instanceof Error ? (expected ? error.message : error.stack) : error}\n`)
  process.exit(expected ? misconfigured : 1)
})
