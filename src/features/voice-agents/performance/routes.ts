import { Type } from 'typebox'
import { route } from '../../../http/route.ts'
import { day } from '../../../lib/clock.ts'
import { admins } from '../../accounts/index.ts'
import { addedUp, agentFigures, escalationReasons, misunderstoodPhrases, perDay, utcDay } from './performance.ts'
import { namesOfAgents, sessionsSince } from './sessions-store.ts'
import { useSince } from './usage-store.ts'
import { countedView, figuresView, PerformanceView, useView } from './view.ts'

const maxSessions = 20_000

const getPerformance = route({
  method: 'GET',
  path: '/v1/ai_agent_performance',
  summary: 'Figures of AI agents and LLM requests over the last days',
  description:
    'A call counts for each AI agent that took part. Latency is the time from the end of a turn of the caller to the start of the reply, ' +
    'before text-to-speech. Test chats and agent tests have the purpose `agent_test` and count for no AI agent.',
  tag: 'AI voice agents',
  feature: 'ai-voice-agents',
  access: 'app',
  roles: admins,
  query: Type.Object({
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'Including today, UTC' })),
    agent_id: Type.Optional(Type.String({ maxLength: 40, description: 'Calls of one AI agent only' })),
  }),
  reply: { status: 200, body: PerformanceView },
  async handle({ query: { days = 30, agent_id: agentId }, caller: { companyId }, services: { db, clock } }) {
    const now = clock.now()
    const since = Math.floor(now / day) * day - (days - 1) * day
    const sessions = await sessionsSince(db, companyId, { since, agentId, limit: maxSessions })
    const use = await useSince(db, companyId, utcDay(since))
    const agents = await namesOfAgents(db, companyId)
    const names = new Map([
      ...sessions.toReversed().map((session) => [session.agentId, session.agentName] as const),
      ...agents.map(({ id, name }) => [id, name] as const),
    ])
    const ofAgents = use.filter(({ purpose }) => purpose === 'agent')
    return {
      agents: [...names]
        .filter(([id]) => agentId === undefined || id === agentId)
        .map(([id, name]) => ({
          id,
          name,
          ...figuresView(agentFigures(sessions.filter((session) => session.agentId === id))),
          use: useView(addedUp(ofAgents.filter((one) => one.agentId === id))),
        }))
        .toSorted((a, b) => b.calls - a.calls || a.name.localeCompare(b.name)),
      daily: perDay(sessions, since, now),
      escalation_reasons: escalationReasons(sessions).map(countedView),
      misunderstood: misunderstoodPhrases(sessions).map(countedView),
      purposes: [...new Set(use.map(({ purpose }) => purpose))].toSorted().map((purpose) => ({
        purpose,
        use: useView(addedUp(use.filter((one) => one.purpose === purpose))),
      })),
      is_complete: sessions.length < maxSessions,
    }
  },
})

export const performanceRoutes = [getPerformance]
