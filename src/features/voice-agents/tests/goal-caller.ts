import type { DialogTurn } from '../../../domain/ai-agent/llm.ts'
import type { AgentLanguage } from '../../../domain/ai-agent/plan.ts'
import { EngineTrouble } from '../../../domain/intelligence/engine-trouble.ts'
import type { ChatMessage, LlmEngine } from '../../../domain/intelligence/engines.ts'

// A caller of a test who pursues a goal: an LLM writes the next line.

const hangUp = '[hang up]'
const maxLineLength = 500

/** The caller's next line; undefined when the caller hangs up. */
export async function nextLineOfGoal(
  llm: LlmEngine,
  caller: { goal: string; persona: string | null; language: AgentLanguage },
  lines: readonly DialogTurn[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const system = [
    'You play a person who calls a company; you test its phone agent.',
    `Your goal: ${caller.goal}`,
    ...(caller.persona === null ? [] : [`Who you are: ${caller.persona}`]),
    `Speak the language with the code ${caller.language}. Say one or two short sentences, as people do on the phone, and nothing else.`,
    'Answer what the agent asks. Never say that you are a test or a model.',
    `When your goal is reached, or cannot be reached, write only ${hangUp}`,
  ].join('\n')
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    ...lines.map(({ by, text }): ChatMessage => ({ role: by === 'agent' ? 'user' : 'assistant', content: text })),
  ]
  let text = ''
  for await (const piece of llm.chat({ messages, signal })) text += piece.text ?? ''
  const line = text.trim().slice(0, maxLineLength)
  if (line === '') throw new EngineTrouble('The LLM returned an empty line for the caller.', true)
  return line.toLowerCase().includes(hangUp) ? undefined : line
}
