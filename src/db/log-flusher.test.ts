import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/kit/databases.ts'
import { openEmbedded } from './embedded.ts'
import { LogFlusher } from './log-flusher.ts'

/** A disk that ends its flushes when the test says so. */
function slowDisk() {
  const flushes: (() => void)[] = []
  const flusher = new LogFlusher(() => new Promise((resolve) => flushes.push(resolve)))
  const acknowledged: string[] = []
  const commit = (name: string) => void flusher.flushed().then(() => acknowledged.push(name))
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { flushes, flusher, acknowledged, commit, settled }
}

describe('while the disk is slow', () => {
  test('transactions committed during a flush share the next one, and none is acknowledged before its own', async () => {
    const { flushes, acknowledged, commit, settled } = slowDisk()
    commit('first')
    await settled()
    commit('second')
    commit('third')
    await settled()
    expect(flushes).toHaveLength(1)
    expect(acknowledged).toEqual([])

    flushes[0]?.()
    await settled()
    expect(acknowledged).toEqual(['first'])
    expect(flushes).toHaveLength(2)

    flushes[1]?.()
    await settled()
    expect(acknowledged).toEqual(['first', 'second', 'third'])
    expect(flushes).toHaveLength(2)
  })

  test('closing waits for the transactions that wait for the disk', async () => {
    const { flushes, flusher, acknowledged, commit, settled } = slowDisk()
    commit('first')
    await settled()
    commit('second')
    let isIdle = false
    void flusher.idle().then(() => (isIdle = true))

    flushes[0]?.()
    await settled()
    expect(isIdle).toBe(false)

    flushes[1]?.()
    await settled()
    expect(isIdle).toBe(true)
    expect(acknowledged).toEqual(['first', 'second'])
  })
})

test('a store that was opened and not written to can be closed', async () => {
  const folder = await temporaryFolder()
  await (await openEmbedded(folder)).close()
  await (await openEmbedded(folder)).close()
})

test('a flush that fails ends the process, and nothing is acknowledged', async () => {
  const script = `import { LogFlusher, orEndProcess } from ${JSON.stringify(path.resolve('src/db/log-flusher.ts'))}
    const broken = orEndProcess(() => Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' })))
    setInterval(() => {}, 1000)
    new LogFlusher(broken).flushed().then(() => console.log('acknowledged'), () => console.log('refused'))`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  child.stderr.on('data', (text) => (output += text))

  const [exitCode] = await once(child, 'close')

  expect(exitCode).toBe(1)
  expect(output).toContain('the database cannot be written to disk')
  expect(output).not.toMatch(/acknowledged|refused/)
})
