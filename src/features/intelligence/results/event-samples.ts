import { scored } from '../../../domain/intelligence/scorecard.ts'
import { second } from '../../../lib/clock.ts'
import type { ViewContext } from '../../accounts/users/nested.ts'
import { exampleCalls } from '../../calls/calls/event-samples.ts'
import { exampleUser } from '../../integrations/catalogue/samples.ts'
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

// What was found out about the call of call-examples.ts.

const id = (place: number) => 2_000_000_060 + place
const language = 'en'
const reason = 'My invoice is wrong again.'
const wish = 'Please call me back on Friday.'

const insight = <K extends InsightKind>(
  scene: ViewContext,
  place: number,
  content: Insight<K>['content'],
): Insight<K> => ({
  id: id(place),
  callId: exampleCalls.ended(scene.at).id,
  createdAt: scene.at,
  content,
})

const callAt = (scene: ViewContext) => exampleCalls.ended(scene.at)

export const sampleTranscript = (scene: ViewContext) => {
  const { id: callId, external } = callAt(scene)
  const speaker = { side: 'external', phone: external } as const
  const answer = { side: 'internal', userId: exampleUser(scene.at).id } as const
  return eventTranscript(callAt(scene), {
    ...{ id: id(0), callId, sound: 'recording', language, createdAt: scene.at },
    utterances: [
      { start: 0.4, end: 2.1, text: 'Thank you for calling, how can I help?', speaker: answer },
      { start: 2.8, end: 6.2, text: `${reason} ${wish}`, speaker },
    ],
  })
}

export const sampleSentiment = (scene: ViewContext) =>
  eventSentiment(callAt(scene), insight(scene, 1, [{ phone: callAt(scene).external, value: 'NEGATIVE' }]))

export const sampleTopics = (scene: ViewContext) =>
  eventText(callAt(scene), insight<'topics'>(scene, 2, ['Billing', 'Callback']))

export const sampleSummary = (scene: ViewContext) =>
  eventText(callAt(scene), insight<'summary'>(scene, 3, `${reason} ${wish}`))

export const sampleActionItem = (scene: ViewContext) =>
  eventActionItem(callAt(scene), {
    ...{ id: id(4), content: wish, aiGenerated: true, createdAt: scene.at },
    ...{ createdBy: null, updatedAt: null, updatedBy: null },
  })

export const sampleCustomSummary = (changed: boolean) => (scene: ViewContext) => {
  const made = { aiGenerated: !changed, createdAt: scene.at - 60 * second }
  const change = changed ? { updatedAt: scene.at, updatedBy: exampleUser(scene.at).id } : {}
  const section = { name: 'Reason', type: 'PARAGRAPH', content: reason, ...made, ...change } as const
  return eventCustomSummary(
    callAt(scene),
    insight<'custom_summary'>(scene, 5, { name: 'For the CRM', language, sections: [section] }),
  )
}

export const samplePlaybookResult = (scene: ViewContext) =>
  eventPlaybookResult(
    callAt(scene),
    insight<'playbook_result'>(scene, 6, {
      playbook: { id: id(7), name: 'Complaints', language },
      userId: exampleUser(scene.at).id,
      adherence: 0.5,
      topics: [
        { name: 'Greeting', result: true },
        { name: 'Next steps', result: false },
      ],
    }),
  )

export const sampleEvaluation = (changed: boolean) => (scene: ViewContext) => {
  const person = exampleUser(scene.at).id
  const question = { text: 'Greets?', type: 'BINARY', points: 10, strictness: 1, aiEnabled: true, phrases: [] } as const
  const categories = [{ name: 'Opening', questions: [question] }]
  const scorecard = { id: id(8), name: 'Quality', description: '' }
  const of = {
    ...scored({ ...scorecard, categories }, [{ answer: 'YES', feedback: '“Thank you for calling”' }]),
    ...{ scorecard, feedback: '', reviewee: person, reviewer: changed ? person : null },
  }
  const evaluation: Evaluation = {
    ...{ id: id(9), callId: callAt(scene).id, aiGenerated: !changed, createdAt: scene.at - 60 * second },
    ...{ updatedAt: scene.at, createdBy: null, updatedBy: changed ? person : null, evaluations: [of] },
    reviewedAt: changed ? scene.at : null,
  }
  return eventEvaluation(evaluation, of)
}

export const sampleUtterances = (scene: ViewContext) => {
  const userId = exampleUser(scene.at).id
  const utterance = {
    ...{ start: 0.4, end: 2.1, at: scene.at - 2 * second, ms: 1_700 },
    ...{ text: 'Thank you for calling, how can I help?', speaker: { side: 'internal', userId } as const },
  }
  return eventUtterances(callAt(scene), utterance, language)
}
