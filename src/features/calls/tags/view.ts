import { type Static, Type } from 'typebox'
import { nullable } from '../../../http/schemas.ts'
import type { Links } from '../../../services.ts'
import type { Tag } from './store.ts'

export const TagView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  color: Type.String({ description: '# followed by 3 or 6 hexadecimal digits' }),
  description: nullable(Type.String({ description: 'Cannot be set through the API' })),
  direct_link: Type.String(),
})

export const tagView = (links: Links, tag: Tag): Static<typeof TagView> => ({
  ...tag,
  direct_link: `${links.api}/v1/tags/${tag.id}`,
})
