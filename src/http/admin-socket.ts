import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect } from 'node:net'
import { ApiError } from './errors.ts'

/** Administration commands by name; input and output are JSON. */
export type AdminCommands = Record<string, (input: Record<string, unknown>) => Promise<unknown>>

/** A refused command, with the reason for the operator. */
export class CommandRefused extends Error {}

/** Response of the socket: the result, or the reason for the refusal. */
export type CommandAnswer = { result: unknown } | { refused: string }

/** A Unix socket of mode 0600: access to the data folder grants administration. */
export async function openAdminSocket(file: string, commands: AdminCommands): Promise<Server> {
  // On PostgreSQL two processes may share a data folder: the first one keeps the socket, and either can execute
  // commands.
  if (await isAnswered(file)) throw new Error(`another process answers at ${file}`)
  const server = createServer((request, response) => {
    void perform(request, commands).then(({ status, answer }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    )
  })
  // Left behind by a process that was killed.
  rmSync(file, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(file, resolve)
  })
  chmodSync(file, 0o600)
  return server
}

function isAnswered(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(file)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function perform(
  request: IncomingMessage,
  commands: AdminCommands,
): Promise<{ status: number; answer: CommandAnswer }> {
  const name = (request.url ?? '').slice(1)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) return { status: 404, answer: { refused: `the running server knows no command ${name}` } }
  try {
    return { status: 200, answer: { result: await command(await inputOf(request)) } }
  } catch (error) {
    if (error instanceof CommandRefused || error instanceof ApiError) {
      return { status: 400, answer: { refused: error.message } }
    }
    const reason = error instanceof Error ? error.message : 'unknown'
    return { status: 500, answer: { refused: `the server failed (${reason})` } }
  }
}

async function inputOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const input: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}')
  if (typeof input !== 'object' || input === null) throw new CommandRefused('the input must be an object')
  return { ...input }
}
