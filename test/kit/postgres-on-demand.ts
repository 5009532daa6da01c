import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { inject } from 'vitest'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { fastFolder, makePostgresTemplate } from './templates.ts'

// Starting PostgreSQL takes longer than most test files. The main process of a run owns the server; workers connect to a
// Unix socket and receive its URL, and the first connection starts it.

// More than all databases of concurrently running tests need.
const memoryForPostgres = 2 * 1024 ** 3

export interface PostgresOnDemand {
  socket: string
  stop(): Promise<void>
}

/** In the main process: listens for the first worker that needs a database. */
export async function startOnDemand(socket: string): Promise<PostgresOnDemand> {
  let starting: Promise<PostgresServer> | undefined
  const listener = createServer((worker) => {
    starting ??= startWithTemplate()
    starting.then(
      ({ socketUrl }) => worker.end(socketUrl),
      (error) => worker.end(`failed: ${error.message}`),
    )
    worker.on('error', () => {})
  })
  listener.listen(socket)
  await once(listener, 'listening')
  return {
    socket,
    async stop() {
      listener.close()
      const server = await starting?.catch(() => undefined)
      await server?.stop()
    },
  }
}

async function startWithTemplate(): Promise<PostgresServer> {
  const server = await startPostgres(fastFolder(memoryForPostgres))
  if (!server) throw new Error('PostgreSQL is not installed')
  await makePostgresTemplate(server.socketUrl)
  return server
}

let known: Promise<string> | undefined

/** In a worker: the URL of the server, started by the first call of the run. */
export async function postgresUrl(): Promise<string | undefined> {
  const socket = inject('postgres')
  if (socket === null) return undefined
  known ??= answerOf(connect(socket))
  return known
}

async function answerOf(main: Socket): Promise<string> {
  let answer = ''
  for await (const bytes of main) answer += bytes
  if (!answer.startsWith('postgres:')) throw new Error(`PostgreSQL did not start: ${answer}`)
  return answer
}
