// Before the tests: fetches the speech models once, to a folder outside the project. A failure is not an error.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { root } from './prepare.mjs'

const longestMs = 90_000

export async function ensureModels(args) {
  const files = args.filter((arg) => !arg.startsWith('-'))
  if (files.length > 0 && !files.some((file) => /speech|voice|intelligence/.test(file))) return
  const folder = process.env.AI_MODELS_DIR ?? join(homedir(), '.cache', 'hookswitch', 'models')
  const wasThere = existsSync(join(folder, 'manifest.json'))
  if (!wasThere) console.log(`Fetching what understands speech into ${folder}`)
  const problem = await run(['models', 'fetch', 'en'], { ...process.env, AI_MODELS_DIR: folder })
  if (problem) console.error(`Models for speech could not be fetched (${problem}): their tests will be SKIPPED.`)
}

function run(words, env) {
  return new Promise((resolve) => {
    // A group of its own, so that npm goes with it.
    const child = spawn(process.execPath, [join(root, 'dist', 'main.js'), ...words], {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (bytes) => {
      output += bytes
    })
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), longestMs)
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resolve(undefined)
      else resolve(signal ? 'it took too long' : output.trim().split('\n').at(-1))
    })
  })
}
