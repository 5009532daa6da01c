import { scored } from '../../../domain/intelligence/scorecard.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { second } from '../../../lib/clock.ts'
import { exampleUser } from '../../accounts/index.ts'
import { exampleCalls } from '../../calls/index.ts'
import type { Evaluation } from '../evaluations/store.ts'
import { eventEvaluation } from '../evaluations/view.ts'
import { eventUtterances } from '../realtime/view.ts'
import type { Insight, InsightKind } from './store.ts'
import {
  eventActionItem,
  eventCustomSummary,
  eventPlaybookResult,
  eventSentiment,
  eventText,
  eventTranscript,
} from './view.ts'

// Results of the call in call-examples.ts.

const id = (place: number) => 2_000_000_060 + place
const language = 'en'
const reason = 'My invoice is wrong again.'
const callBackRequest = 'Please call me back on Friday.'

const insight = <K extends InsightKind>(
  context: ViewContext,
  place: number,
  content: Insight<K>['content'],
): Insight<K> => ({
  id: id(place),
  callId: exampleCalls.ended(context.at).id,
  createdAt: context.at,
  content,
})

const callAt = (context: ViewContext) => exampleCalls.ended(context.at)

export const sampleTranscript = (context: ViewContext) => {
  const { id: callId, external } = callAt(context)
  const speaker = { side: 'external', phone: external } as const
  const answer = { side: 'internal', userId: exampleUser(context.at).id } as const
  return eventTranscript(callAt(context), {
    ...{ id: id(0), callId, sound: 'recording', language, createdAt: context.at },
    utterances: [
      { start: 0.4, end: 2.1, text: 'Thank you for calling, how can I help?', speaker: answer },
      { start: 2.8, end: 6.2, text: `${reason} ${callBackRequest}`, speaker },
    ],
  })
}

export const sampleSentiment = (context: ViewContext) =>
  eventSentiment(callAt(context), insight(context, 1, [{ phone: callAt(context).external, value: 'NEGATIVE' }]))

export const sampleTopics = (context: ViewContext) =>
  eventText(callAt(context), insight<'topics'>(context, 2, ['Billing', 'Callback']))

export const sampleSummary = (context: ViewContext) =>
  eventText(callAt(context), insight<'summary'>(context, 3, `${reason} ${callBackRequest}`))

export const sampleActionItem = (context: ViewContext) =>
  eventActionItem(callAt(context), {
    ...{ id: id(4), content: callBackRequest, aiGenerated: true, createdAt: context.at },
    ...{ createdBy: null, updatedAt: null, updatedBy: null },
  })

export const sampleCustomSummary = (changed: boolean) => (context: ViewContext) => {
  const made = { aiGenerated: !changed, createdAt: context.at - 60 * second }
  const change = changed ? { updatedAt: context.at, updatedBy: exampleUser(context.at).id } : {}
  const section = { name: 'Reason', type: 'PARAGRAPH', content: reason, ...made, ...change } as const
  return eventCustomSummary(
    callAt(context),
    insight<'custom_summary'>(context, 5, { name: 'For the CRM', language, sections: [section] }),
  )
}

export const samplePlaybookResult = (context: ViewContext) =>
  eventPlaybookResult(
    callAt(context),
    insight<'playbook_result'>(context, 6, {
      playbook: { id: id(7), name: 'Complaints', language },
      userId: exampleUser(context.at).id,
      adherence: 0.5,
      topics: [
        { name: 'Greeting', result: true },
        { name: 'Next steps', result: false },
      ],
    }),
  )

export const sampleEvaluation = (changed: boolean) => (context: ViewContext) => {
  const person = exampleUser(context.at).id
  const question = { text: 'Greets?', type: 'BINARY', points: 10, strictness: 1, aiEnabled: true, phrases: [] } as const
  const categories = [{ name: 'Opening', questions: [question] }]
  const scorecard = { id: id(8), name: 'Quality', description: '' }
  const of = {
    ...scored({ ...scorecard, categories }, [{ answer: 'YES', feedback: '“Thank you for calling”' }]),
    ...{ scorecard, feedback: '', reviewee: person, reviewer: changed ? person : null },
  }
  const evaluation: Evaluation = {
    ...{ id: id(9), callId: callAt(context).id, aiGenerated: !changed, createdAt: context.at - 60 * second },
    ...{ updatedAt: context.at, createdBy: null, updatedBy: changed ? person : null, evaluations: [of] },
    reviewedAt: changed ? context.at : null,
  }
  return eventEvaluation(evaluation, of)
}

export const sampleUtterances = (context: ViewContext) => {
  const userId = exampleUser(context.at).id
  const utterance = {
    ...{ start: 0.4, end: 2.1, at: context.at - 2 * second, ms: 1_700 },
    ...{ text: 'Thank you for calling, how can I help?', speaker: { side: 'internal', userId } as const },
  }
  return eventUtterances(callAt(context), utterance, language)
}
