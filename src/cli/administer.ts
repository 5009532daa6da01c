import { request } from 'node:http'
import path from 'node:path'
import { readConfigOfData, readDataDir } from '../config.ts'
import { DatabaseInUse } from '../db/errors.ts'
import { type CommandAnswer, CommandRefused } from '../http/admin-socket.ts'
import { pause } from '../lib/clock.ts'
import type { CommandArguments } from './command.ts'

type Input = Record<string, unknown>

/** Sends a command to the server that runs on DATA_DIR, or executes it on the database if no server is running. */
export async function administer<Result>(name: string, input: Input): Promise<Result> {
  const socket = path.join(readDataDir(), 'admin.sock')
  const answer =
    (await askServer(socket, name, input)) ?? (await runLocally(name, input).catch(retryWhenInUse(socket, name, input)))
  if ('refused' in answer) throw new CommandRefused(answer.refused)
  return answer.result as Result
}

/** Sends a command that needs a running server. */
export async function askRunningServer<Result>(name: string, input: Input = {}): Promise<Result> {
  const dataDir = readDataDir()
  const answer = await askServer(path.join(dataDir, 'admin.sock'), name, input)
  if (!answer) {
    throw new CommandRefused(
      `no server is running on ${dataDir}; start it with \`hookswitch start\`, or set DATA_DIR to its data directory`,
    )
  }
  if ('refused' in answer) throw new CommandRefused(answer.refused)
  return answer.result as Result
}

export const companyOption = { company: { type: 'string' } } as const

/** Without --company the command applies to the only company. */
export function companyIn(given: CommandArguments): { company?: string } {
  const id = given.text('company')
  return id === undefined ? {} : { company: id }
}

/** Whether a server is running on the data directory; a server that is still starting does not count. */
export async function isServerRunning(dataDir: string): Promise<boolean> {
  return (await askServer(path.join(dataDir, 'admin.sock'), 'ping', {})) !== undefined
}

// ENAMETOOLONG, EINVAL: no server can have a socket at that path.
const noServerCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL'])

function askServer(socketPath: string, name: string, input: Input): Promise<CommandAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: `/${name}`, method: 'POST', agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve(readAnswer(text)))
      response.on('error', reject)
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (noServerCodes.has(error.code ?? '')) return resolve(undefined)
      reject(new CommandRefused(`cannot connect to the server at ${socketPath} (${error.code ?? error.message})`))
    })
    outgoing.end(JSON.stringify(input))
  })
}

function readAnswer(text: string): CommandAnswer {
  try {
    return JSON.parse(text)
  } catch {
    return { refused: 'the server closed the connection without a response; check whether the command was executed' }
  }
}

/** A starting server has the database open before it accepts commands. */
function retryWhenInUse(socket: string, name: string, input: Input) {
  return async (error: unknown): Promise<CommandAnswer> => {
    if (!(error instanceof DatabaseInUse)) throw error
    for (let waited = 0; waited < startTimeoutMs; waited += 100) {
      await pause(100)
      const answer = await askServer(socket, name, input)
      if (answer) return answer
    }
    throw error
  }
}

const startTimeoutMs = 10_000

async function runLocally(name: string, input: Input): Promise<CommandAnswer> {
  const config = readConfigOfData()
  const { withApp } = await import('./with-app.ts')
  return withApp(config, async ({ commands }) => {
    const command = commands[name]
    if (!command) throw new Error(`no command ${name}`)
    return { result: await command(input) }
  })
}
