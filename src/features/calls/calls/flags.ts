import { Type } from 'typebox'
import type { Flags } from './present.ts'

// What a reader of calls may ask for beside them.

export const FlagQuery = Type.Object({
  fetch_contact: Type.Optional(Type.Boolean({ description: '`true`: with the contact of the outside party' })),
  fetch_short_urls: Type.Optional(Type.Boolean({ description: '`true`: with short addresses of sounds' })),
  fetch_call_timeline: Type.Optional(Type.Boolean({ description: '`true`: with the IVR options that were taken' })),
  fetch_aiva_conv: Type.Optional(Type.Boolean({ description: '`true`: with the AI voice agents that took part' })),
})
export type FlagFields = { [K in keyof typeof FlagQuery.properties]?: boolean }

export const flagsOf = (query: FlagFields): Flags => ({
  contact: query.fetch_contact === true,
  shortUrls: query.fetch_short_urls === true,
  timeline: query.fetch_call_timeline === true,
  voiceAgents: query.fetch_aiva_conv === true,
})
