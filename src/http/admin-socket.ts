import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'

/** Commands that administer the installation, by name; each takes and gives plain JSON. */
export type AdminCommands = Record<string, (input: Record<string, unknown>) => Promise<unknown>>

/** A command that cannot be done, in words for the operator. */
export class CommandRefused extends Error {}

/** A Unix socket of mode 0600: whoever may read the data folder may administer. */
export async function openAdminSocket(file: string, commands: AdminCommands): Promise<Server> {
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const command = Object.hasOwn(commands, name) ? commands[name] : undefined
      const answer = (status: number, body: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (!command) return answer(404, { refused: `the server knows no command ${name}` })
      Promise.resolve()
        .then(() => command(JSON.parse(Buffer.concat(chunks).toString() || '{}')))
        .then(
          (result) => answer(200, { result }),
          (error: unknown) => answer(400, { refused: error instanceof Error ? error.message : 'failed' }),
        )
    })
  })
  // Left behind by a process that was killed; the store's lock has already proved that no other one lives.
  rmSync(file, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(file, resolve)
  })
  chmodSync(file, 0o600)
  return server
}
