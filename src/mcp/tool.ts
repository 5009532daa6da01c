import type { Static, TObject } from 'typebox'
import type { McpApi } from './api.ts'

/** What a tool does to the company: `read` changes nothing, `write` changes data, `contact` reaches people outside. */
export type ToolEffect = 'read' | 'write' | 'contact'

export interface McpTool {
  name: string
  title: string
  description: string
  effect: ToolEffect
  /** Only where the network is simulated. */
  sandboxOnly: boolean
  input: TObject
  run(api: McpApi, input: Record<string, unknown>): Promise<unknown>
}

interface ToolDefinition<Input extends TObject> {
  name: string
  title: string
  description: string
  effect: ToolEffect
  sandboxOnly?: boolean
  input: Input
  run(api: McpApi, input: Static<Input>): Promise<unknown>
}

/** A tool whose handler gets its input with the type of the schema; the server validates it before. */
export const defineTool = <Input extends TObject>({ run, ...tool }: ToolDefinition<Input>): McpTool => ({
  sandboxOnly: false,
  ...tool,
  run: (api, input) => run(api, input as Static<Input>),
})
