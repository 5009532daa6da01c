import { type DialogState, type Next, notUnderstood } from '../../../domain/ai-agent/dialog.ts'
import { argumentsFor } from '../../../domain/ai-agent/http-tools.ts'
import { knowledgeQuery } from '../../../domain/ai-agent/knowledge.ts'
import {
  chatMessages,
  type DialogTurn,
  lastExchange,
  lookUpQuery,
  lookUpResult,
  notReadBack,
  obey,
  toolsOf,
} from '../../../domain/ai-agent/llm.ts'
import { phrasesOf } from '../../../domain/ai-agent/phrases.ts'
import type { AgentPlan, Answers } from '../../../domain/ai-agent/plan.ts'
import { withResult } from '../../../domain/ai-agent/prompt-data.ts'
import { spokenValue } from '../../../domain/ai-agent/read-back.ts'
import { sentenceCutter } from '../../../domain/ai-agent/sentences.ts'
import { proseFilter, speakable } from '../../../domain/ai-agent/speakable.ts'
import { asksForHuman } from '../../../domain/ai-agent/understanding/human-request.ts'
import { plain } from '../../../domain/ai-agent/words.ts'
import type { LlmEngine, ToolCall } from '../../../domain/intelligence/engines.ts'
import type { KnowledgeSearch } from '../knowledge/search.ts'
import type { ToolRunner } from './http-tools.ts'

// One LLM turn of an AI agent: streams the reply sentence by sentence, then returns the next step.

export interface LlmReply {
  talk: DialogState
  after: Next
}

export interface LlmTurnOptions {
  now: number
  runner: ToolRunner
  search: KnowledgeSearch
  signal: AbortSignal
}

/** Tool calls before the reply: look-ups and answers to record. */
const maxRounds = 4
const maxReplyLength = 1_500

export async function* think(
  llm: LlmEngine,
  { plan, turns, talk: before }: { plan: AgentPlan; turns: readonly DialogTurn[]; talk: DialogState },
  { now, runner, search, signal }: LlmTurnOptions,
): AsyncGenerator<string, LlmReply> {
  const messages = chatMessages(plan, turns, before, now, await search(plan, knowledgeQuery(turns)))
  const tools = toolsOf(plan)
  const { said: saidBefore, heard } = lastExchange(turns)
  const asked = before.askedForHuman === true || asksForHuman(heard, plan.language)
  let talk: DialogState = { ...before, silent: 0, misunderstood: 0, ...(asked && { askedForHuman: true }) }
  let said = ''
  let isReminded = false
  let failed = 0
  let noted = 0
  for (let round = 0; round < maxRounds; round++) {
    const reply = spokenReply(maxReplyLength - said.length)
    const used: ToolCall[] = []
    for await (const piece of llm.chat({ messages, tools, signal })) {
      if (piece.toolCall) used.push(piece.toolCall)
      if (piece.text !== undefined) yield* reply.push(piece.text)
    }
    yield* reply.rest()
    said = `${said} ${reply.said()}`.trim()
    messages.push({ role: 'assistant', content: reply.written(), ...(used.length > 0 && { toolCalls: used }) })
    if (used.length === 0) {
      if (said !== '' || isReminded || reply.written().trim() === '') break
      isReminded = true
      messages.push({ role: 'user', content: cannotBeSpoken })
      continue
    }
    let after: Next | undefined
    for (const call of used) {
      const tool = plan.tools?.find(({ name }) => name === call.name)
      if (tool) {
        const valid = argumentsFor(tool, call.args)
        if (valid.problem === undefined && said === '') yield tool.filler ?? phrasesOf(plan.language).oneMoment
        const result = valid.problem ?? (await runner.run(tool, valid.args, signal))
        talk = { ...talk, results: withResult(talk.results, tool.name, call.args, result) }
        messages.push({ role: 'tool', content: result, toolCallId: call.id })
        continue
      }
      const toolResult =
        call.name === 'lookup'
          ? lookUpResult(talk, call, await search(plan, lookUpQuery(call)))
          : obey(plan, talk, call, { readBack: before.proposed ?? {}, said: saidBefore, heard, now })
      if (call.name === 'collect') {
        if (isProgress(before, talk, toolResult.talk)) noted++
        else failed++
      }
      talk = toolResult.talk
      after ??= toolResult.after
      messages.push({ role: 'tool', content: toolResult.result, toolCallId: call.id })
    }
    if (after) {
      if (said === '') yield closingMessage(plan, after)
      return { talk, after }
    }
    // The reply is complete; the tool call only recorded an answer.
    if (said !== '' && used.every(({ name }) => name === 'collect')) break
  }
  // The same reply again is no progress either.
  const isRepeated = said !== '' && plain(said) === plain(saidBefore)
  if ((failed > 0 && noted === 0) || (isRepeated && noted === 0)) {
    // A turn in which no answer could be recorded counts like a turn that was not understood.
    talk = { ...talk, misunderstood: before.misunderstood + 1 }
    if (talk.misunderstood >= plan.escalation.afterMisunderstandings) {
      const { say, next } = notUnderstood(plan, talk)
      yield say
      return { talk, after: next }
    }
  }
  const open = notReadBack(plan, newlyProposed(before, talk), said, now)
  for (const { question, answer } of open) {
    yield phrasesOf(plan.language).confirm(spokenValue(plan.language, question.kind, answer))
  }
  if (said === '' && open.length === 0) throw new Error('the LLM returned an empty reply')
  return { talk, after: { kind: 'listen' } }
}

const cannotBeSpoken = 'Nothing of that can be read aloud. Answer the caller in one or two plain sentences.'

/** An answer was recorded, or proposed for the first time; a second proposal follows a rejection. */
function isProgress(before: DialogState, from: DialogState, to: DialogState): boolean {
  if (to.answers !== from.answers) return true
  const fields = Object.keys(to.proposed ?? {})
  return to !== from && fields.some((field) => !Object.hasOwn(from.proposed ?? {}, field) && !isKnown(before, field))
}

const isKnown = ({ proposed = {} }: DialogState, field: string) => Object.hasOwn(proposed, field)

const newlyProposed = (before: DialogState, { proposed = {}, answers }: DialogState): Answers =>
  Object.fromEntries(
    Object.entries(proposed).filter(([field, value]) => answers[field] !== value && before.proposed?.[field] !== value),
  )

/** Cuts a streamed reply into sentences that can be spoken. */
function spokenReply(maxLength: number) {
  const prose = proseFilter()
  const cutter = sentenceCutter()
  let written = ''
  let said = ''
  function* spoken(sentences: readonly string[]) {
    for (const sentence of sentences) {
      const words = speakable(sentence)
      if (words === '') continue
      said = `${said} ${words}`.trim()
      yield words
    }
  }
  return {
    *push(text: string) {
      if (written.length > maxLength) return
      written += text
      yield* spoken(cutter.push(prose.push(text)))
    },
    *rest() {
      yield* spoken([...cutter.push(prose.rest()), cutter.rest()])
    },
    written: () => written,
    said: () => said,
  }
}

/** Spoken before a hang-up or transfer if the LLM said nothing. */
function closingMessage({ language, goodbyeMessage }: AgentPlan, after: Next): string {
  const { goodbye, handOver } = phrasesOf(language)
  return after.kind === 'end' ? (goodbyeMessage ?? goodbye) : handOver
}
