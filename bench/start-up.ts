import { get } from 'node:http'
import path from 'node:path'
import { freePort } from '../test/kit/postgres.ts'
import { interleaved, median, milliseconds, print, type Row } from './kit.ts'
import { basic, cpuSeconds, end, readDemo, root, run, sandboxEnvironment } from './servers.ts'

/** From the start of the process to the first 200 with a key, on existing data. */
export async function startUpRows(dataDir: string): Promise<Row[]> {
  const authorization = basic(readDemo(dataDir))
  const cpu: number[] = []
  const started = async (args: string[]) => {
    const port = await freePort()
    const begin = performance.now()
    const child = run(args, sandboxEnvironment(dataDir, port))
    child.stdout?.resume()
    while ((await statusOf(`http://127.0.0.1:${port}/v1/ping`, authorization)) !== 200) await pause()
    const took = performance.now() - begin
    cpu.push((await cpuSeconds(child)) * 1_000)
    await end(child)
    return took
  }
  const bare = async () => {
    const port = await freePort()
    const begin = performance.now()
    const code = `require('node:http').createServer((_, answer) => answer.end('{}')).listen(${port}, '127.0.0.1')`
    const child = run(['-e', code], {})
    while ((await statusOf(`http://127.0.0.1:${port}/`, '')) !== 200) await pause()
    const took = performance.now() - begin
    await end(child)
    return took
  }
  const times = await interleaved(7, {
    npmStart: () => started([path.join(root, 'scripts', 'start.mjs')]),
    plain: () => started([path.join(root, 'dist', 'main.js'), 'start']),
    bare,
  })
  print(`start: npm start ${milliseconds(times.npmStart)}, plain ${milliseconds(times.plain)}`)
  const row = (name: string, time: number): Row => ({
    row: name,
    figure: `${milliseconds(time)} (${milliseconds(median(cpu))} of CPU)`,
    baseline: milliseconds(times.bare),
    ratio: time / times.bare,
    aim: { atMost: 1_000, of: time, onClock: true },
  })
  return [
    row('second start to the first 200, as npm start (baseline: bare node:http)', times.npmStart),
    row('second start to the first 200, node dist/main.js start', times.plain),
  ]
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

function statusOf(url: string, authorization: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { headers: { authorization }, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.once('error', () => resolve(undefined))
  })
}
