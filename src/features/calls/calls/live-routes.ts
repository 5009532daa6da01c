import { Type } from 'typebox'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, oneOf, text } from '../../../http/schemas.ts'
import { anyRole, findTeam, findUser } from '../../accounts/index.ts'
import { controlRecording, showCard, transferCall } from './actions.ts'
import { CallParams, callsTag, loadCall, loadCallToChange } from './load.ts'

const steering = (kind: 'pause_recording' | 'resume_recording', summary: string) =>
  route({
    method: 'POST',
    path: `/v1/calls/:id/${kind}`,
    summary,
    tag: callsTag,
    roles: anyRole,
    params: CallParams,
    load: loadCallToChange,
    errors: [
      { status: 400, when: 'the call has ended, or has not been answered yet' },
      { status: 405, when: 'live recording is disabled on the Number of the call' },
    ],
    reply: { status: 204 },
    changesOutside: true,
    async handle({ loaded, services, claim }) {
      await controlRecording(services, loaded, kind, claim)
      return {}
    },
  })

const transfer = route({
  method: 'POST',
  path: '/v1/calls/:id/transfers',
  summary: 'Transfer an active call (blind transfer)',
  description: 'To exactly one of a user, a team and an external number.',
  tag: callsTag,
  roles: anyRole,
  params: CallParams,
  load: loadCallToChange,
  body: Type.Object({
    user_id: Type.Optional(nullable(Id)),
    team_id: Type.Optional(nullable(Id)),
    number: Type.Optional(
      nullable(Type.String({ pattern: '^\\+[1-9]\\d{6,14}$', maxLength: 16, examples: ['+33199000001'] })),
    ),
    dispatching_strategy: Type.Optional(
      oneOf(['simultaneous', 'random', 'longest_idle'], { description: 'For a team; simultaneous by default' }),
    ),
  }),
  errors: [
    { status: 400, when: 'several targets are given, or the call has ended' },
    { status: 403, when: 'the outbound calling rules do not allow the number' },
    { status: 422, when: 'no target is given' },
  ],
  reply: { status: 204 },
  changesOutside: true,
  async handle({ loaded, body, caller: { companyId }, services, claim }) {
    const { user_id: userId, team_id: teamId, number, dispatching_strategy: strategy } = body
    const given = [userId, teamId, number].filter((target) => target !== undefined && target !== null)
    if (given.length === 0) throw unprocessable('Give one of `user_id`, `team_id` and `number`')
    if (given.length > 1) throw badRequest('Give only one of `user_id`, `team_id` and `number`')
    if (strategy && !teamId) throw badRequest('`dispatching_strategy` can be used with `team_id` only')
    if (number) {
      await transferCall(services, loaded, { to: { type: 'number', number }, firstUserId: null }, claim)
    } else if (teamId) {
      const team = await findTeam(services.db, companyId, teamId)
      if (!team) throw notFound()
      const firstUserId = team.members[0]?.id ?? null
      const to = { to: { type: 'team' as const, id: teamId }, firstUserId, ...(strategy && { strategy }) }
      await transferCall(services, loaded, to, claim)
    } else if (userId) {
      if (!(await findUser(services.db, companyId, userId))) throw notFound()
      await transferCall(services, loaded, { to: { type: 'user', id: userId }, firstUserId: null }, claim)
    }
    return {}
  },
})

const Line = Type.Object({
  type: oneOf(['title', 'shortText']),
  text: text(10_240),
  label: Type.Optional(text(10_240, { description: 'Shown before the text of a shortText' })),
  link: Type.Optional(text(10_240, { description: 'Clickable with http, https, tel or mailto' })),
})

const sendCard = route({
  method: 'POST',
  path: '/v1/calls/:id/insight_cards',
  summary: 'Show an insight card to the agents of a call',
  description:
    'Shown immediately to agents who are on the call or whose phone rings, and to every agent it rings later, ' +
    'also after a transfer. Kept while the call is active; not shown after it has ended.',
  tag: callsTag,
  params: CallParams,
  load: loadCall,
  body: Type.Object({ contents: Type.Array(Line, { minItems: 1 }) }),
  bodyBelow: 10_240,
  errors: [{ status: 400, when: 'a link would run a script or open a file, or the body has 10,240 bytes or more' }],
  reply: { status: 201, body: Type.Object({}) },
  changesOutside: true,
  async handle({ loaded, body, services, claim }) {
    if (body.contents.some(({ link }) => link !== undefined && isDangerous(link))) {
      throw badRequest('A `link` must not start with javascript:, data:, vbscript: or file:')
    }
    await showCard(services, loaded, body.contents, claim)
    return {}
  },
})

/** Browsers ignore whitespace and control characters in a scheme. */
const isDangerous = (link: string) => /^(javascript|data|vbscript|file):/i.test(link.replace(/[\s\p{Cc}\p{Cf}]/gu, ''))

export const liveRoutes = [
  transfer,
  sendCard,
  steering('pause_recording', 'Pause the recording of a call'),
  steering('resume_recording', 'Resume the recording of a call'),
]
