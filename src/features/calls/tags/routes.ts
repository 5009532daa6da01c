import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { isDuplicate } from '../../../db/errors.ts'
import { withoutEmojis } from '../../../domain/emoji.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText } from '../../../http/schemas.ts'
import { anyRole, hasTags, tagsBecameOptional } from '../../accounts/index.ts'
import { deleteTag, findTag, insertTag, pageOfTags, updateTag } from './store.ts'
import { TagView, tagView } from './view.ts'

const tag = 'Tags'
const OneTag = Type.Object({ tag: TagView })
const Name = nameText(255, { description: 'Unique in the company, case-insensitive' })
const Color = Type.String({ pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$', maxLength: 7, examples: ['#00B388'] })
const errors = [{ status: 400 as const, when: 'the name is taken, or the color is not hexadecimal' }]

const listTags = route({
  method: 'GET',
  path: '/v1/tags',
  summary: 'List tags',
  tag,
  roles: anyRole,
  query: PageQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, tags: Type.Array(TagView) }) },
  async handle({ query, caller, services, place }) {
    const window = windowOf(query)
    const { tags, total } = await pageOfTags(services.db, caller.companyId, window)
    return { meta: metaOf(place, window, tags.length, total), tags: tags.map((one) => tagView(services.links, one)) }
  },
})

const getTag = route({
  method: 'GET',
  path: '/v1/tags/:id',
  summary: 'Retrieve a tag',
  tag,
  roles: anyRole,
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findTag(services.db, caller.companyId, params.id),
  reply: { status: 200, body: OneTag },
  async handle({ loaded, services }) {
    return { tag: tagView(services.links, loaded) }
  },
})

const createTag = route({
  method: 'POST',
  path: '/v1/tags',
  summary: 'Create a tag; emojis in the name are removed',
  tag,
  body: Type.Object({ name: Name, color: Color }),
  errors,
  reply: { status: 201, body: OneTag },
  async handle({ body, caller, services }) {
    const plain = plainName(body.name)
    if (plain === '') throw unprocessable('`name` is mandatory and must contain more than emojis')
    const made = await unlessTaken(
      insertTag(services.db, caller.companyId, { name: plain, color: body.color }, services.clock.now()),
    )
    return { tag: tagView(services.links, made) }
  },
})

const changeTag = route({
  method: 'PUT',
  path: '/v1/tags/:id',
  summary: 'Update a tag',
  tag,
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findTag(services.db, caller.companyId, params.id),
  edits: { object: 'tag', view: ({ loaded, services }) => tagView(services.links, loaded) },
  body: Type.Object({ name: Type.Optional(Name), color: Type.Optional(Color) }),
  errors: [...errors, { status: 422, when: 'neither name nor color is given' }],
  reply: { status: 200, body: OneTag },
  async handle({ body, loaded, caller, services }) {
    const { color } = body
    const plain = body.name === undefined ? undefined : plainName(body.name)
    if (plain === undefined && color === undefined) throw unprocessable('Give `name`, `color` or both')
    if (plain === '') throw badRequest('`name` must contain more than emojis, which are removed')
    const change = { ...(plain !== undefined && { name: plain }), ...(color !== undefined && { color }) }
    const changed = await unlessTaken(
      transaction(services.db, (tx) => updateTag(tx, caller.companyId, loaded.id, change)),
    )
    if (!changed) throw notFound()
    return { tag: tagView(services.links, changed) }
  },
})

const removeTag = route({
  method: 'DELETE',
  path: '/v1/tags/:id',
  summary: 'Delete a tag; it is removed from every call',
  tag,
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findTag(services.db, caller.companyId, params.id),
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    const { companyId } = caller
    await transaction(services.db, async (tx) => {
      if (!(await deleteTag(tx, companyId, loaded.id))) throw notFound()
      if (!(await hasTags(tx, companyId))) await tagsBecameOptional(services, tx, companyId)
    })
    return {}
  },
})

/** Removing an emoji leaves no space at either end. */
const plainName = (given: string): string => withoutEmojis(given).trim()

async function unlessTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isDuplicate(error) ? badRequest('`name` is already used by another tag') : error
  }
}

export const tagRoutes = [listTags, getTag, createTag, changeTag, removeTag]
