#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { obey } from './cli/commands.ts'
import { verdictOn } from './cli/failure.ts'

// Whatever is written here is for this user alone: the store, keys, backups, the admin socket.
process.umask(0o077)

// Whoever read our output may stop reading; the service goes on.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

try {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const said = await obey(process.argv.slice(2))
  if (said) process.stdout.write(`${said.asJson ? JSON.stringify(said.json, null, 2) : said.text}\n`)
} catch (error) {
  const { exitCode, message } = verdictOn(error)
  process.stderr.write(`hookswitch: ${message}\n`)
  process.exit(exitCode)
}
