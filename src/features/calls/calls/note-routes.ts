import { Type } from 'typebox'
import { route } from '../../../http/route.ts'
import { Id, text } from '../../../http/schemas.ts'
import { anyRole, userIdOf } from '../../accounts/index.ts'
import { deleteSound } from './actions.ts'
import { archiveCall, assignCall, commentCall, tagCall, untagCall } from './change.ts'
import { CallParams, callsTag, loadCall, loadCallToChange, OneCall } from './load.ts'
import { showCall } from './present.ts'

const postComment = route({
  method: 'POST',
  path: '/v1/calls/:id/comments',
  summary: 'Comment on a call; emojis are removed',
  tag: callsTag,
  roles: anyRole,
  params: CallParams,
  load: loadCallToChange,
  body: Type.Object({ content: text(10_000) }),
  errors: [{ status: 400, when: 'the call already has five comments' }],
  reply: { status: 201, body: OneCall },
  async handle({ loaded, body, caller, services }) {
    const call = await commentCall(services, loaded, body.content, userIdOf(caller))
    return { call: await showCall(services, caller.companyId, call) }
  },
})

const postTags = route({
  method: 'POST',
  path: '/v1/calls/:id/tags',
  summary: 'Add tags to a call; existing tags stay',
  tag: callsTag,
  roles: anyRole,
  params: CallParams,
  load: loadCallToChange,
  body: Type.Object({ tags: Type.Array(Id, { minItems: 1, maxItems: 100, description: 'Ids of tags' }) }),
  errors: [{ status: 400, when: 'a tag is unknown; the call is not changed' }],
  reply: { status: 201, body: OneCall },
  async handle({ loaded, body, caller, services }) {
    const call = await tagCall(services, loaded, body.tags, userIdOf(caller))
    return { call: await showCall(services, caller.companyId, call) }
  },
})

const removeTag = route({
  method: 'DELETE',
  path: '/v1/calls/:id/tags/:tag_id',
  summary: 'Remove a tag from a call',
  tag: callsTag,
  roles: anyRole,
  access: 'app',
  params: Type.Object({ id: Id, tag_id: Id }),
  load: loadCallToChange,
  reply: { status: 204 },
  async handle({ loaded, params, services }) {
    await untagCall(services, loaded, params.tag_id)
    return {}
  },
})

const assign = route({
  method: 'POST',
  path: '/v1/calls/:id/assign',
  summary: 'Assign a call to a user',
  tag: callsTag,
  roles: anyRole,
  access: 'app',
  params: CallParams,
  load: loadCallToChange,
  body: Type.Object({ user_id: Id }),
  errors: [{ status: 400, when: 'the user is unknown' }],
  reply: { status: 200, body: OneCall },
  async handle({ loaded, body, caller, services }) {
    const call = await assignCall(services, loaded, body.user_id, userIdOf(caller))
    return { call: await showCall(services, caller.companyId, call) }
  },
})

const archiving = (word: 'archive' | 'unarchive', summary: string) =>
  route({
    method: 'PUT',
    path: `/v1/calls/:id/${word}`,
    summary,
    tag: callsTag,
    roles: anyRole,
    params: CallParams,
    load: loadCallToChange,
    reply: { status: 200, body: OneCall },
    async handle({ loaded, caller, services }) {
      const call = await archiveCall(services, loaded, word === 'archive')
      return { call: await showCall(services, caller.companyId, call) }
    },
  })

const deleting = (sound: 'recording' | 'voicemail') =>
  route({
    method: 'DELETE',
    path: `/v1/calls/:id/${sound}`,
    summary: `Delete the ${sound} of a call permanently`,
    tag: callsTag,
    params: CallParams,
    load: loadCall,
    reply: { status: 204 },
    changesOutside: true,
    async handle({ loaded, services }) {
      await deleteSound(services, loaded, sound)
      return {}
    },
  })

export const noteRoutes = [
  postComment,
  postTags,
  removeTag,
  assign,
  archiving('archive', 'Archive a call'),
  archiving('unarchive', 'Unarchive a call'),
  deleting('recording'),
  deleting('voicemail'),
]
