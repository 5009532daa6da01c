import { type CallerInput, greet, respond } from '../../../domain/ai-agent/dialog.ts'
import { appendToList, yamlText } from '../../../lib/yaml-source.ts'
import type { VoiceAgent } from '../agents/store.ts'
import type { RecordedConversation } from './store.ts'

// A test made of a real conversation: the caller's lines, and what they led to.

type TestLine = string | { keys: string } | { silence: true }

interface CallTest {
  name: string
  caller: { lines: TestLine[] }
  expect: Record<string, unknown>
}

export function testOfConversation(callId: number, conversation: RecordedConversation, agent: VoiceAgent): CallTest {
  const { endReason, answers, escalationReason } = conversation
  const isScripted = agent.brain === 'flow'
  return {
    name: `Call ${callId}`,
    caller: { lines: isScripted ? scriptedLines(conversation, agent) : spokenLines(conversation) },
    expect: {
      ...(endReason !== null && { outcome: endReason }),
      ...(escalationReason !== null && isScripted && { reason: escalationReason }),
      ...(Object.keys(answers).length > 0 && { answers }),
    },
  }
}

const spokenLines = ({ turns }: RecordedConversation) =>
  turns.filter(({ by, text }) => by === 'caller' && text.trim() !== '').map(({ text }) => text)

/** Follows the script to tell keys from spoken digits, which the recorded turns do not. */
function scriptedLines({ turns, startedAt }: RecordedConversation, agent: VoiceAgent): TestLine[] {
  const lines: TestLine[] = []
  let { talk } = greet(agent)
  for (const [at, { by, text }] of turns.entries()) {
    // A scripted agent that speaks twice in a row has waited in vain in between.
    const isSilence = by === 'agent' && turns[at - 1]?.by === 'agent'
    if (by === 'agent' && !isSilence) continue
    const reply = turns[at + (isSilence ? 0 : 1)]?.text ?? ''
    const replies = (isSilence ? [silence] : inputsFor(text)).map((input) => ({
      input,
      ...respond(agent, talk, input, startedAt),
    }))
    // A sentence that the caller interrupted was recorded in part.
    const taken = replies.find(({ say }) => say.startsWith(reply)) ?? replies[0]
    if (!taken) continue
    talk = taken.talk
    lines.push(lineOf(taken.input))
  }
  return lines
}

const silence: CallerInput = { kind: 'silence' }

function inputsFor(text: string): CallerInput[] {
  if (text.trim() === '') return []
  const words: CallerInput = { kind: 'words', text }
  return /^\d{1,32}$/.test(text) ? [{ kind: 'keys', keys: text }, words] : [words]
}

function lineOf(input: CallerInput): TestLine {
  if (input.kind === 'silence') return { silence: true }
  return input.kind === 'keys' ? { keys: input.keys } : input.text
}

export const newTestFile = (agentName: string, test: CallTest): string => yamlText({ agent: agentName, tests: [test] })

/** Comments and formatting of the file stay. */
export const withTest = (source: string, test: CallTest): string => appendToList(source, 'tests', test)
