#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { run } from './cli/run.ts'

// Files created by this process are private to its user: the store, keys, backups, the admin socket.
process.umask(0o077)

// The reader of our output may close the pipe; the service continues.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

const exitCode = await run(process.argv.slice(2), () => {
  if (existsSync('.env')) process.loadEnvFile('.env')
})
// A failed command may leave connections open. A command that reports a failed result sets process.exitCode and may
// still print.
if (exitCode !== (process.exitCode ?? 0)) process.exit(exitCode)
