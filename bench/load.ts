import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { interleaved, median } from './kit.ts'
import { root, type Server, temporaryFolder } from './servers.ts'

const run = promisify(execFile)

export interface Request {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** A header with another value in each request. */
  uniqueHeader?: string
}

const connections = 10
const seconds = 2

/**
 * Requests per second, with ten connections for two seconds, from a process of its own; only 2xx may come back. `ofCpu`
 * counts the seconds that the server really ran: other programs on the machine disturb it far less than the clock's.
 */
export interface Rate {
  ofClock: number
  ofCpu: number
}

export async function rateOf(server: Server, path: string, request: Request = {}): Promise<Rate> {
  const cpuBefore = await server.cpuSeconds()
  const answered = (await hasWrk())
    ? await withWrk(server.url + path, request)
    : await withAutocannon(server.url + path, request)
  const cpu = (await server.cpuSeconds()) - cpuBefore
  return { ofClock: answered / seconds, ofCpu: answered / cpu }
}

/** As `interleaved`, for rates. */
export async function interleavedRates<K extends string>(
  rounds: number,
  subjects: Record<K, () => Promise<Rate>>,
): Promise<Record<K, Rate>> {
  const names = Object.keys(subjects) as K[]
  const clock = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>
  const measured = await interleaved(
    rounds,
    Object.fromEntries(
      names.map((name) => [
        name,
        async () => {
          const { ofClock, ofCpu } = await subjects[name]()
          clock[name].push(ofClock)
          return ofCpu
        },
      ]),
    ) as Record<K, () => Promise<number>>,
  )
  const entries = names.map((name) => [name, { ofClock: median(clock[name]), ofCpu: measured[name] }])
  return Object.fromEntries(entries) as Record<K, Rate>
}

let wrk: Promise<boolean> | undefined

/** wrk takes least of the two cores away from the server; autocannon comes with npm and is always there. */
function hasWrk(): Promise<boolean> {
  wrk ??= run('wrk', ['-v']).then(
    () => true,
    // wrk ends with 1 after telling its version.
    (error: { code?: unknown }) => error.code === 1,
  )
  return wrk
}

async function withWrk(url: string, { method = 'GET', headers = {}, body, uniqueHeader }: Request): Promise<number> {
  const script = body === undefined ? [] : ['-s', scriptFor(method, body, uniqueHeader)]
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...script, ...given, url])
  if (stdout.includes('Non-2xx')) throw new Error(`${url} did not only answer 2xx:\n${stdout}`)
  return Number(/(\d+) requests in/.exec(stdout)?.[1])
}

const scripts = new Map<string, string>()

/** Sets the header to the time of the run and a counter. */
const uniqueValues = (header: string) =>
  `local run, n = os.time() .. '-' .. tostring({}), 0
request = function()
  n = n + 1
  wrk.headers[${JSON.stringify(header)}] = run:gsub('[^%w-]', '') .. '-' .. n
  return wrk.format()
end
`

function scriptFor(method: string, body: string, uniqueHeader?: string): string {
  const unique = uniqueHeader === undefined ? '' : uniqueValues(uniqueHeader)
  const text = `wrk.method = ${JSON.stringify(method)}\nwrk.body = [==[${body}]==]\n${unique}`
  const known = scripts.get(text)
  if (known) return known
  const file = path.join(temporaryFolder(), 'request.lua')
  writeFileSync(file, text)
  scripts.set(text, file)
  return file
}

async function withAutocannon(
  url: string,
  { method = 'GET', headers = {}, body, uniqueHeader }: Request,
): Promise<number> {
  // An argument that ends with a bracket is a nested list of arguments to it.
  const all = uniqueHeader === undefined ? headers : { ...headers, [uniqueHeader]: '[<id>]-key' }
  const given = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const { stdout } = await run(process.execPath, [
    path.join(root, 'node_modules', 'autocannon', 'autocannon.js'),
    ...['-j', '-c', String(connections), '-d', String(seconds), '-m', method, ...given],
    ...(body === undefined ? [] : ['-b', body]),
    ...(uniqueHeader === undefined ? [] : ['-I']),
    url,
  ])
  const result: { non2xx: number; errors: number; requests: { total: number } } = JSON.parse(stdout)
  if (result.non2xx + result.errors > 0) throw new Error(`${url} did not only answer 2xx:\n${stdout}`)
  return result.requests.total
}
