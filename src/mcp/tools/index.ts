import type { McpTool } from '../tool.ts'
import { callTools } from './calls.ts'
import { companyTools } from './company.ts'
import { contactTools } from './contacts.ts'
import { conversationTools } from './conversations.ts'
import { figureTools } from './figures.ts'
import { sandboxTools } from './sandbox.ts'

export const mcpTools: readonly McpTool[] = [
  ...callTools,
  ...conversationTools,
  ...contactTools,
  ...companyTools,
  ...figureTools,
  ...sandboxTools,
]
