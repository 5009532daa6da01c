#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { run } from './cli/run.ts'

// Whatever is written here is for this user alone: the store, keys, backups, the admin socket.
process.umask(0o077)

// Whoever read our output may stop reading; the service goes on.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

const exitCode = await run(process.argv.slice(2), () => {
  if (existsSync('.env')) process.loadEnvFile('.env')
})
// A failed command may leave connections open. One that reports a failed result sets process.exitCode and may still print.
if (exitCode !== (process.exitCode ?? 0)) process.exit(exitCode)
