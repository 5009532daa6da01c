import { type FactRenderer, payloadOf, type RenderedEvent } from '../../publishing/index.ts'
import type { Evaluated, Evaluation } from '../evaluations/store.ts'
import { EventEvaluation, eventEvaluation } from '../evaluations/view.ts'
import { EventUtterances, eventUtterances, type LiveUtterance, type UtteranceOf } from '../realtime/view.ts'
import {
  sampleActionItem,
  sampleCustomSummary,
  sampleEvaluation,
  samplePlaybookResult,
  sampleSentiment,
  sampleSummary,
  sampleTopics,
  sampleTranscript,
  sampleUtterances,
} from './event-samples.ts'
import type { ActionItem, Insight, StoredTranscript } from './store.ts'
import {
  type CallOf,
  EventActionItem,
  EventCustomSummary,
  EventPlaybookResult,
  EventSentiment,
  EventSummary,
  EventTopics,
  EventTranscript,
  eventActionItem,
  eventCustomSummary,
  eventPlaybookResult,
  eventSentiment,
  eventText,
  eventTranscript,
} from './view.ts'

/** A new or changed result of a call. */
export type InsightFact = { kind: 'insight'; call: CallOf } & (
  | { event: 'transcription.created'; transcript: StoredTranscript }
  | { event: 'sentiment.created'; insight: Insight<'sentiment'> }
  | { event: 'topics.created'; insight: Insight<'topics'> }
  | { event: 'summary.created'; insight: Insight<'summary'> }
  | { event: 'custom_summary.result_created' | 'custom_summary.result_updated'; insight: Insight<'custom_summary'> }
  | { event: 'playbook_result.created' | 'playbook_result.updated'; insight: Insight<'playbook_result'> }
  | { event: 'action_item.created'; item: ActionItem }
  | {
      event: 'realtime_transcription.utterances_received'
      call: UtteranceOf
      utterance: LiveUtterance
      language: string
    }
  | { event: 'call_evaluation.created' | 'call_evaluation.updated'; evaluation: Evaluation; of: Evaluated }
)

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    insight: InsightFact
  }
}

const playbookResult = payloadOf(EventPlaybookResult)
const customSummary = payloadOf(EventCustomSummary)
const evaluation = payloadOf(EventEvaluation)

export const insightPayloads = {
  'transcription.created': payloadOf(EventTranscript)(sampleTranscript),
  'summary.created': payloadOf(EventSummary)(sampleSummary),
  'topics.created': payloadOf(EventTopics)(sampleTopics),
  'sentiment.created': payloadOf(EventSentiment)(sampleSentiment),
  'action_item.created': payloadOf(EventActionItem)(sampleActionItem),
  'playbook_result.created': playbookResult(samplePlaybookResult),
  'playbook_result.updated': playbookResult(samplePlaybookResult),
  'realtime_transcription.utterances_received': payloadOf(EventUtterances)(sampleUtterances),
  'custom_summary.result_created': customSummary(sampleCustomSummary(false)),
  'custom_summary.result_updated': customSummary(sampleCustomSummary(true)),
  'call_evaluation.created': evaluation(sampleEvaluation(false)),
  'call_evaluation.updated': evaluation(sampleEvaluation(true)),
}

/**
 * All results of a call are one resource, delivered in the order in which they were made and after the events of the call
 * itself. Utterances are sent during the call and must not delay its events.
 */
const rendered = (fact: InsightFact): RenderedEvent => ({
  name: fact.event,
  resourceKey: `insight:${fact.call.id}`,
  ...(fact.event !== 'realtime_transcription.utterances_received' && { stream: `call:${fact.call.id}` }),
  numberId: fact.call.numberId,
  data: dataOf(fact),
})

function dataOf(fact: InsightFact): string {
  const { call } = fact
  switch (fact.event) {
    case 'transcription.created':
      return insightPayloads[fact.event].write(eventTranscript(call, fact.transcript))
    case 'sentiment.created':
      return insightPayloads[fact.event].write(eventSentiment(call, fact.insight))
    case 'topics.created':
      return insightPayloads[fact.event].write(eventText(call, fact.insight))
    case 'summary.created':
      return insightPayloads[fact.event].write(eventText(call, fact.insight))
    case 'custom_summary.result_created':
    case 'custom_summary.result_updated':
      return insightPayloads[fact.event].write(eventCustomSummary(call, fact.insight))
    case 'playbook_result.created':
    case 'playbook_result.updated':
      return insightPayloads[fact.event].write(eventPlaybookResult(call, fact.insight))
    case 'action_item.created':
      return insightPayloads[fact.event].write(eventActionItem(call, fact.item))
    case 'realtime_transcription.utterances_received':
      return insightPayloads[fact.event].write(eventUtterances(fact.call, fact.utterance, fact.language))
    case 'call_evaluation.created':
    case 'call_evaluation.updated':
      return insightPayloads[fact.event].write(eventEvaluation(fact.evaluation, fact.of))
  }
}

export const renderInsightFacts: FactRenderer<InsightFact> = async () => (fact) => [rendered(fact)]
