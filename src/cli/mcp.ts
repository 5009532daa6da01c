import { CommandRefused } from '../http/admin-socket.ts'
import type { McpApi } from '../mcp/api.ts'
import { apiDetails, apiOptions, apiUsage, serverAccess } from './api.ts'
import type { Command, CommandArguments } from './command.ts'
import { networkFailureReason } from './network-failure.ts'

export const mcpCommand: Command = {
  name: 'mcp',
  usage: `[--read-only] ${apiUsage}`,
  summary: 'Serve the Model Context Protocol on standard input and output, for AI assistants',
  details:
    'The assistant acts with the rights of the API key. --read-only offers no tool that changes data. A server offers the\n' +
    `same tools at /mcp over HTTP.\n${apiDetails}`,
  options: { ...apiOptions, 'read-only': { type: 'boolean' } },
  run: serve,
}

async function serve(given: CommandArguments): Promise<undefined> {
  const { base, apiId, token } = serverAccess(given)
  const authorization = `Basic ${Buffer.from(`${apiId}:${token}`).toString('base64')}`
  const sandbox = await isSandbox(base, authorization)
  const { serveMcpOnStdio } = await import('../mcp/stdio.ts')
  await serveMcpOnStdio(overHttp(base, authorization), { sandbox, readOnly: given.flag('read-only') })
}

/** Also refuses wrong credentials before the assistant connects. */
async function isSandbox(base: string, authorization: string): Promise<boolean> {
  const { status, headers } = await fetch(`${base}/v1/ping`, { headers: { authorization } }).catch((error: unknown) => {
    throw new CommandRefused(`${base} cannot be reached (${networkFailureReason(error)})`)
  })
  if (status === 200) return headers.get('x-hookswitch-mode') === 'sandbox'
  throw new CommandRefused(`${base} responded with ${status}; check the address and the API key`)
}

const overHttp = (base: string, authorization: string): McpApi => ({
  async ask(method, target, body) {
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { authorization, 'content-type': 'application/json' }
    try {
      const response = await fetch(base + target, { method, headers, redirect: 'manual', ...json })
      const text = await response.text()
      return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
    } catch (error) {
      const troubleshoot = `${base} cannot be reached (${networkFailureReason(error)}). Try again later`
      return { status: 503, body: { troubleshoot } }
    }
  },
})
