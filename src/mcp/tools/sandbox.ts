import { Type } from 'typebox'
import { request } from '../api.ts'
import { idInput, optional, phoneNumber } from '../inputs.ts'
import { defineTool, type McpTool } from '../tool.ts'

const actions = ['connect', 'answer', 'decline', 'hang_up', 'hold', 'unhold', 'finish_wrap_up'] as const

/** The simulated network: no person is called, nothing costs money. */
export const sandboxTools: McpTool[] = [
  defineTool({
    name: 'simulate_call',
    title: 'Simulate an inbound call',
    description: 'Sandbox only: a simulated person calls a number of the company. The call runs through its real flow.',
    effect: 'write',
    sandboxOnly: true,
    input: Type.Object({
      from: phoneNumber('Number of the caller'),
      to: phoneNumber('Number of the company'),
      patience_seconds: optional(
        Type.Integer({ minimum: 1, maximum: 3_600, description: 'How long the caller waits for an answer' }),
      ),
    }),
    run: (api, { from, to, patience_seconds }) =>
      request(api, 'POST', '/sandbox/v1/calls', {
        from,
        to,
        ...(patience_seconds !== undefined && { patience: patience_seconds }),
      }),
  }),
  defineTool({
    name: 'simulate_user_action',
    title: 'Simulate an action of a user',
    description: 'Sandbox only: a user answers, declines, holds or ends the current call in the simulated phone app.',
    effect: 'write',
    sandboxOnly: true,
    input: Type.Object({ user_id: idInput('user'), action: Type.Union(actions.map((action) => Type.Literal(action))) }),
    async run(api, { user_id, action }) {
      await request(api, 'POST', `/sandbox/v1/users/${user_id}/actions`, { action })
      return { user_id, action }
    },
  }),
  defineTool({
    name: 'simulate_message',
    title: 'Simulate an inbound message',
    description: 'Sandbox only: a simulated person sends a text message to a number of the company.',
    effect: 'write',
    sandboxOnly: true,
    input: Type.Object({
      from: phoneNumber('Number of the sender'),
      to: phoneNumber('Number of the company'),
      text: Type.String({ minLength: 1, maxLength: 1_600 }),
    }),
    run: (api, { from, to, text }) => request(api, 'POST', '/sandbox/v1/messages', { from, to, body: text }),
  }),
  defineTool({
    name: 'get_clock',
    title: 'Read the clock of the sandbox',
    description: 'Sandbox only: read the time of the simulated network, and whether its clock runs or is frozen.',
    effect: 'read',
    sandboxOnly: true,
    input: Type.Object({}),
    run: (api) => request(api, 'GET', '/sandbox/v1/clock'),
  }),
  defineTool({
    name: 'advance_clock',
    title: 'Advance the clock of the sandbox',
    description:
      'Sandbox only: advance the clock; everything that becomes due happens. The clock is shared by the installation.',
    effect: 'write',
    sandboxOnly: true,
    input: Type.Object({ seconds: Type.Integer({ minimum: 1, maximum: 2_678_400 }) }),
    run: (api, { seconds }) => request(api, 'PUT', '/sandbox/v1/clock', { advance_seconds: seconds }),
  }),
]
