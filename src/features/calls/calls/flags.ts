import { Type } from 'typebox'
import type { Flags } from './present.ts'

// Optional parts of a call in responses.

export const FlagQuery = Type.Object({
  fetch_contact: Type.Optional(Type.Boolean({ description: '`true`: include the contact of the external party' })),
  fetch_short_urls: Type.Optional(
    Type.Boolean({ description: '`true`: include short URLs of recordings and voicemails' }),
  ),
  fetch_call_timeline: Type.Optional(
    Type.Boolean({ description: '`true`: include the IVR options selected by the caller' }),
  ),
  fetch_aiva_conv: Type.Optional(Type.Boolean({ description: '`true`: include the AI voice agents of the call' })),
})
export type FlagFields = { [K in keyof typeof FlagQuery.properties]?: boolean }

export const flagsOf = (query: FlagFields): Flags => ({
  contact: query.fetch_contact === true,
  shortUrls: query.fetch_short_urls === true,
  timeline: query.fetch_call_timeline === true,
  voiceAgents: query.fetch_aiva_conv === true,
})
