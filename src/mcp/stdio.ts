import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { McpApi } from './api.ts'
import { createMcpServer, type McpAccess } from './server.ts'

/** Serves one client on standard input and output; resolves when the client has closed its end. */
export async function serveMcpOnStdio(api: McpApi, access: McpAccess): Promise<void> {
  const server = createMcpServer(api, access)
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  await server.connect(new StdioServerTransport())
  await closed
  await server.close()
}
